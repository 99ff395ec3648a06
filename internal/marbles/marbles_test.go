package marbles

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/leak"
	"github.com/goreactor/reactor/reactortest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

// errMarble is what # stands for.
var errMarble = errors.New("#")

// mark is one signal: its column, and its text, which is | or # for an end.
type mark struct {
	at   int
	text string
}

func (m mark) ends() bool { return m.text == "|" || m.text == "#" }

// diagram is one block in a comment.
type diagram struct {
	of    string // for example Flux.Map
	where string
	lines map[string][]mark // by label
	text  string
}

var (
	labelled = regexp.MustCompile(`^ *(\w+):( .*)$`)
	remark   = regexp.MustCompile(` {4,}\S.*$`)
	element  = regexp.MustCompile(`^(\[[^\]]*\]|\{[^}]*\}|[^\s\-\[({|#]+(\([^)]*\))?|[|#])`)
)

// parse reads the lines of a diagram. Time begins two columns after the longest label.
func parse(block string) (map[string][]mark, error) {
	begin := 0
	all := strings.Split(strings.TrimRight(block, "\n"), "\n")
	for _, line := range all {
		if m := labelled.FindStringSubmatchIndex(line); m != nil {
			begin = max(begin, m[4]+2)
		}
	}
	lines := map[string][]mark{}
	for _, line := range all {
		m := labelled.FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		label, body := line[m[2]:m[3]], line[min(begin, len(line)):]
		if _, twice := lines[label]; twice {
			return nil, fmt.Errorf("two lines are called %s", label)
		}
		if end := strings.IndexAny(body, "|#"); end >= 0 {
			body = body[:end+1]
		} else {
			body = remark.ReplaceAllString(body, "")
		}
		lines[label] = marks(body)
	}
	if _, ok := lines["out"]; !ok {
		return nil, errors.New("there is no line called out")
	}
	return lines, nil
}

func marks(body string) (list []mark) {
	list = []mark{}
	for i := 0; i < len(body); {
		text := element.FindString(body[i:])
		if text == "" {
			i++
			continue
		}
		list = append(list, mark{i, text})
		i += len(text)
	}
	return list
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
			for i, block := range blocks(fn.Doc) {
				key := of
				if i > 0 {
					key += "#" + strconv.Itoa(i+1)
				}
				all = append(all, diagram{of: key, where: set.Position(fn.Pos()).String(), text: block})
			}
		}
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

// sources are the streams of a diagram, as a row gets them.
type sources struct {
	t     *testing.T
	m     *reactortest.Marbles
	lines map[string][]mark
}

// of returns the stream with the label, its texts made elements by value.
func (s *sources) of[T any](label string, value func(text string) T) reactor.Publisher[T] {
	list, ok := s.lines[label]
	if !ok {
		require.Failf(s.t, "no such line", "%q", label)
	}
	var text strings.Builder
	values, column := reactortest.Values[T]{}, 0
	for i, m := range list {
		text.WriteString(strings.Repeat("-", m.at-column))
		column = m.at + 1
		if m.ends() {
			text.WriteString(m.text)
			break
		}
		name := rune(0xE000 + i) // for private use
		values[name] = value(m.text)
		text.WriteRune(name)
	}
	return s.m.ColdOf(text.String(), values).FailingWith(errMarble)
}

// ints returns the stream with the label as one of numbers.
func (s *sources) ints(label string) reactor.Publisher[int] {
	return s.of(label, func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			return -1 // x
		}
		return n
	})
}

// texts returns the stream with the label as it is written.
func (s *sources) texts(label string) reactor.Publisher[string] {
	return s.of(label, func(text string) string { return text })
}

// recorder notes what comes, and when.
type recorder struct {
	clock *reactortest.VirtualTime
	start time.Time
	got   []mark
}

func (r *recorder) note(text string) {
	r.got = append(r.got, mark{int(r.clock.Now().Sub(r.start) / time.Millisecond), text})
}

func (r *recorder) OnSubscribe(up reactor.Subscription) { up.Request(reactor.Unbounded) }
func (r *recorder) OnNext(v any)                        { r.note(strings.ReplaceAll(fmt.Sprint(v), "map[", "[")) }
func (r *recorder) OnError(error)                       { r.note("#") }
func (r *recorder) OnComplete()                         { r.note("|") }

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

// play runs a diagram.
func play(t *testing.T, d diagram, row func(s *sources) reactor.Publisher[any]) (got []mark) {
	t.Helper()
	clock := reactortest.UseVirtualTime(t)
	m := reactortest.NewMarbles(t, reactortest.OnClock(clock))
	r := &recorder{clock: clock, start: clock.Now()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	row(&sources{t, m, d.lines}).Subscribe(ctx, r)
	clock.AdvanceBy(60 * time.Millisecond)
	return r.got
}

// unplayed is how many diagrams have no row. It only goes down.
const unplayed = 196

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
			var err error
			d.lines, err = parse(d.text)
			require.NoErrorf(t, err, "%s: %s", d.where, d.of)
			got := play(t, d, row)
			assert.NoErrorf(t, compare(d.lines["out"], got), "%s: %s\n%s\ncame: %v", d.where, d.of, d.text, got)
		})
	}
	for name := range rows {
		assert.Truef(t, used[name], "there is no diagram of %s", name)
	}
	t.Logf("%d of %d diagrams played; without a row: %s", played, played+len(left), strings.Join(left, " "))
	assert.Lenf(t, left, unplayed, "diagrams without a row, recorded are %d", unplayed)
}

func TestParse(t *testing.T) {
	lines, err := parse("f:    1 --- 2 -10 |   (4 blanks)    not this\n      Map(n => 10n)\nout:  [1 2] - next(3) --- #\n")
	require.NoError(t, err)
	assert.Equal(t, []mark{{0, "1"}, {6, "2"}, {9, "10"}, {12, "|"}}, lines["f"])
	assert.Equal(t, []mark{{0, "[1 2]"}, {8, "next(3)"}, {20, "#"}}, lines["out"])
	_, err = parse("f: 1\n")
	assert.Error(t, err)
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
