package marbles

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/reactortest"
)

// named is the error that # with a name stands for; errMarble is the one without.
type named string

func (e named) Error() string { return "#" + string(e) }

const errMarble = named("")

// sources are the streams of a diagram, as a row gets them.
type sources struct {
	t     *testing.T
	clock *reactortest.VirtualTime
	start time.Time
	lines picture
	used  map[string]bool
	check []func() // at the end

	mu    sync.Mutex
	wrong []string // guarded by mu
}

// wrongf notes what differs from the picture.
func (s *sources) wrongf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}

// now returns the column that the clock has reached.
func (s *sources) now() int { return int(s.clock.Now().Sub(s.start) / time.Millisecond) }

// at calls fn when the clock reaches a column.
func (s *sources) at(column int, fn func()) {
	_, err := s.clock.ScheduleAfter(func(context.Context) { fn() }, time.Duration(column-s.now())*time.Millisecond)
	must(s.t, err)
}

// of returns the stream with the label, its texts made elements by value.
func (s *sources) of[T any](label string, value func(text string) T) reactor.Publisher[T] {
	label = s.known(label)
	list := s.lines[label]
	if len(list) == 0 {
		s.t.Fatalf("no line %q", label)
	}
	s.used[label] = true
	src := &source[T]{s: s, label: label, lines: list, value: value}
	s.check = append(s.check, src.compare)
	return src
}

// known returns the label of the diagram for one of a row: what flux calls f and mono m is src in operators.
func (s *sources) known(label string) string {
	for _, other := range synonyms[label] {
		if len(s.lines[label]) == 0 && len(s.lines[other]) > 0 {
			label = other
		}
	}
	return label
}

var synonyms = map[string][]string{"f": {"src", "a"}, "m": {"src", "a"}, "p": {"src"}, "c": {"src"}, "other": {"b"}}

// ints returns the stream with the label as one of numbers. What is no number is -1.
func (s *sources) ints(label string) reactor.Publisher[int] { return s.of(label, number) }

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// texts returns the stream with the label as it is written.
func (s *sources) texts(label string) reactor.Publisher[string] {
	return s.of(label, func(text string) string { return text })
}

// source is a cold stream that plays a line, another one for each subscription if there are several.
type source[T any] struct {
	s     *sources
	label string
	lines []line
	value func(string) T

	mu   sync.Mutex
	came []int  // guarded by mu: the columns at which it was subscribed
	left []mark // guarded by mu: the cancellations
}

func (p *source[T]) Subscribe(ctx context.Context, down reactor.Subscriber[T]) {
	p.mu.Lock()
	turn := len(p.came)
	p.came = append(p.came, p.s.now())
	p.mu.Unlock()
	l := p.lines[min(turn, len(p.lines)-1)]

	cold := reactortest.NewColdTestPublisher[T](p.s.t)
	cold.Subscribe(ctx, &watched[T]{protocol.Strict(ctx, down), func() { p.cancelled(turn) }, nil})
	for _, m := range l.marks {
		p.s.at(p.s.now()+m.at-l.begin, func() {
			switch {
			case m.text == "X":
			case m.text == "|":
				cold.Complete()
			case m.ends():
				cold.Error(named(m.text[1:]))
			default:
				cold.Next(p.value(m.text))
			}
		})
	}
}

func (p *source[T]) cancelled(turn int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = append(p.left, mark{p.s.now(), strconv.Itoa(turn)})
}

// compare checks when the stream was subscribed, and that it was cancelled where the picture says so.
func (p *source[T]) compare() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.came) < len(p.lines) {
		p.s.wrongf("%s was subscribed at %v, the picture has %v", p.label, p.came, p.lines)
		return
	}
	for i, l := range p.lines {
		if (i > 0 || l.begin > 0) && apart(l.begin, p.came[i]) > off {
			p.s.wrongf("%s was subscribed at %v, the picture has %v", p.label, p.came, l)
		}
		if n := len(l.marks); n > 0 && l.marks[n-1].text == "X" && !p.leftAt(i, l.marks[n-1].at) {
			p.s.wrongf("%s was cancelled at %v, the picture has %v", p.label, p.left, l.marks[n-1])
		}
	}
}

func apart(a, b int) int { return max(a-b, b-a) }

func (p *source[T]) leftAt(turn, column int) bool {
	for _, m := range p.left {
		if m.text == strconv.Itoa(turn) && apart(m.at, column) <= off {
			return true
		}
	}
	return false
}

// watched tells of a cancellation.
type watched[T any] struct {
	reactor.Subscriber[T]
	cancelled func()
	up        reactor.Subscription
}

func (w *watched[T]) OnSubscribe(up reactor.Subscription) {
	w.up = up
	w.Subscriber.OnSubscribe(w)
}

func (w *watched[T]) Request(n int64) { w.up.Request(n) }

func (w *watched[T]) Cancel() {
	w.cancelled()
	w.up.Cancel()
}

// recorder notes what comes, and when. Elements that are streams are subscribed at once.
type recorder struct {
	s      *sources
	want   line
	demand []mark
	got    []mark
	inner  map[string]*recorder // by their names in the picture
	up     reactor.Subscription
}

func (r *recorder) note(text string) { r.got = append(r.got, mark{r.s.now(), text}) }

func (r *recorder) OnSubscribe(up reactor.Subscription) {
	r.up = up
	for _, m := range r.demand {
		n, err := strconv.ParseInt(m.text, 10, 64)
		must(r.s.t, err)
		if m.at <= r.s.now() {
			up.Request(n)
		} else {
			r.s.at(m.at, func() { up.Request(n) })
		}
	}
	if len(r.demand) == 0 {
		up.Request(reactor.Unbounded)
	}
}

// cancel does what X says.
func (r *recorder) cancel() {
	r.note("X")
	r.up.Cancel()
}

func (r *recorder) OnNext(v any) {
	p, ok := v.(stream)
	if !ok {
		r.note(strings.ReplaceAll(fmt.Sprint(v), "map[", "["))
		return
	}
	name := "?"
	if i := len(r.got); i < len(r.want.marks) {
		name = r.want.marks[i].text
	}
	r.note(name)
	in := &recorder{s: r.s}
	r.inner[name] = in
	p.Subscribe(r.s.t.Context(), in)
}

func (r *recorder) OnError(err error) {
	if n, ok := err.(named); ok {
		r.note(n.Error())
	} else {
		r.note("#")
	}
}

func (r *recorder) OnComplete() { r.note("|") }

// stream is an element that is a stream; a row makes its elements boxed.
type stream struct{ reactor.Publisher[any] }
