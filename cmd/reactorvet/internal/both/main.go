// Both is the tool of go vet with the analyzers of reactorvet besides, for whoever runs both: go vet -vettool reads
// each package, and all that it imports, once.
package main

import (
	"slices"

	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/goreactor/reactor/cmd/reactorvet/check"
)

func main() { unitchecker.Main(slices.Concat(vet.Suite, check.Analyzers())...) }
