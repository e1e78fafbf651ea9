// Command hello is the smallest useful workload: a web server that names its pod, and the few probes that tests
// run in a pod that has no shell.
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

const (
	address     = ":8080"
	usage       = "usage: hello [serve | get URL | put FILE TEXT | cat FILE | write-loop FILE]"
	getTimeout  = 5 * time.Second
	writePeriod = 200 * time.Millisecond
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "hello:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		args = []string{"serve"}
	}
	operands := args[1:]
	switch {
	case args[0] == "serve" && len(operands) == 0:
		return serve()
	case args[0] == "get" && len(operands) == 1:
		return get(operands[0])
	case args[0] == "put" && len(operands) == 2:
		return os.WriteFile(operands[0], []byte(operands[1]+"\n"), 0o644)
	case args[0] == "cat" && len(operands) == 1:
		return cat(operands[0])
	case args[0] == "write-loop" && len(operands) == 1:
		return writeLoop(operands[0])
	}
	return errors.New(usage)
}

// serve answers every path with the name of the pod.
func serve() error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello from", host) })
	log.Printf("listening on %s", address)
	return http.ListenAndServe(address, nil)
}

func get(url string) error {
	client := http.Client{Timeout: getTimeout}
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("get %s: %s", url, response.Status)
	}
	return nil
}

func cat(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(os.Stdout, file)
	return err
}

// writeLoop appends the time to a file, each line synced to the disk, until it is stopped or a write fails: what is
// in the file afterwards tells for how long the storage below it was away.
func writeLoop(name string) error {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	for {
		if _, err := fmt.Fprintln(file, time.Now().UTC().Format(time.RFC3339Nano)); err != nil {
			return err
		}
		if err := file.Sync(); err != nil {
			return err
		}
		time.Sleep(writePeriod)
	}
}
