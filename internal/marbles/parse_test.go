package marbles

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mark is one signal: its column, and its text, which for an end is |, # or #name, or X.
type mark struct {
	at   int
	text string
}

// ends reports whether nothing comes after m: completion, an error, or a cancellation.
func (m mark) ends() bool { return m.text == "|" || m.text == "X" || strings.HasPrefix(m.text, "#") }

// line is one stream of a diagram, or one subscription of it.
type line struct {
	begin int // the column of its first sign: when it is subscribed
	marks []mark
}

// picture is a diagram that was read: the lines by their labels. A source has one for each time that it is
// subscribed, out has one for each subscriber.
type picture map[string][]line

var (
	labelled = regexp.MustCompile(`^\s*(\w+(?: \w+)?(?:\(\w+\))?):( .*)$`)
	remark   = regexp.MustCompile(` {4,}\S.*$`)
	again    = regexp.MustCompile(`^ +[^ ].*([|X]|#\w*)$`)
	element  = regexp.MustCompile(`^(\[[^\]]*\]|\{[^}]*\}|\([^)]*\)|#\w*|\||[^\s\-\[({|#]+(\([^)]*\))?)`)
)

// parse reads the lines of a diagram. Time begins two columns after the longest label.
func parse(block string) (picture, error) {
	begin := 0
	all := strings.Split(strings.TrimRight(block, "\n"), "\n")
	for _, text := range all {
		if m := labelled.FindStringSubmatchIndex(text); m != nil {
			begin = max(begin, m[4]+2)
		}
	}
	p := picture{}
	for _, text := range all {
		m := labelled.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		label, body := text[m[2]:m[3]], text[min(begin, len(text)):]
		if len(p[label]) > 0 && label != "out" {
			return nil, fmt.Errorf("two lines are called %s", label)
		}
		p[label] = append(p[label], lines(body, label != "out" && label != "demand")...)
	}
	if _, ok := p["out"]; !ok {
		return nil, errors.New("there is no line called out")
	}
	return p, nil
}

// lines reads what stands behind a label. Behind the end of a source may come what it sends when it is
// subscribed again.
func lines(body string, source bool) (list []line) {
	for at := 0; ; {
		blank := len(body[at:]) - len(strings.TrimLeft(body[at:], " "))
		marks, next := marksOf(body, at+blank)
		list = append(list, line{at + blank, marks})
		if at = next; !source || !again.MatchString(body[at:]) {
			return list
		}
	}
}

// marksOf reads up to an end or a remark, and returns where it is.
func marksOf(body string, at int) (list []mark, next int) {
	list = []mark{}
	end := len(body)
	if found := remark.FindStringIndex(body[at:]); found != nil {
		end = at + found[0]
	}
	for at < end {
		text := element.FindString(body[at:])
		if text == "" {
			at++
			continue
		}
		m := mark{at, text}
		list = append(list, m)
		at += len(text)
		if m.ends() {
			break
		}
	}
	return list, at
}

// labels returns those of a picture, in order.
func (p picture) labels() []string { return slices.Sorted(maps.Keys(p)) }

func TestParse(t *testing.T) {
	p, err := parse("f:    1 --- 2 -10 |   (4 blanks)    not this\n      Map(n => 10n)\nout:  [1 2] - next(3) --- #\n")
	require.NoError(t, err)
	assert.Equal(t, picture{
		"f":   {{0, []mark{{0, "1"}, {6, "2"}, {9, "10"}, {12, "|"}}}},
		"out": {{0, []mark{{0, "[1 2]"}, {8, "next(3)"}, {20, "#"}}}},
	}, p)

	p, err = parse("f:         - #a   1 --- 2 |\ngroup a:   1\nof(1):    (1 b) X\nout:       1 - 2\nout:           2 - error(#) |    late | too\n")
	require.NoError(t, err)
	assert.Equal(t, picture{
		"f":       {{1, []mark{{3, "#a"}}}, {8, []mark{{8, "1"}, {14, "2"}, {16, "|"}}}},
		"group a": {{1, []mark{{1, "1"}}}},
		"of(1)":   {{0, []mark{{0, "(1 b)"}, {6, "X"}}}},
		"out":     {{1, []mark{{1, "1"}, {5, "2"}}}, {5, []mark{{5, "2"}, {9, "error(#)"}, {18, "|"}}}},
	}, p)

	_, err = parse("f: 1\n")
	assert.Error(t, err, "nothing comes out")
	_, err = parse("f: 1\nf: 2\nout: 1\n")
	assert.Error(t, err, "which is f?")
}
