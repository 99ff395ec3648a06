package marbles

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/reactortest"
)

// Play plays the diagrams in the comments on an operator, which is called as flux and mono have it, for example
// Flux.Map, in its own test:
//
//	marbles.Play(t, "Flux.MapWhile", marbles.OnInts(func(f flux.Flux[int]) flux.Flux[int] { … }))
//
// It looks at flux, mono and operators, where the function of that name has a diagram, too.
func Play(t *testing.T, of string, row Row) {
	t.Helper()
	played := 0
	for _, d := range operatorDiagrams(t) {
		name, _, _ := strings.Cut(d.of, "#")
		if _, known := rowOf(name, map[string]Row{of: row}); known == "" {
			continue
		}
		played++
		t.Run(d.of, func(t *testing.T) { d.play(t, row) })
	}
	if played == 0 {
		t.Errorf("there is no diagram of %s", of)
	}
}

// operatorDiagrams are those of the packages that have operators.
func operatorDiagrams(t *testing.T) []diagram {
	t.Helper()
	operatorsOnce.Do(func() {
		for _, dir := range []string{"flux", "mono", "operators"} {
			operatorsAll = append(operatorsAll, diagrams(t, filepath.Join(module(t), dir))...)
		}
	})
	return operatorsAll
}

var (
	operatorsOnce sync.Once
	operatorsAll  []diagram
)

// must ends the test if there is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// module returns the folder of the module that the test belongs to.
func module(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	must(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod")
		}
		dir = up
	}
}

// diagram is one block in a comment.
type diagram struct {
	of    string // for example Flux.Map
	where string
	text  string

	lines     picture
	inherited map[string]bool // the lines that stand in the block before
	err       error
}

// diagrams returns those in the comments on functions below a folder. One that stands anywhere else is an error: nobody
// would play it.
func diagrams(t *testing.T, root string) (all []diagram) {
	t.Helper()
	must(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && name != root || entry.Name() == "marbles"):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			src, err := os.ReadFile(name)
			must(t, err)
			found, err := inFile(name, src)
			must(t, err)
			all = append(all, found...)
		}
		return nil
	}))
	return all
}

// inFile returns the diagrams of one file, called after the package or the type of the receiver.
func inFile(name string, src []byte) (all []diagram, err error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	of := map[*ast.CommentGroup]string{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil && fn.Name.IsExported() {
			of[fn.Doc] = f.Name.Name + "." + fn.Name.Name
			if fn.Recv != nil {
				typ, _, _ := strings.Cut(string(src[set.Position(fn.Recv.List[0].Type.Pos()).Offset:]), ")")
				typ, _, _ = strings.Cut(strings.TrimPrefix(typ, "*"), "[")
				of[fn.Doc] = typ + "." + fn.Name.Name
			}
		}
	}
	for _, c := range f.Comments {
		list := blocks(c)
		where := set.Position(c.Pos()).String()
		if len(list) > 0 && of[c] == "" {
			return nil, fmt.Errorf("%s: a diagram that belongs to no exported function", where)
		}
		all = append(all, read(of[c], where, list)...)
	}
	return all, nil
}

// read returns the diagrams of one comment. The sources of the first one are those of the others, too.
func read(of, where string, blocks []string) (all []diagram) {
	for i, block := range blocks {
		d := diagram{of: of, where: where, text: block, inherited: map[string]bool{}}
		if i > 0 {
			d.of += "#" + strconv.Itoa(i+1)
		}
		if d.lines, d.err = parse(block); d.err == nil && i > 0 {
			for label, list := range all[0].lines {
				if _, own := d.lines[label]; !own {
					d.lines[label], d.inherited[label] = list, true
				}
			}
		}
		all = append(all, d)
	}
	return all
}

// blocks returns the indented blocks of a comment that show what comes out.
func blocks(doc *ast.CommentGroup) (found []string) {
	var b strings.Builder
	flush := func() {
		if strings.Contains(b.String(), "out:") {
			found = append(found, b.String())
		}
		b.Reset()
	}
	for _, c := range doc.List {
		if line, ok := strings.CutPrefix(c.Text, "//\t"); ok {
			b.WriteString(line + "\n")
		} else {
			flush()
		}
	}
	flush()
	return found
}

// off is how far a signal may be drawn from its moment. It may be drawn later where there is no room before: the
// text of the signal before it is wider than a moment.
const off = 3

// compare returns what is wrong with what came.
func compare(want, got []mark) error {
	room := 0 // where the signal before ends, in the picture
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("%v did not come", want[i])
		case i >= len(want) && len(want) > 0 && !want[len(want)-1].ends():
			return nil // the picture ends before the stream
		case i >= len(want):
			return fmt.Errorf("%v is not in the picture", got[i])
		case want[i].text == "…":
			return nil
		case want[i].text != got[i].text, want[i].at > max(got[i].at, room)+off, got[i].at > want[i].at+off:
			return fmt.Errorf("%v came, the picture has %v", got[i], want[i])
		}
		room = want[i].at + len(want[i].text)
	}
	return nil
}

// play runs a diagram, which is to be true.
func (d diagram) play(t *testing.T, row Row) {
	t.Helper()
	if d.err != nil {
		t.Fatalf("%s: %s: %v", d.where, d.of, d.err)
	}
	synctest.Test(t, func(t *testing.T) {
		for _, wrong := range play(t, d, row) {
			t.Errorf("%s: %s: %s\n%s", d.where, d.of, wrong, d.text)
		}
	})
}

// play runs a diagram, and returns what differs from it.
func play(t *testing.T, d diagram, row Row) []string {
	t.Helper()
	clock := reactortest.UseVirtualTime(t)
	s := &sources{t: t, clock: clock, start: clock.Now(), lines: d.lines, used: map[string]bool{"out": true, "demand": true}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all []*recorder
	// Within a task, so that nothing is due before all is set up.
	must(t, clock.Execute(func(context.Context) { all = s.begin(ctx, row(s)) }))
	synctest.Wait()
	for range 60 { // the goroutines of a source follow the clock
		clock.AdvanceBy(time.Millisecond)
		synctest.Wait()
	}

	for _, r := range all {
		s.same("", r.want.marks, r.got)
		for name, in := range r.inner {
			for _, label := range []string{name, "group " + name} {
				if list, ok := d.lines[label]; ok {
					s.used[label] = true
					s.same(label+": ", list[0].marks, in.got)
				}
			}
		}
	}
	for _, check := range s.check {
		check()
	}
	for _, label := range d.lines.labels() {
		if !s.used[label] && !d.inherited[label] {
			s.wrongf("nothing was made of %s", label)
		}
	}
	return s.wrong
}

// begin subscribes to p whoever the picture has, in their time.
func (s *sources) begin(ctx context.Context, p reactor.Publisher[any]) (all []*recorder) {
	for _, want := range s.lines["out"] {
		r := &recorder{s: s, want: want, inner: map[string]*recorder{}}
		if demand := s.lines["demand"]; len(demand) > 0 {
			r.demand = demand[0].marks
		}
		all = append(all, r)
		if want.begin == 0 {
			p.Subscribe(ctx, r)
		} else {
			s.at(want.begin, func() { p.Subscribe(ctx, r) })
		}
		if n := len(want.marks); n > 0 && want.marks[n-1].text == "X" {
			s.at(want.marks[n-1].at, r.cancel)
		}
	}
	return all
}

func (s *sources) same(what string, want, got []mark) {
	if err := compare(want, got); err != nil {
		s.wrongf("%s%v, in all came %v", what, err, got)
	}
}

// rowOf returns the row of a diagram and its name. The row of what flux and mono make of a function of
// operators is that of the function, too.
func rowOf(of string, rows map[string]Row) (Row, string) {
	names := []string{of}
	if name, ok := strings.CutPrefix(of, "operators."); ok {
		mono, isMono := strings.CutPrefix(name, "Mono")
		parallel, isParallel := strings.CutPrefix(name, "Parallel")
		switch {
		case isMono:
			names = append(names, "Mono."+mono, "mono."+mono)
		case isParallel:
			names = append(names, "ParallelFlux."+parallel)
		}
		for _, face := range []string{"Flux.", "flux.", "ConnectableFlux.", "Mono.", "mono."} {
			names = append(names, face+name)
		}
	}
	for _, name := range names {
		if r, ok := rows[name]; ok {
			return r, name
		}
	}
	return nil, ""
}
