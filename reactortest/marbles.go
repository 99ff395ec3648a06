package reactortest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// ErrMarble is the error that # stands for.
var ErrMarble = errors.New("the error of the marbles")

// Values says which elements the letters of a diagram stand for.
type Values[T any] map[rune]T

// Tick sets how much time one sign of a diagram of [Marbles] stands for; by default 1 ms.
func Tick(d time.Duration) Option {
	if d <= 0 {
		panic("reactortest: Tick: " + d.String() + " is not positive")
	}
	return limited("Tick", func(c *config) { c.tick = d })
}

// Marbles tests pipelines by diagrams of their signals:
//
//	m := reactortest.NewMarbles(t)
//	src := m.Hot("--a-b-c-|")
//	m.ExpectMarbles(flux.From(src).Skip(1), "----b-c-|")
//	m.ExpectSubscriptions(src, "^-------!")
//	m.Run()
//
// Each sign is one tick (see [Tick]):
//
//	a      an element; any letter, digit or other sign, as [Values] says, or the sign itself
//	-      nothing happens
//	|      completion
//	#      the error [ErrMarble], or another one (see [MarbleSource.FailingWith]); where it is
//	       expected, any error
//	(ab|)  signals at the same time, that of the parenthesis; the signs take up their ticks all
//	       the same, so that diagrams below each other stay aligned
//	^      in a hot source: when the test begins; in a diagram of subscriptions: subscribed
//	!      in a diagram of subscriptions: cancelled, or ended
//	10ms   that much time, if it stands by itself between blanks
//
// Blanks take no time. [Marbles.Run] plays the whole test on a virtual clock.
type Marbles struct {
	t      testing.TB
	ctx    context.Context // that of the test does not end before the test has: Run may come late
	clock  *VirtualTime
	tick   time.Duration
	name   string
	format formatter

	start time.Time // of the play, or of what is set up for the next one
	begin []func()  // what happens when it is played
	hot   []func()  // likewise, behind begin: who subscribes at the tick of an element gets it
	check []func()  // what is checked afterwards
	until time.Duration
}

// NewMarbles returns a test with a virtual clock. Unless [OnClock] names a clock, it puts a new
// clock in the place of all schedulers for the duration of the test (see [UseVirtualTime]).
func NewMarbles(t testing.TB, opts ...Option) *Marbles {
	c := newConfig("NewMarbles", opts, "InitialRequest", "AllowUnderRequest", "Patience")
	if c.clock == nil {
		c.clock = UseVirtualTime(t)
	}
	if c.ctx == nil {
		c.ctx = context.WithoutCancel(t.Context()) // which ends before a Run at the end of the test
	}
	m := &Marbles{t: t, ctx: c.ctx, clock: c.clock, tick: c.tick, name: c.name, format: c.format, start: c.clock.Now()}
	t.Cleanup(m.Run)
	return m
}

// Clock returns the clock on which the test is played.
func (m *Marbles) Clock() *VirtualTime { return m.clock }

// Hot returns a source that sends the letters of the diagram, as strings, to its current
// subscribers. An expectation that subscribes at the tick of an element gets that element too.
// A subscriber that has not requested an element when it comes fails with reactor.ErrOverflow.
func (m *Marbles) Hot(marbles string) *MarbleSource[string] {
	m.t.Helper()
	return m.HotOf(marbles, letters(marbles))
}

// Cold returns a source that plays the diagram, its letters as strings, for each subscriber
// from the beginning. Elements that were not requested wait.
func (m *Marbles) Cold(marbles string) *MarbleSource[string] {
	m.t.Helper()
	return m.ColdOf(marbles, letters(marbles))
}

func letters(marbles string) Values[string] {
	v := Values[string]{}
	for _, r := range marbles {
		v[r] = string(r)
	}
	return v
}

// HotOf is Hot with elements of any type.
func (m *Marbles) HotOf[T any](marbles string, values Values[T]) *MarbleSource[T] {
	m.t.Helper()
	s := newMarbleSource(m, marbles, values)
	s.hot = NewTestPublisher[T](m.t)
	m.hot = append(m.hot, func() { s.play(s.hot) })
	return s
}

// ColdOf is Cold with elements of any type.
func (m *Marbles) ColdOf[T any](marbles string, values Values[T]) *MarbleSource[T] {
	m.t.Helper()
	return newMarbleSource(m, marbles, values)
}

// ExpectMarbles expects these signals of src, which is subscribed when the test begins and asked for
// everything. A diagram without an end is expected up to its last sign; then src is cancelled. Without
// values, elements are compared by what fmt.Sprint writes.
func (m *Marbles) ExpectMarbles[T any](src reactor.Publisher[T], marbles string, values ...Values[T]) {
	m.t.Helper()
	m.expect(src, "^", marbles, values)
}

// ExpectMarblesDuring is [Marbles.ExpectMarbles] for a subscription that begins and is
// cancelled as the diagram subscription says, for example "--^---!". Times count from the
// beginning of the test; a signal that a source of [Marbles] sends at the tick of the
// cancellation is not expected.
func (m *Marbles) ExpectMarblesDuring[T any](src reactor.Publisher[T], subscription, marbles string, values ...Values[T]) {
	m.t.Helper()
	m.expect(src, subscription, marbles, values)
}

func (m *Marbles) expect[T any](src reactor.Publisher[T], subscription, marbles string, values []Values[T]) {
	m.t.Helper()
	want, span := m.parse(marbles), m.parseStay(subscription)
	e := &marbleExpectation[T]{m: m, text: marbles, want: want, where: caller()}
	if len(values) > 0 {
		e.values = values[0]
	}
	end := span.unsubscribed
	if !want.terminated() && end == never {
		end = want.until + 1
	}
	m.until = max(m.until, want.until+m.tick, span.subscribed)
	if end != never {
		m.until = max(m.until, end)
	}
	m.begin = append(m.begin, func() {
		m.at(span.subscribed, func() { src.Subscribe(m.ctx, e) })
		if end != never {
			m.at(end, e.cancel)
		}
	})
	m.check = append(m.check, e.compare)
}

// ExpectSubscriptions expects that src was subscribed, and that these subscriptions were
// cancelled or ended, as the diagrams say: one diagram for each subscription, in their order.
func (m *Marbles) ExpectSubscriptions[T any](src *MarbleSource[T], subscriptions ...string) {
	m.t.Helper()
	where := caller()
	var want []stay
	for _, text := range subscriptions {
		d := m.parseStay(text)
		want = append(want, stay{d.subscribed, d.unsubscribed})
		m.until = max(m.until, d.until+m.tick)
	}
	m.check = append(m.check, func() {
		m.t.Helper()
		if got := src.subscriptions(); !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
			m.t.Errorf("reactortest: %smarbles of %s: the subscriptions of %q differ\n  expected  %s\n  got       %s",
				m.prefix(), where, src.text, m.drawStays(want), m.drawStays(got))
		}
	})
}

// Run plays the sources and expectations that were set up since the last Run, and reports what
// differs. At the end of the test it runs automatically.
func (m *Marbles) Run() {
	m.t.Helper()
	begin, check := append(m.begin, m.hot...), m.check
	m.begin, m.hot, m.check = nil, nil, nil
	if len(begin)+len(check) == 0 {
		return
	}
	m.start = m.clock.Now()
	// Within a task, so that nothing is due before all is set up.
	_ = m.clock.Execute(func(context.Context) {
		for _, fn := range begin {
			fn()
		}
	})
	m.clock.AdvanceBy(m.until + m.tick)
	m.until, m.start = 0, m.clock.Now()
	for _, fn := range check {
		fn()
	}
}

func (m *Marbles) prefix() string {
	if m.name == "" {
		return ""
	}
	return m.name + ": "
}

func (m *Marbles) parse(text string) diagram {
	m.t.Helper()
	d, err := parseMarbles(text, m.tick)
	if err != nil {
		m.t.Fatalf("reactortest: %s%v", m.prefix(), err)
	}
	return d
}

// parseStay reads a diagram of a subscription. One without a ^, or with a | in the place of the !, would pass for another one.
func (m *Marbles) parseStay(text string) diagram {
	m.t.Helper()
	d := m.parse(text)
	switch {
	case d.subscribed == never:
		m.t.Fatalf("reactortest: %sthe marbles %q are no subscription: there is no ^", m.prefix(), text)
	case len(d.marks) > 0:
		m.t.Fatalf("reactortest: %sthe marbles %q are no subscription: only ^ and ! may happen in one", m.prefix(), text)
	case d.unsubscribed < d.subscribed:
		m.t.Fatalf("reactortest: %sthe marbles %q are no subscription: the ! is before the ^", m.prefix(), text)
	}
	return d
}

// at calls fn when the clock has moved by d; now and in its turn if d is 0.
func (m *Marbles) at(d time.Duration, fn func()) {
	_, _ = m.clock.ScheduleAfter(func(context.Context) { fn() }, d)
}

func (m *Marbles) now() time.Duration { return m.clock.Now().Sub(m.start) }

func (d *diagram) terminated() bool {
	return len(d.marks) > 0 && d.marks[len(d.marks)-1].kind != reactor.KindNext
}

// stay is how long somebody was subscribed.
type stay struct{ from, to time.Duration }

func (m *Marbles) drawStays(list []stay) string {
	if len(list) == 0 {
		return "none"
	}
	var parts []string
	for _, s := range list {
		text := strings.Repeat("-", int(s.from/m.tick)) + "^"
		if s.to != never {
			if n := int((s.to-s.from)/m.tick) - 1; n >= 0 {
				text += strings.Repeat("-", n) + "!"
			} else {
				text = strings.Repeat("-", int(s.from/m.tick)) + "(^!)"
			}
		}
		parts = append(parts, fmt.Sprintf("%q", text))
	}
	return strings.Join(parts, ", ")
}

// MarbleSource is a publisher that plays a marble diagram.
type MarbleSource[T any] struct {
	op
	m     *Marbles
	text  string
	marks []mark
	items Values[T]
	err   error
	hot   *TestPublisher[T] // nil for a cold one

	mu    sync.Mutex
	stays []*stay // guarded by mu
}

func newMarbleSource[T any](m *Marbles, text string, values Values[T]) *MarbleSource[T] {
	m.t.Helper()
	d := m.parse(text)
	s := &MarbleSource[T]{op: op{}, m: m, text: text, items: values, err: ErrMarble}
	for _, k := range d.marks {
		if _, ok := values[k.name]; k.kind == reactor.KindNext && !ok {
			m.t.Fatalf("reactortest: %sthe marbles %q have a %q, for which there is no value", m.prefix(), text, k.name)
		}
		if k.at >= 0 { // what a hot source has sent before, nobody has heard
			s.marks = append(s.marks, k)
		}
	}
	m.until = max(m.until, d.until+m.tick)
	return s
}

// FailingWith sets the error that # stands for in the diagram of s, and returns s.
func (s *MarbleSource[T]) FailingWith(err error) *MarbleSource[T] {
	s.err = reactor.NonNil(err)
	return s
}

// play sends the signals to p in their time.
func (s *MarbleSource[T]) play(p *TestPublisher[T]) {
	for _, k := range s.marks {
		s.m.at(k.at, func() {
			switch k.kind {
			case reactor.KindNext:
				p.Next(s.items[k.name])
			case reactor.KindError:
				p.Error(s.err)
			default:
				p.Complete()
			}
		})
	}
}

// Subscribe implements reactor.Publisher.
func (s *MarbleSource[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	visit := &stay{s.m.now(), never}
	s.mu.Lock()
	s.stays = append(s.stays, visit)
	s.mu.Unlock()
	guest := &guest[T]{s: s, visit: visit, down: protocol.Strict(ctx, sub)}
	if s.hot != nil {
		s.hot.Subscribe(ctx, guest)
		return
	}
	p := NewColdTestPublisher[T](s.m.t)
	p.Subscribe(ctx, guest)
	s.play(p)
}

func (s *MarbleSource[T]) subscriptions() []stay {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []stay
	for _, v := range s.stays {
		out = append(out, *v)
	}
	return out
}

// guest is a subscriber of a source while it stays.
type guest[T any] struct {
	protocol.Inner
	s     *MarbleSource[T]
	visit *stay
	down  reactor.Subscriber[T]
	up    reactor.Subscription // set by OnSubscribe
}

func (g *guest[T]) leave() {
	now := g.s.m.now()
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	g.visit.to = min(g.visit.to, now)
}

func (g *guest[T]) OnSubscribe(up reactor.Subscription) {
	g.up = up
	g.down.OnSubscribe(g)
}

func (g *guest[T]) OnNext(v T) { g.down.OnNext(v) }

func (g *guest[T]) OnError(err error) {
	g.leave()
	g.down.OnError(err)
}

func (g *guest[T]) OnComplete() {
	g.leave()
	g.down.OnComplete()
}

func (g *guest[T]) Request(n int64) { g.up.Request(n) }

func (g *guest[T]) Cancel() {
	g.leave()
	g.up.Cancel()
}

// marbleExpectation is the subscriber of an expectation.
type marbleExpectation[T any] struct {
	m      *Marbles
	text   string
	want   diagram
	values Values[T]
	where  string

	mu   sync.Mutex
	up   reactor.Subscription // guarded by mu
	gone bool                 // guarded by mu
	got  []signal[T]          // guarded by mu
}

func (e *marbleExpectation[T]) OnSubscribe(up reactor.Subscription) {
	e.mu.Lock()
	e.up = up
	gone := e.gone
	e.mu.Unlock()
	if gone {
		up.Cancel()
		return
	}
	up.Request(reactor.Unbounded)
}

func (e *marbleExpectation[T]) cancel() {
	e.mu.Lock()
	e.gone = true
	up := e.up
	e.mu.Unlock()
	if up != nil {
		up.Cancel()
	}
}

func (e *marbleExpectation[T]) put(s signal[T]) {
	s.at, s.format = e.m.now(), e.m.format
	e.mu.Lock()
	e.got = append(e.got, s)
	enough := len(e.got) == len(e.want.marks)+mostHistory
	e.mu.Unlock()
	if enough { // it differs, and may go on for ever at one and the same time
		e.cancel()
	}
}

func (e *marbleExpectation[T]) OnNext(v T) { e.put(signal[T]{kind: reactor.KindNext, value: v}) }

func (e *marbleExpectation[T]) OnError(err error) {
	e.put(signal[T]{kind: reactor.KindError, err: err})
}

func (e *marbleExpectation[T]) OnComplete() { e.put(signal[T]{kind: reactor.KindComplete}) }

// is reports whether s is what k stands for.
func (e *marbleExpectation[T]) is(s signal[T], k mark) bool {
	if s.kind != k.kind || s.kind != reactor.KindNext {
		return s.kind == k.kind && (s.kind != reactor.KindError || s.err != nil) // §2.13
	}
	if e.values != nil {
		v, ok := e.values[k.name]
		return ok && reflect.DeepEqual(v, s.value)
	}
	return fmt.Sprint(s.value) == string(k.name)
}

// compare reports the first difference.
func (e *marbleExpectation[T]) compare() {
	e.m.t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range max(len(e.got), len(e.want.marks)) {
		switch {
		case i == len(e.got):
			e.report(e.want.marks[i].at, i)
		case i == len(e.want.marks) || e.got[i].at < e.want.marks[i].at:
			e.report(e.got[i].at, i)
		case e.got[i].at != e.want.marks[i].at || !e.is(e.got[i], e.want.marks[i]):
			e.report(e.want.marks[i].at, i)
		default:
			continue
		}
		return
	}
}

func (e *marbleExpectation[T]) report(at time.Duration, first int) {
	e.m.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "reactortest: %smarbles of %s differ at %v\n  expected  %s\n", e.m.prefix(), e.where, at, e.text)
	if got, ok := e.draw(); ok {
		fmt.Fprintf(&b, "  got       %s\n", got)
	}
	b.WriteString("the signals\n")
	for i, s := range e.got {
		arrow := "  "
		if i == first {
			arrow = "→ "
		}
		fmt.Fprintf(&b, "  %s%8v  %s\n", arrow, s.at, s)
	}
	if first == len(e.got) {
		b.WriteString("  → nothing more came\n")
	}
	e.m.t.Error(b.String())
}

// draw writes what came as a diagram, with a ? for elements that have no letter.
func (e *marbleExpectation[T]) draw() (string, bool) {
	marks := make([]mark, len(e.got))
	for i, s := range e.got {
		marks[i] = mark{at: s.at, kind: s.kind, name: '?'}
		if s.kind != reactor.KindNext {
			continue
		}
		if text := []rune(fmt.Sprint(s.value)); e.values == nil && len(text) == 1 {
			marks[i].name = text[0]
		}
		for name, v := range e.values {
			if reflect.DeepEqual(v, s.value) {
				marks[i].name = name
			}
		}
	}
	text, ok := draw(marks, e.m.tick)
	if n := e.want.until - e.lastAt(); ok && n > 0 && !strings.ContainsAny(text, "|#") && n/e.m.tick < 200 {
		text += strings.Repeat("-", int(n/e.m.tick))
	}
	return text, ok
}

func (e *marbleExpectation[T]) lastAt() time.Duration {
	if len(e.got) == 0 {
		return -e.m.tick
	}
	return e.got[len(e.got)-1].at
}
