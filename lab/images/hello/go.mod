module nodewright.lab/hello

go 1.24
