package vectors_test

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/vectors"
	"github.com/goreactor/reactor/reactortest"
)

// A feature is a program that was run with the original (reactor-core 3.8.0, under virtual
// time) in the six situations below, and is run here in the same ones. want has a line for each:
// the signals, the marks that functions left, and "cancel" where the source was cancelled before
// its end, all in order. A stream that has not ended after 100 ms is "open". Where this library
// does otherwise, here has the lines that differ, and why the reason.
//
// What is discarded is not compared: the original forgets the element whose function fails.
type feature struct {
	name string
	make func(in *input) run
	want string
	here string
	why  string
	// tick is a hundredth of the time that a run has; 0: 1 ms.
	tick time.Duration
	// forms are other ways to write the program, which have to do the same.
	forms map[string]func(in *input) run
}

// situation is what befalls a program.
type situation string

const (
	plain    situation = "plain"  // 1 to 5 and the end, all requested at once
	oneByOne situation = "ones"   // the same, one requested at a time
	failing  situation = "error"  // 1 to 3, then an error
	leaving  situation = "cancel" // 1 to 5; the reader cancels at the second element
	nothing  situation = "empty"  // the end
	panicked situation = "panic"  // 1 to 5; the function of the program panics at 3
)

var situations = []situation{plain, oneByOne, failing, leaving, nothing, panicked}

const (
	errBoom  = vectors.Boom("boom")
	errOther = vectors.Boom("other")
)

// input is what a program is made of.
type input struct {
	book
	how    situation
	called bool
	clock  *reactortest.VirtualTime
}

// book is what happens to one program.
type book struct {
	lines, discarded []string
	closed           bool
}

// much is more than any program here does.
const much = 200

func (b *book) note(args ...any) {
	if b.closed {
		return
	}
	if len(b.lines) > much {
		panic("does not end")
	}
	line := ""
	for _, a := range args {
		line += text(a)
	}
	b.lines = append(b.lines, line)
}

func (b *book) noting(line string) func() { return func() { b.note(line) } }

func (b *book) discard(_ context.Context, v any) {
	if _, nested := v.(reactor.Discardable); !nested && !b.closed {
		b.discarded = append(b.discarded, text(v))
	}
}

func (b *book) String() string {
	all := slices.Clone(b.lines)
	if len(b.discarded) > 0 {
		all = append(append(all, "/"), slices.Sorted(slices.Values(b.discarded))...)
	}
	return strings.Join(all, " ")
}

func text(v any) string {
	if err, ok := v.(error); ok {
		return strings.ReplaceAll(vectors.Kind(err), "boom:", "")
	}
	if n, ok := v.(int64); ok && n == reactor.Unbounded {
		return "all"
	}
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer {
		return fmt.Sprint(p.Elem())
	}
	return fmt.Sprint(v)
}

// fn is the function of a program: the identity, unless it is to fail.
func (in *input) fn(v int) int {
	in.called = true
	if in.how == panicked && v == 3 {
		panic(errBoom)
	}
	return v
}

// try is fn for functions that return errors.
func (in *input) try(v int) (int, error) {
	in.called = true
	if in.how == panicked && v == 3 {
		return 0, errBoom
	}
	return v, nil
}

func (in *input) src() flux.Flux[int] {
	switch in.how {
	case failing:
		return in.watch(flux.Concat[int](flux.Range(1, 3), flux.Error[int](errBoom)))
	case nothing:
		return in.watch(flux.Empty[int]())
	default:
		return in.watch(flux.Range(1, 5))
	}
}

// timed is src with 2 ms before each signal.
func (in *input) timed() flux.Flux[int] {
	d := 2 * time.Millisecond
	later := func(n int) flux.Flux[int] { return flux.Range(1, n).DelayElements(d, in.on()) }
	switch in.how {
	case failing:
		return in.watch(flux.Concat[int](later(3), flux.Error[int](errBoom).DelaySubscriptionFor(d, in.on())))
	case nothing:
		return in.watch(flux.Empty[int]().DelaySubscriptionFor(d, in.on()))
	default:
		return in.watch(later(5))
	}
}

// one is 3, or an error, or nothing.
func (in *input) one() mono.Mono[int] {
	switch in.how {
	case failing:
		return mono.FromDirect[int](in.watch(flux.Error[int](errBoom)))
	case nothing:
		return mono.FromDirect[int](in.watch(flux.Empty[int]()))
	default:
		return mono.FromDirect[int](in.watch(flux.Just(3)))
	}
}

func (in *input) on() operators.SchedulerOption { return flux.On(in.clock) }

func (in *input) interval(ms int) flux.Flux[int64] { return flux.Interval(millis(ms), in.on()) }
func (in *input) delay(ms int) mono.Mono[int64]    { return mono.Delay(millis(ms), in.on()) }

func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// watch passes everything on and leaves a mark where a source is cancelled that has not ended.
func (in *input) watch(f flux.Flux[int]) flux.Flux[int] {
	return flux.From[int](&watched{in: in, src: f.Source()})
}

type watched struct {
	protocol.Op
	in  *input
	src reactor.Publisher[int]
}

func (w *watched) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	w.src.Subscribe(ctx, &watchedSubscriber{in: w.in, down: protocol.Strict(ctx, s)})
}

type watchedSubscriber struct {
	protocol.Inner
	in      *input
	down    reactor.Subscriber[int]
	up      reactor.Subscription
	over    bool
	calling bool
}

func (s *watchedSubscriber) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *watchedSubscriber) OnNext(v int) {
	s.calling = true
	s.down.OnNext(v)
	s.calling = false
}

func (s *watchedSubscriber) OnError(err error) {
	if s.calling && !s.over {
		// A function downstream panicked: where an operator of the original cancels, the
		// source's own guard has stopped it.
		s.in.note("cancel")
	}
	s.over = true
	s.down.OnError(err)
}

func (s *watchedSubscriber) OnComplete() {
	s.over = true
	s.down.OnComplete()
}

func (s *watchedSubscriber) Request(n int64) { s.up.Request(n) }

func (s *watchedSubscriber) Cancel() {
	if !s.over {
		s.over = true
		s.in.note("cancel")
	}
	s.up.Cancel()
}

// run subscribes a program.
type run func(ctx context.Context, in *input, demand int64) *outlook

// outlook is the reader as the driver sees it.
type outlook struct {
	over bool
	up   reactor.Subscription
}

// of is a program whose result is p.
func of[T any](p reactor.Publisher[T]) run {
	return func(ctx context.Context, in *input, demand int64) *outlook {
		r := &viewer[T]{in: in, demand: demand}
		p.Subscribe(ctx, r)
		return &r.outlook
	}
}

// viewer is the subscriber of a program.
type viewer[T any] struct {
	outlook
	in     *input
	demand int64
	n      int
}

func (r *viewer[T]) OnSubscribe(up reactor.Subscription) {
	r.up = up
	switch {
	case r.in.how == oneByOne:
		up.Request(1)
	case r.demand > 0:
		up.Request(r.demand)
	}
}

func (r *viewer[T]) OnNext(v T) {
	r.in.note(v)
	r.n++
	switch {
	case r.in.how == leaving && r.n == 2:
		r.over = true
		r.up.Cancel()
	case r.in.how == oneByOne:
		r.up.Request(1)
	}
}

func (r *viewer[T]) OnError(err error) {
	r.over = true
	r.in.note("error ", err)
}

func (r *viewer[T]) OnComplete() {
	r.over = true
	r.in.note("done")
}

// play runs a program for 100 ticks and returns what happened.
func play(how situation, demand int64, tick time.Duration, program func(in *input) run) *input {
	in := &input{how: how, clock: reactortest.NewVirtualTime()}
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
		NextDropped:  func(_ context.Context, v any) { in.note("late ", v) },
		ErrorDropped: func(_ context.Context, err error) { in.note("dropped ", err) },
		Discard:      in.discard,
	})
	r := program(in)(ctx, in, demand)
	for range 100 {
		in.clock.AdvanceBy(tick)
	}
	if !r.over {
		in.note("open")
	}
	in.closed = true
	if !r.over && r.up != nil {
		r.up.Cancel()
	}
	return in
}

// TestSituations runs the features.
func TestSituations(t *testing.T) {
	for _, f := range features() {
		t.Run(f.name, func(t *testing.T) {
			want := answers(t, f.want)
			if f.here != "" {
				assert.NotEmpty(t, f.why)
				for how, line := range answers(t, f.here) {
					assert.Contains(t, want, how)
					assert.NotEqual(t, want[how], line, "no deviation: %s", how)
					want[how] = line
				}
			} else {
				assert.Empty(t, f.why)
			}
			f.check(t, "", f.make, want)
			for name, form := range f.forms {
				f.check(t, name, form, want)
			}
		})
	}
}

func (f feature) check(t *testing.T, form string, program func(in *input) run, want map[situation]string) {
	called := false
	for _, how := range situations {
		if how == panicked && !called {
			assert.NotContains(t, want, how, "no function of the program is called")
			continue
		}
		in := play(how, reactor.Unbounded, cmp.Or(f.tick, time.Millisecond), program)
		called = called || in.called
		assert.Equal(t, want[how], strings.Join(in.lines, " "), strings.TrimSpace(string(how)+" "+form))
	}
}

// answers reads lines of situation and answer.
func answers(t *testing.T, lines string) map[situation]string {
	found := map[situation]string{}
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		how, answer, ok := strings.Cut(strings.TrimSpace(line), ": ")
		assert.True(t, ok, line)
		assert.Contains(t, situations, situation(how), line)
		found[situation(how)] = answer
	}
	return found
}

// single is a program that is run in one situation of its own.
type single struct {
	name   string
	demand int64 // 0: unbounded; -1: none
	make   func(in *input) run
	want   string
	here   string // if it differs
	why    string
}

// TestSingles runs the programs that have a situation of their own.
func TestSingles(t *testing.T) {
	for _, c := range singles() {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if c.here != "" {
				assert.NotEmpty(t, c.why)
				assert.NotEqual(t, c.want, c.here, "no deviation")
				want = c.here
			} else {
				assert.Empty(t, c.why)
			}
			in := play(plain, max(cmp.Or(c.demand, reactor.Unbounded), 0), time.Millisecond, c.make)
			assert.Equal(t, want, strings.Join(in.lines, " "), c.why)
		})
	}
}
