// Command reactorvet finds mistakes in the use of streams: code that compiles and runs, but does
// something other than what was meant. It runs as go vet does:
//
//	go install github.com/goreactor/reactor/cmd/reactorvet@latest
//	go vet -vettool=$(which reactorvet) ./...
//
// and with packages as arguments it runs go vet with itself: reactorvet ./... is the same. Until
// there is a release, install it from a clone: go install -C cmd/reactorvet .
//
// Package check describes what it looks for. To silence a finding that is intended, write a
// comment with the reason on its line, on the line above it, or above the statement or
// declaration that it is in:
//
//	//reactorvet:ignore the test wants it refused
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/goreactor/reactor/cmd/reactorvet/check"
)

func main() {
	if args := os.Args[1:]; named(args) {
		os.Exit(vet(args))
	}
	unitchecker.Main(check.Analyzers()...)
}

// named reports whether the arguments name packages. Otherwise it is go vet that calls, with a file of its own behind flags and
// their values (as that of -tags), or somebody who asks for help.
func named(args []string) bool {
	if len(args) == 0 || strings.HasSuffix(args[len(args)-1], ".cfg") {
		return false
	}
	rest := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	return len(rest) > 0 && rest[0] != "help"
}

// vet runs go vet with this program as its tool, and returns its exit code.
func vet(args []string) int {
	tool, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "reactorvet:", err)
		return 1
	}
	first := 0 // -C and its folder, which go wants before all others
	switch flag := strings.TrimPrefix(args[0], "-"); {
	case flag == "-C" || flag == "C":
		first = min(2, len(args))
	case strings.HasPrefix(flag, "-C=") || strings.HasPrefix(flag, "C="):
		first = 1
	}
	cmd := exec.Command("go", slices.Concat([]string{"vet"}, args[:first], []string{"-vettool=" + tool}, args[first:])...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reactorvet:", err)
		return 1
	}
	return 0
}
