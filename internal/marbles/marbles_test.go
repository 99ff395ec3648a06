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
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/leak"
	"github.com/goreactor/reactor/reactortest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

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
	require.NoError(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && name != root || entry.Name() == "marbles"):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			found, err := inFile(name, src)
			require.NoError(t, err)
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

// play runs a diagram, and returns what differs from it.
func play(t *testing.T, d diagram, row row) []string {
	t.Helper()
	clock := reactortest.UseVirtualTime(t)
	s := &sources{t: t, clock: clock, start: clock.Now(), lines: d.lines, used: map[string]bool{"out": true, "demand": true}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all []*recorder
	// Within a task, so that nothing is due before all is set up.
	require.NoError(t, clock.Execute(func(context.Context) { all = s.begin(ctx, row(s)) }))
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
func rowOf(of string) (row, string) {
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
		if r := rows[name]; r != nil {
			return r, name
		}
	}
	return nil, ""
}

// elsewhere are the diagrams that can't be played here, with the reason.
var elsewhere = map[string]string{
	"own.Conflate":   "a module of its own, whose tests play it",
	"own.Pairwise":   "a module of its own, whose tests play it",
	"own.Steps":      "a module of its own, whose tests play it",
	"fsnotify.Watch": "a module of its own, and what comes is what the system tells of files",
}

func TestDiagramsInComments(t *testing.T) {
	played, left := 0, []string{}
	used := map[string]bool{}
	for _, d := range diagrams(t, "../..") {
		row, name := rowOf(d.of)
		used[name], used[d.of] = true, true
		if row == nil {
			if elsewhere[d.of] == "" {
				left = append(left, d.where+": "+d.of)
			}
			continue
		}
		played++
		t.Run(d.of, func(t *testing.T) {
			require.NoErrorf(t, d.err, "%s: %s", d.where, d.of)
			synctest.Test(t, func(t *testing.T) { assert.Emptyf(t, play(t, d, row), "%s: %s\n%s", d.where, d.of, d.text) })
		})
	}
	for name := range rows {
		assert.Truef(t, used[name], "there is no diagram of %s", name)
	}
	for name := range elsewhere {
		assert.Truef(t, used[name], "there is no diagram of %s", name)
	}
	t.Logf("%d diagrams played, %d elsewhere", played, len(elsewhere))
	assert.Emptyf(t, left, "diagrams without a row: see rows_*_test.go")
}

func TestCompare(t *testing.T) {
	a := []mark{{2, "1"}, {6, "2"}, {9, "|"}}
	assert.NoError(t, compare(a, []mark{{2, "1"}, {7, "2"}, {7, "|"}}))
	assert.Error(t, compare(a, []mark{{2, "1"}, {6, "3"}, {9, "|"}}))
	assert.Error(t, compare(a, []mark{{2, "1"}, {6, "2"}}))
	assert.Error(t, compare(a, []mark{{2, "1"}, {6, "2"}, {8, "3"}, {9, "|"}}))
	assert.Error(t, compare(a, []mark{{2, "1"}, {12, "2"}, {12, "|"}}))
	assert.NoError(t, compare([]mark{{2, "1"}}, []mark{{2, "1"}, {6, "2"}}))
}

// The first picture is right; each other one is wrong in one place, which is to be found.
func TestPlay(t *testing.T) {
	concat := combineRows["Flux.ConcatWith"]
	const f, other, out = "f:      1 - 2 |\n", "other:         3 |\n", "out:    1 - 2 - 3 |\n"
	for _, c := range [][2]string{
		{f + other + out, ""},
		{f + other + "out:    1 - 2 - 4 |\n", "{6 3} came, the picture has {8 4}"},
		{f + other + "out:    1 - 2 - 3 --- |\n", "{8 |} came, the picture has {14 |}"},
		{f + other + "out:    1 - 2 |\n", "{6 3} came, the picture has {6 |}"},
		{f + "other:              3 |\n" + out, "other was subscribed at [6], the picture has {12 ["},
		{f + "other:         3 |  3 |\n" + out, "other was subscribed at [6], the picture has [{7 ["},
		{f + "other:         3 X\nout:    1 - 2 - 3\n", "other was cancelled at [], the picture has {9 X}"},
		{f + other + "b:      3 |\n" + out, "nothing was made of b"},
		{f + other + out + "out:            3 |\n", "{8 1} came, the picture has {8 3}"},
		{"demand:  2\nf:       1 - 2 |\nother:          3 |\nout:     1 - 2 - 3 |\n", "{8 3} did not come"},
		{"f:      1 - 2 X\n" + other + "out:    1 - X\n", "other was subscribed at []"},
	} {
		wrong, want := c[0], c[1]
		all := read("Flux.ConcatWith", "here", []string{wrong})
		require.NoErrorf(t, all[0].err, "%s", wrong)
		synctest.Test(t, func(t *testing.T) {
			got := strings.Join(play(t, all[0], concat), "; ")
			if want == "" {
				assert.Emptyf(t, got, "%s", wrong)
			}
			assert.Containsf(t, got, want, "%s", wrong)
		})
	}
}

func TestInFile(t *testing.T) {
	all, err := inFile("a.go", []byte("package a\n\n// F does.\n//\n//\tf:    1\n//\tout:  1\n//\n// Or:\n//\n//\tout:  2\nfunc (s *S[T]) F() {}\n"))
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, []string{"S.F", "S.F#2"}, []string{all[0].of, all[1].of})
	assert.Equal(t, all[0].lines["f"], all[1].lines["f"], "the source stands once")
	for _, src := range []string{"package a\n\n//\tout:  1\nfunc f() {}\n", "package a\n\n//\tout:  1\ntype T int\n", "package a\n\n//\tout:  1\n"} {
		_, err = inFile("a.go", []byte(src))
		assert.Errorf(t, err, "%s", src)
	}
}
