module nodewright/toolchain/pause

go 1.24
