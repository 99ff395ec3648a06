package marbles

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

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

// diagrams returns those in the comments on functions of a package.
func diagrams(t *testing.T, dir string) (all []diagram) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, src, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Doc == nil || !fn.Name.IsExported() {
				continue
			}
			of := dir + "." + fn.Name.Name
			if fn.Recv != nil {
				typ, _, _ := strings.Cut(string(src[set.Position(fn.Recv.List[0].Type.Pos()).Offset:]), "[")
				of = typ + "." + fn.Name.Name
			}
			all = append(all, read(of, set.Position(fn.Pos()).String(), blocks(fn.Doc))...)
		}
	}
	return all
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

// play runs a diagram, and returns what is wrong with it.
func play(t *testing.T, d diagram, row row) {
	t.Helper()
	clock := reactortest.UseVirtualTime(t)
	s := &sources{t: t, clock: clock, start: clock.Now(), lines: d.lines, used: map[string]bool{"out": true, "demand": true}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all []*recorder
	set := func(context.Context) {
		p := row(s)
		for _, want := range d.lines["out"] {
			r := &recorder{s: s, want: want, inner: map[string]*recorder{}}
			if len(d.lines["demand"]) > 0 {
				r.demand = d.lines["demand"][0].marks
			}
			all = append(all, r)
			begin := func() { p.Subscribe(ctx, r) }
			if want.begin == 0 {
				begin()
			} else {
				s.at(want.begin, begin)
			}
			if n := len(want.marks); n > 0 && want.marks[n-1].text == "X" {
				s.at(want.marks[n-1].at, r.cancel)
			}
		}
	}
	// Within a task, so that nothing is due before all is set up.
	require.NoError(t, clock.Execute(set))
	synctest.Wait()
	clock.AdvanceBy(60 * time.Millisecond)
	synctest.Wait()

	for _, r := range all {
		assert.NoErrorf(t, compare(r.want.marks, r.got), "%s: %s\n%s\ncame: %v", d.where, d.of, d.text, r.got)
		for name, in := range r.inner {
			for _, label := range []string{name, "group " + name} {
				if list, ok := d.lines[label]; ok {
					s.used[label] = true
					assert.NoErrorf(t, compare(list[0].marks, in.got), "%s: %s\n%s\nof %s came: %v", d.where, d.of, d.text, name, in.got)
				}
			}
		}
	}
	for _, check := range s.check {
		check()
	}
	for _, label := range d.lines.labels() {
		assert.Truef(t, s.used[label] || d.inherited[label], "%s: %s\n%s\nnothing was made of %s", d.where, d.of, d.text, label)
	}
}

// unplayed is how many diagrams have no row. It only goes down.
const unplayed = 0

func TestDiagramsInComments(t *testing.T) {
	played, left := 0, []string{}
	used := map[string]bool{}
	for _, d := range slices.Concat(diagrams(t, "flux"), diagrams(t, "mono")) {
		row, ok := rows[d.of]
		if !ok {
			left = append(left, d.of)
			continue
		}
		used[d.of] = true
		played++
		t.Run(d.of, func(t *testing.T) {
			require.NoErrorf(t, d.err, "%s: %s", d.where, d.of)
			synctest.Test(t, func(t *testing.T) { play(t, d, row) })
		})
	}
	for name := range rows {
		assert.Truef(t, used[name], "there is no diagram of %s", name)
	}
	t.Logf("%d of %d diagrams played; without a row: %s", played, played+len(left), strings.Join(left, " "))
	assert.Lenf(t, left, unplayed, "diagrams without a row, recorded are %d", unplayed)
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
