package books

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/proofs/roster"
)

// leftOut are the rows of the roster that no program has: what is in them is for those who come later, or for a function that keeps
// it, so that their books can't be balanced.
var leftOut = []string{
	"scan", "pairwise", "onErrorContinue", "zip with itself", "reduce", "fold", "tryReduce", "tryFold", "allMatch",
	"anyMatch", "flatMapSlice nothing", "flatMapSeq", "flatMapSeq2", "concatMapSeq", "publish autoConnect",
	"publish refCount", "refCount with grace", "share", "shareNext", "replay refCount", "replay the last",
	"replay for a time", "cache", "mono share", "mono cache", "mono cache for a time", "mono cacheInvalidateIf",
	"sequenceEqual", "sequenceEqual of equals", "scanWith", "bufferInto", "bufferWhen", "buffer overlapping",
	"bufferWhile", "bufferUntilChanged", "parallel reduce", "parallel sorted", "windowWhen overlapping", "tryScan",
	"tryScanWith", "bufferUntilChangedFunc", "collectInto", "collectMap", "mono cacheFor", "mono cacheInvalidateWhen",
	"sink, unicast buffering", "sink, unicast bounded", "sink, unicast failing", "sink, multicast buffering",
	"sink, multicast bounded", "sink, all or nothing", "sink, best effort", "sink, replaying all",
	"sink, replaying the latest", "sink, replaying a default", "sink, replaying some", "sink, replaying for a time",
	"sink, unsafe", "sink for one", "sink with upstream", "sink with upstream, two at a time",
}

// TestRowsThatAreLeftOut has the books know every row of the roster, but for those in the list.
func TestRowsThatAreLeftOut(t *testing.T) {
	var missing []string
	for _, row := range roster.Stages[element]() {
		if !slices.ContainsFunc(all.stages, func(s *stage) bool { return s.name == "roster: "+row.Name }) {
			missing = append(missing, row.Name)
		}
	}
	assert.ElementsMatch(t, leftOut, missing)
}

// unknown are the functions of package operators that make a publisher of elements and stand in no program, not even under another name.
var unknown = []string{
	"As", "At", "ErrorOnRequest", "MonoFromChan", "FromFuture", "FromOptional", "FromRunnable", "FromSlice", "JustAll",
	"Cron", "OnTrigger", "SequenceEqual",
}

// TestOperatorsThatAreUnknown has each operator in a program, but for those in the list.
func TestOperatorsThatAreUnknown(t *testing.T) {
	used := map[string]bool{}
	for _, folder := range []string{".", "../roster"} {
		each := func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				used[s.Sel.Name] = true
			}
			return true
		}
		for _, file := range parsed(t, folder) {
			ast.Inspect(file, each)
		}
	}
	var missing []string
	for _, file := range parsed(t, "../../operators") {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() && makesPublisher(fn) && !used[fn.Name.Name] {
				missing = append(missing, fn.Name.Name)
			}
		}
	}
	assert.ElementsMatch(t, unknown, missing)
}

// parsed returns the files of a folder, for operators without tests.
func parsed(t *testing.T, folder string) (files []*ast.File) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	for _, name := range names {
		if folder != "." && strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	return files
}

// makesPublisher reports whether one of the results of fn is a publisher.
func makesPublisher(fn *ast.FuncDecl) bool {
	if fn.Type.Results == nil {
		return false
	}
	found := false
	for _, r := range fn.Type.Results.List {
		ast.Inspect(r.Type, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && strings.HasSuffix(id.Name, "Publisher")
			return !found
		})
	}
	return found
}

// TestNarrowProgramsReachEverything draws programs, and has each stage, neighbour, ending, ground and fault in one of them.
func TestNarrowProgramsReachEverything(t *testing.T) {
	const programs = 10 * ordinaryNarrow
	stages := map[*stage]bool{}
	ends := make([]bool, len(endings))
	kinds, on := [narrowFaults]bool{}, [grounds]bool{}
	places := map[int]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		stages[n.stage] = true
		for _, k := range n.kids {
			visit(k)
		}
	}
	for number := range uint64(programs) {
		p := all.narrow(1, number)
		assert.False(t, p.root.isStrange(), "%v", p)
		assert.NotEmpty(t, p.faults)
		visit(p.root)
		ends[p.ending.kind], on[p.on] = true, true
		for _, f := range p.faults {
			kinds[f.kind], places[f.at] = true, true
		}
	}
	for _, s := range slices.Concat(all.stages, all.leaves, strangers, passing) {
		assert.True(t, stages[s] || s == named(t, "foreign"), s.name)
	}
	assert.NotContains(t, ends, false)
	assert.NotContains(t, kinds[:], false)
	assert.NotContains(t, on[:], false)
	for at := firstPlace; at < 4; at++ {
		assert.True(t, places[at], at)
	}
}
