package archtest

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The layers, lowest first. A package imports its own layer and those below; the
// packages beside the stack (sinks, keylock, …) name the topmost layer they may
// import and what they may import besides.
var layers = []string{"root", "internal", "stage", "executors", "schedulers", "operators", "mono", "flux"}

type side struct {
	top     string   // topmost layer
	besides []string // further folders of this module
	foreign []string // modules
}

var sides = map[string]side{
	"sinks":        {top: "operators"},
	"keylock":      {top: "flux"},
	"netreactor":   {top: "flux", besides: []string{"sinks"}},
	"reactortest":  {top: "flux", besides: []string{"sinks"}},
	"adapt":        {top: "flux", besides: []string{"sinks"}},
	"interop/rxgo": {top: "flux", besides: []string{"sinks"}, foreign: []string{"github.com/reactivex/rxgo/v2"}},
	"examples":     {top: "flux", besides: []string{"sinks", "reactortest", "keylock", "netreactor", "adapt", "interop"}},
}

// proofs is the folder of what proves the library and serves its development. It stands on top of
// everything, may import all of it, and is imported by tests alone.
const proofs = "proofs"

// testkit is the folder of what tests of all packages share. Code imports it where it is for tests, too.
const testkit = "internal/testkit"

// above are rooms of internal that stand higher than the others, with the layer that they are about.
var above = map[string]string{"internal/foreign": "schedulers"}

// under reports whether dir is folder or below it.
func under(dir, folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }

// layerOf returns the number of the layer that dir belongs to, -1 if none.
func layerOf(dir string) int {
	if dir == "." {
		return 0
	}
	first, _, _ := strings.Cut(dir, "/")
	if layer, ok := above[dir]; ok {
		first = layer
	}
	return slices.Index(layers, first)
}

// mayImport reports whether code in dir may import the folder of this module
// called target.
func mayImport(dir, target string) bool {
	switch {
	case under(dir, proofs):
		return true
	case under(target, proofs):
		return false
	case under(target, testkit):
		return under(dir, testkit) || under(dir, "reactortest") || under(dir, "keylock/locktest")
	}
	if at := layerOf(dir); at >= 0 {
		to := layerOf(target)
		return to >= 0 && to <= at
	}
	for folder, s := range sides {
		if !under(dir, folder) {
			continue
		}
		if under(target, folder) || slices.ContainsFunc(s.besides, func(b string) bool { return under(target, b) }) {
			return true
		}
		to := layerOf(target)
		if folder == "examples" && layers[max(to, 0)] == "internal" {
			return false // they show what users can do
		}
		return to >= 0 && to <= slices.Index(layers, s.top)
	}
	return false
}

// mayImportForeign reports whether code in dir may import a package that is
// neither of this module nor of the standard library.
func mayImportForeign(dir, target string) bool {
	for folder, s := range sides {
		if under(dir, folder) && slices.ContainsFunc(s.foreign, func(f string) bool { return under(target, f) }) {
			return true
		}
	}
	return false
}

// importFindings says which imports outside of tests point the wrong way.
func importFindings(m *module) (findings []string) {
	for _, f := range m.code() {
		dir := f.dir()
		if layerOf(dir) < 0 && !under(dir, proofs) && !slices.ContainsFunc(keys(sides), func(s string) bool { return under(dir, s) }) {
			findings = append(findings, fmt.Sprintf("%s: the folder has no place in the import order", f.path))
			continue
		}
		for _, imp := range f.ast.Imports {
			target, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				findings = append(findings, err.Error())
				continue
			}
			first, _, _ := strings.Cut(target, "/")
			switch {
			case under(target, m.path):
				folder := strings.TrimPrefix(strings.TrimPrefix(target, m.path), "/")
				if folder == "" {
					folder = "."
				}
				if !mayImport(dir, folder) {
					findings = append(findings, fmt.Sprintf("%s: %s must not import %s", m.at(imp.Pos()), dir, folder))
				}
			case target == "C":
				findings = append(findings, fmt.Sprintf("%s: cgo is not used here", m.at(imp.Pos())))
			case strings.Contains(first, "."):
				if !mayImportForeign(dir, target) {
					findings = append(findings, fmt.Sprintf(
						"%s: only tests import %s; the library stands on the standard library alone", m.at(imp.Pos()), target))
				}
			}
		}
	}
	return findings
}

// upwardFindings says which tests of the engine need something that stands upon it. Such a test is a
// proof of both, and has its place above them.
func upwardFindings(m *module) (findings []string) {
	for _, f := range m.files {
		if !f.isTest() || !under(f.dir(), "internal") || above[f.dir()] != "" {
			continue
		}
		for _, imp := range f.ast.Imports {
			target, err := strconv.Unquote(imp.Path.Value)
			folder, own := strings.CutPrefix(target, m.path+"/")
			if err != nil || own && !under(folder, "internal") {
				findings = append(findings, fmt.Sprintf("%s: tests of %s must not import %s", m.at(imp.Pos()), f.dir(), imp.Path.Value))
			}
		}
	}
	return findings
}

func TestTheEngineIsTestedAlone(t *testing.T) { report(t, upwardFindings(load(t))) }

func TestUpwardFindings(t *testing.T) {
	for imports, wrong := range map[string]bool{
		"context": false, "github.com/goreactor/reactor": false, "github.com/stretchr/testify/assert": false,
		"github.com/goreactor/reactor/internal/testkit/leak": false, "github.com/goreactor/reactor/internal/queue": false,
		"github.com/goreactor/reactor/flux": true, "github.com/goreactor/reactor/proofs/roster": true,
	} {
		src := fmt.Sprintf("package p\n\nimport _ %q\n", imports)
		assert.Equal(t, wrong, len(upwardFindings(madeUp(t, "internal/queue/a_test.go", src))) > 0, imports)
		assert.Empty(t, upwardFindings(madeUp(t, "operators/a_test.go", src)))
	}
}

func keys[K comparable, V any](m map[K]V) []K {
	out := make([]K, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	return out
}

func TestImportsPointOneWay(t *testing.T) { report(t, importFindings(load(t))) }

func TestImportFindings(t *testing.T) {
	const self = "github.com/goreactor/reactor"
	for _, c := range []struct {
		file, imports string
		wrong         bool
	}{
		{"contract.go", "context", false},
		{"contract.go", self + "/internal/protocol", true},
		{"internal/protocol/drain.go", self, false},
		{"internal/protocol/drain.go", self + "/internal/chaos", false},
		{"internal/protocol/drain.go", self + "/operators", true},
		{"internal/protocol/drain.go", self + "/proofs/vectors", true},
		{"internal/protocol/drain.go", self + "/internal/testkit/ledger", true},
		{"internal/testkit/leak/leak.go", self + "/internal/live", false},
		{"internal/testkit/leak/leak.go", self + "/operators", true},
		{"operators/map.go", self + "/internal/testkit/racetest", true},
		{"reactortest/race.go", self + "/internal/testkit/racetest", false},
		{"keylock/locktest/run.go", self + "/internal/testkit/awake", false},
		{"keylock/do.go", self + "/internal/testkit/awake", true},
		{"reactortest/race.go", self + "/proofs/roster", true},
		{"proofs/vectors/run.go", self + "/flux", false},
		{"proofs/vectors/run.go", "github.com/stretchr/testify/assert", true},
		{"executors/pool.go", self + "/schedulers", true},
		{"schedulers/single.go", self + "/executors", false},
		{"operators/map.go", self + "/schedulers", false},
		{"operators/map.go", self + "/mono", true},
		{"mono/mono.go", self + "/operators", false},
		{"mono/mono.go", self + "/flux", true},
		{"flux/flux.go", self + "/mono", false},
		{"flux/flux.go", self + "/sinks", true},
		{"flux/flux_test.go", self + "/reactortest", false},
		{"sinks/many.go", self + "/operators", false},
		{"sinks/many.go", self + "/mono", true},
		{"sinks/many.go", self + "/flux", true},
		{"keylock/lock.go", self + "/flux", false},
		{"keylock/lock.go", self + "/sinks", true},
		{"keylock/locktest/run.go", self + "/keylock", false},
		{"flux/flux.go", self + "/keylock", true},
		{"netreactor/server.go", self + "/sinks", false},
		{"netreactor/server.go", "golang.org/x/sys/unix", true},
		{"reactortest/verifier.go", self + "/internal/protocol", false},
		{"reactortest/tck/publisher.go", self + "/reactortest", false},
		{"reactortest/verifier.go", self + "/netreactor", true},
		{"adapt/bytestream/lines.go", self + "/flux", false},
		{"adapt/bytestream/lines.go", self + "/adapt/internal/blocking", false},
		{"adapt/bytestream/lines.go", self + "/reactortest", true},
		{"flux/flux.go", self + "/adapt/bytestream", true},
		{"interop/rxgo/rxgo.go", "github.com/reactivex/rxgo/v2", false},
		{"interop/rxgo/rxgo.go", "github.com/reactivex/rxgo", true},
		{"examples/srcstats/main.go", self + "/flux", false},
		{"examples/srcstats/main.go", self, false},
		{"examples/srcstats/main.go", self + "/internal/queue", true},
		{"flux/flux.go", "C", true},
		{"elsewhere/x.go", "context", true},
	} {
		m := madeUp(t, c.file, fmt.Sprintf("package p\n\nimport _ %q\n", c.imports))
		assert.Equalf(t, c.wrong, len(importFindings(m)) > 0, "%s imports %s", c.file, c.imports)
	}
}

// What adapts the standard library is linked by who imports it, and by nobody else.
func TestFluxLinksNoAdapters(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	cmd := exec.Command("go", "list", "-deps", "github.com/goreactor/reactor/flux", "github.com/goreactor/reactor/sinks")
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	deps := strings.Fields(string(out))
	require.Contains(t, deps, "github.com/goreactor/reactor/operators")
	for _, dep := range deps {
		switch {
		case slices.Contains([]string{"net", "net/http", "database/sql", "os/exec", "os/signal", "encoding/csv"}, dep),
			strings.HasPrefix(dep, "github.com/goreactor/reactor/adapt"):
			t.Errorf("flux links %s", dep)
		}
	}
}
