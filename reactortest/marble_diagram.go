package reactortest

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/goreactor/reactor"
)

// mark is one signal of a diagram.
type mark struct {
	at   time.Duration // since the begin, which is at ^ if there is one
	kind reactor.SignalKind
	name rune // of KindNext
}

// diagram is a marble diagram, parsed.
type diagram struct {
	marks []mark        // KindNext, KindError, KindComplete
	until time.Duration // the time of its last column
	// of subscription diagrams
	subscribed   time.Duration // never if there is none, as below
	unsubscribed time.Duration
}

const never time.Duration = 1<<63 - 1

// parseMarbles reads a diagram, see [Marbles]. What is wrong with it is an error.
func parseMarbles(text string, tick time.Duration) (d diagram, err error) {
	d.subscribed, d.unsubscribed = never, never
	var (
		at     time.Duration // of the column
		group  = -1          // where the group began, -1 outside
		anchor = time.Duration(-1)
		runes  = []rune(text)
	)
	wrong := func(i int, format string, args ...any) error {
		return fmt.Errorf("the marbles %q are wrong at column %d: %s", text, i+1, fmt.Sprintf(format, args...))
	}
	add := func(m mark) {
		m.at = at
		d.marks = append(d.marks, m)
	}
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if span, n := progression(runes, i); n > 0 && group < 0 {
			if span%tick != 0 {
				return d, wrong(i, "%v is no multiple of the tick, %v", span, tick)
			}
			at += span
			d.until = max(d.until, at-tick) // as with as many signs
			i += n - 1
			continue
		}
		width := tick
		switch r {
		case ' ':
			width = 0
		case '-':
			if group >= 0 {
				return d, wrong(i, "no time passes in a group")
			}
		case '(':
			if group >= 0 {
				return d, wrong(i, "a group in a group")
			}
			group, width = i, 0
		case ')':
			if group < 0 {
				return d, wrong(i, "no group has begun")
			}
			d.until = max(d.until, at)
			width = time.Duration(i-group+1) * tick
			group = -1
			at += width
			continue
		case '^':
			if anchor >= 0 {
				return d, wrong(i, "a second ^")
			}
			anchor = at
		case '!':
			d.unsubscribed = at
		case '|':
			add(mark{kind: reactor.KindComplete})
		case '#':
			add(mark{kind: reactor.KindError})
		default:
			if unicode.IsSpace(r) {
				return d, wrong(i, "only blanks may stand between the signs")
			}
			add(mark{kind: reactor.KindNext, name: r})
		}
		if group >= 0 {
			continue
		}
		if width > 0 {
			d.until = max(d.until, at)
		}
		at += width
	}
	if group >= 0 {
		return d, wrong(group, "the group has no end")
	}
	for i, m := range d.marks {
		if m.kind != reactor.KindNext && i < len(d.marks)-1 {
			return d, fmt.Errorf("the marbles %q go on after their end", text)
		}
	}
	if anchor > 0 {
		for i := range d.marks {
			d.marks[i].at -= anchor
		}
		d.until -= anchor
	}
	if anchor >= 0 {
		d.subscribed = anchor
	}
	return d, nil
}

// progression reads a duration such as "10ms" that stands by itself at runes[i:] and returns
// how many signs it has, 0 if there is none.
func progression(runes []rune, i int) (time.Duration, int) {
	if i > 0 && runes[i-1] != ' ' {
		return 0, 0
	}
	n := i
	for n < len(runes) && runes[n] != ' ' {
		n++
	}
	word := string(runes[i:n])
	if word == "" || word[0] < '0' || word[0] > '9' || !strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "m") && !strings.HasSuffix(word, "h") {
		return 0, 0
	}
	span, err := time.ParseDuration(word)
	if err != nil {
		return 0, 0
	}
	return span, n - i
}

// draw writes signals as a diagram, with the name of each. Signals that don't fall on a tick make
// it impossible, and so does a very long time.
func draw(marks []mark, tick time.Duration) (string, bool) {
	var b strings.Builder
	var at time.Duration
	for i := 0; i < len(marks); {
		m := marks[i]
		gap := m.at - at
		if gap < 0 || gap%tick != 0 || gap/tick > 200 {
			return "", false
		}
		b.WriteString(strings.Repeat("-", int(gap/tick)))
		j := i
		for j < len(marks) && marks[j].at == m.at {
			j++
		}
		if j-i > 1 {
			b.WriteByte('(')
		}
		for _, one := range marks[i:j] {
			switch one.kind {
			case reactor.KindComplete:
				b.WriteByte('|')
			case reactor.KindError:
				b.WriteByte('#')
			default:
				b.WriteRune(one.name)
			}
		}
		at = m.at + tick
		if j-i > 1 {
			b.WriteByte(')')
			at = m.at + time.Duration(j-i+2)*tick
		}
		i = j
	}
	return b.String(), true
}
