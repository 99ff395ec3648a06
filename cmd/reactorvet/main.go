// Command reactorvet finds mistakes in the use of streams that compile and run, and do
// something else than was meant. It runs as go vet does:
//
//	go install github.com/goreactor/reactor/cmd/reactorvet@latest
//	go vet -vettool=$(which reactorvet) ./...
//
// What it looks for is described in package check. A finding that is meant so is
// silenced by a comment on its line, or on the one above it or above the statement or
// declaration that it is in, with the reason:
//
//	//reactorvet:ignore the test wants it refused
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/goreactor/reactor/cmd/reactorvet/check"
)

func main() { unitchecker.Main(check.Analyzers()...) }
