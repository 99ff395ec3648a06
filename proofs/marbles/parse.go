package marbles

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
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
