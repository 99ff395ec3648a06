package stages

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// play is one stage in one scenario. Everything happens in a bubble: what hangs is
// found there, and a scenario may start goroutines of its own.
type play struct {
	t     *testing.T
	stage roster.Stage[int]
	clock *reactortest.VirtualTime
	src   *puppet[int]
	down  *watcher
	n     int // elements made

	mu           sync.Mutex
	discarded    []any
	dropped      []any
	lateFailures []error
}

func (p *play) make() int { p.n++; return p.n }

// next sends up to n elements as far as they are requested, and lets time pass.
func (p *play) next(n int) {
	for range n {
		if up := p.src.last(); up != nil {
			up.next(p.make)
		}
		p.pass()
	}
}

// end ends all subscriptions to the puppet.
func (p *play) end(err error) {
	p.src.mu.Lock()
	subs := slices.Clone(p.src.subs)
	p.src.mu.Unlock()
	for _, up := range subs {
		up.end(err)
	}
	p.pass()
}

// pass lets time pass, enough for every timer of the roster.
func (p *play) pass() {
	p.clock.AdvanceBy(time.Millisecond)
	synctest.Wait()
}

// ctx has hooks that keep what they are told.
func (p *play) ctx() context.Context {
	note := func(list *[]any) func(context.Context, any) {
		return func(_ context.Context, v any) {
			p.mu.Lock()
			defer p.mu.Unlock()
			*list = append(*list, v)
		}
	}
	return reactor.WithHooks(context.Background(), reactor.Hooks{
		Discard:     note(&p.discarded),
		NextDropped: note(&p.dropped),
		ErrorDropped: func(_ context.Context, err error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.lateFailures = append(p.lateFailures, err)
		},
	})
}

func (p *play) failures() []error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lateFailures)
}

// subscribe puts the stage on the puppet and subscribes.
func (p *play) subscribe(demand int64) {
	p.down.demand = demand
	p.stage.Build(p.clock, p.src).Subscribe(p.ctx(), p.down)
	p.pass()
}

// onNatural puts the stage on a source that guards its loop, as all sources of the
// module do, and subscribes: for what a puppet can't do, such as panics downstream.
func (p *play) onNatural(ctx context.Context, demand int64, s reactor.Subscriber[any]) {
	p.down.demand = demand
	src := operators.Hide(operators.Range(1, 10))
	p.stage.Build(p.clock, src).Subscribe(ctx, s)
	for range 12 {
		p.pass()
	}
}

// foreign hides that the watcher belongs to the module, so that it gets the strict
// edge that users' subscribers get.
type foreign struct{ reactor.Subscriber[any] }

func (p *play) got() []any {
	got, _, _, _ := p.down.state()
	return slices.Clone(got)
}

func (p *play) ended() bool {
	_, ended, _, _ := p.down.state()
	return ended
}

func (p *play) failure() error {
	_, _, _, err := p.down.state()
	return err
}

// quiet checks that nothing reaches the subscriber from here on.
func (p *play) quiet(what func()) {
	p.t.Helper()
	got, ended := len(p.got()), p.ended()
	what()
	p.pass()
	assert.Len(p.t, p.got(), got, "no element any more")
	assert.Equal(p.t, ended, p.ended(), "no end any more")
}

// scenario is a line of the table. Every stage must go through it without breaking a
// rule; check says what has to hold besides.
type scenario struct {
	name string
	run  func(p *play)
	// only restricts the scenario to some stages; nil means all.
	only func(roster.Traits) bool
}

func isWhole(t roster.Traits) bool { return t.Whole }
func isTimed(t roster.Traits) bool { return t.Timed }

var scenarios = slices.Concat(demandScenarios, cancelScenarios, endScenarios, lateScenarios, panicScenarios, contextScenarios, schedulerScenarios)

var demandScenarios = []scenario{
	{name: "nothing happens before a subscription", run: func(p *play) {
		p.stage.Build(p.clock, p.src)
		p.pass()
		assert.Nil(p.t, p.src.last())
		p.subscribe(0)
	}},
	{name: "no element without demand", run: func(p *play) {
		p.subscribe(0)
		p.next(5)
		assert.Empty(p.t, p.got())
	}},
	{name: "one requested", run: func(p *play) {
		p.subscribe(1)
		p.next(6)
		assert.LessOrEqual(p.t, len(p.got()), 1)
	}},
	{name: "everything requested", only: isWhole, run: func(p *play) {
		p.subscribe(reactor.Unbounded)
		p.next(7)
		p.end(nil)
		assert.Len(p.t, p.got(), 7)
		assert.True(p.t, p.ended())
	}},
	{name: "one at a time from OnNext", only: isWhole, run: func(p *play) {
		p.down.onNext = func(any) { p.down.request(1) }
		p.subscribe(1)
		p.next(7)
		p.end(nil)
		assert.Len(p.t, p.got(), 7)
		assert.True(p.t, p.ended())
	}},
	{name: "one at a time, later", only: isWhole, run: func(p *play) {
		p.subscribe(0)
		for range 7 {
			p.down.request(1)
			p.pass()
			p.next(1)
		}
		p.end(nil)
		for range 3 {
			p.down.request(1)
			p.pass()
		}
		assert.True(p.t, p.ended())
	}},
	{name: "everything from OnNext", only: isWhole, run: func(p *play) {
		p.down.onNext = func(any) { p.down.request(reactor.Unbounded) }
		p.subscribe(1)
		p.next(7)
		p.end(nil)
		assert.Len(p.t, p.got(), 7)
	}},
	{name: "sums beyond the largest number", only: isWhole, run: func(p *play) {
		p.down.onStart = func(up reactor.Subscription) {
			p.down.request(math.MaxInt64 - 1)
			p.down.request(math.MaxInt64 - 1)
			p.down.request(math.MaxInt64)
		}
		p.subscribe(1)
		p.next(5)
		p.end(nil)
		assert.Len(p.t, p.got(), 5)
		assert.NoError(p.t, p.failure())
	}},
	{name: "half of it and no more", run: func(p *play) {
		p.subscribe(3)
		p.next(6)
		assert.LessOrEqual(p.t, len(p.got()), 3)
		p.quiet(p.down.cancel)
	}},
	{name: "Request(0) is a violation", run: func(p *play) { p.badRequest(0) }},
	{name: "Request(-1) is a violation", run: func(p *play) { p.badRequest(-1) }},
	{name: "Request of the smallest number is a violation", run: func(p *play) { p.badRequest(math.MinInt64) }},
	{name: "two subscribers have a stream each", only: func(t roster.Traits) bool { return t.Whole && !t.Hot }, run: func(p *play) {
		pub := p.stage.Build(p.clock, operators.Hide(operators.Range(0, 5)))
		other := &watcher{demand: reactor.Unbounded}
		p.down.demand = reactor.Unbounded
		pub.Subscribe(p.ctx(), p.down)
		pub.Subscribe(p.ctx(), other)
		for range 8 {
			p.pass()
		}
		assert.Len(p.t, p.got(), 5)
		got, ended, faults, err := other.state()
		assert.Len(p.t, got, 5)
		assert.True(p.t, ended)
		assert.NoError(p.t, err)
		assert.Empty(p.t, faults)
	}},
}

// badRequest makes an illegal request, as a subscriber of somebody else.
func (p *play) badRequest(n int64) {
	p.onNatural(p.ctx(), 0, foreign{p.down})
	if p.ended() {
		return // without any demand
	}
	p.down.up.Request(n)
	p.pass()
	assert.True(p.t, p.ended(), "§3.9")
	assert.ErrorIs(p.t, p.failure(), reactor.ErrIllegalRequest, "§3.9")
}

var cancelScenarios = []scenario{
	{name: "cancelled in OnSubscribe", run: func(p *play) {
		p.down.onStart = func(reactor.Subscription) { p.down.cancel() }
		p.subscribe(0)
		p.quiet(func() { p.next(3); p.end(nil) })
		assert.Empty(p.t, p.got())
		assert.False(p.t, p.ended())
	}},
	{name: "cancelled in OnSubscribe after a request", run: func(p *play) {
		p.down.onStart = func(reactor.Subscription) { p.down.request(1); p.down.cancel() }
		p.subscribe(0)
		p.quiet(func() { p.next(3); p.end(nil) })
	}},
	{name: "cancelled at once after the subscription", run: func(p *play) {
		p.subscribe(0)
		p.quiet(func() { p.down.cancel(); p.next(3); p.end(nil) })
	}},
	{name: "cancelled with demand", run: func(p *play) {
		p.subscribe(10)
		p.next(2)
		p.quiet(func() { p.down.cancel(); p.next(3); p.end(nil) })
	}},
	{name: "cancelled in OnNext", run: func(p *play) {
		p.down.onNext = func(any) { p.down.cancel() }
		p.subscribe(reactor.Unbounded)
		p.next(5)
		p.end(nil)
		assert.LessOrEqual(p.t, len(p.got()), 1)
	}},
	{name: "cancelled in the third OnNext", run: func(p *play) {
		n := 0
		p.down.onNext = func(any) {
			if n++; n == 3 {
				p.down.cancel()
			}
		}
		p.subscribe(reactor.Unbounded)
		p.next(9)
		assert.LessOrEqual(p.t, len(p.got()), 3)
	}},
	{name: "cancelled in OnNext by a natural source", only: func(t roster.Traits) bool { return !t.Overruns }, run: func(p *play) {
		p.down.onNext = func(any) { p.down.cancel() }
		p.onNatural(p.ctx(), reactor.Unbounded, p.down)
		assert.LessOrEqual(p.t, len(p.got()), 1)
	}},
	{name: "cancelled at the end", run: func(p *play) {
		p.down.onEnd = func() { p.down.cancel() }
		p.subscribe(reactor.Unbounded)
		p.next(2)
		p.end(nil)
	}},
	{name: "cancelled many times", run: func(p *play) {
		p.subscribe(2)
		p.next(1)
		p.quiet(func() {
			for range 3 {
				p.down.cancel()
			}
		})
	}},
	{name: "cancelled after the end", run: func(p *play) {
		p.subscribe(reactor.Unbounded)
		p.next(2)
		p.end(nil)
		p.quiet(p.down.cancel)
	}},
	{name: "requested after the cancellation", run: func(p *play) {
		p.subscribe(1)
		p.down.cancel()
		p.quiet(func() { p.down.request(5); p.next(3); p.down.request(reactor.Unbounded) })
	}},
	{name: "requested after the end", run: func(p *play) {
		p.subscribe(reactor.Unbounded)
		p.end(nil)
		p.quiet(func() { p.down.request(5) })
	}},
	{name: "requested in OnComplete", run: func(p *play) {
		p.down.onEnd = func() { p.down.request(3) }
		p.subscribe(reactor.Unbounded)
		p.next(2)
		p.end(nil)
	}},
	{name: "cancelled while OnNext blocks", run: func(p *play) {
		release := make(chan struct{})
		once := sync.OnceFunc(func() { <-release })
		p.down.onNext = func(any) { once() }
		emitting := p.emit(reactor.Unbounded)
		p.down.cancel() // must return although OnNext has not
		close(release)
		emitting.Wait()
		p.pass()
	}},
	{name: "requested while OnNext blocks", run: func(p *play) {
		release := make(chan struct{})
		once := sync.OnceFunc(func() { <-release })
		p.down.onNext = func(any) { once() }
		emitting := p.emit(1)
		p.down.request(5) // must return although OnNext has not
		close(release)
		emitting.Wait()
		p.pass()
	}},
}

// emit subscribes and sends three elements, on another goroutine that may be held up
// there.
func (p *play) emit(demand int64) *sync.WaitGroup {
	p.down.demand = demand
	var emitting sync.WaitGroup
	emitting.Go(func() {
		p.stage.Build(p.clock, p.src).Subscribe(p.ctx(), p.down)
		p.clock.AdvanceBy(time.Millisecond)
		if up := p.src.last(); up != nil {
			for range 3 {
				up.next(p.make)
			}
		}
	})
	synctest.Wait()
	return &emitting
}

var endScenarios = []scenario{
	{name: "an empty source", run: func(p *play) {
		p.subscribe(reactor.Unbounded)
		p.end(nil)
		p.end(nil)
		assert.True(p.t, p.ended())
	}},
	{name: "an empty source without demand", run: func(p *play) {
		p.subscribe(0)
		p.end(nil)
		for range 4 {
			p.down.request(1)
			p.pass()
			p.end(nil) // each time it is repeated
		}
		assert.True(p.t, p.ended())
	}},
	{name: "fails at once", run: func(p *play) { p.failsAfter(0) }},
	{name: "fails after one", run: func(p *play) { p.failsAfter(1) }},
	{name: "fails after two", run: func(p *play) { p.failsAfter(2) }},
	{name: "fails after three", run: func(p *play) { p.failsAfter(3) }},
	{name: "fails after four", run: func(p *play) { p.failsAfter(4) }},
	{name: "fails without demand", run: func(p *play) {
		p.subscribe(0)
		p.end(errBoom)
		p.down.request(reactor.Unbounded)
		for range 4 {
			p.end(errBoom) // each time it is retried
		}
		assert.True(p.t, p.ended())
	}},
	{name: "completes while elements wait", run: func(p *play) {
		p.subscribe(1)
		p.next(4)
		p.end(nil)
		p.down.request(reactor.Unbounded)
		for range 6 {
			p.pass()
			p.end(nil) // each time it is repeated
		}
		assert.True(p.t, p.ended())
	}},
	{name: "completes in its request", run: func(p *play) {
		src := operators.Hide(operators.FromSlice([]int{1}))
		p.down.demand = reactor.Unbounded
		p.stage.Build(p.clock, src).Subscribe(p.ctx(), p.down)
		for range 6 {
			p.pass()
		}
		assert.True(p.t, p.ended())
	}},
	{name: "fails in its request", run: func(p *play) {
		p.down.demand = reactor.Unbounded
		p.stage.Build(p.clock, operators.ErrorOnRequest[int](errBoom)).Subscribe(p.ctx(), p.down)
		for range 6 {
			p.pass()
		}
		assert.True(p.t, p.ended())
	}},
	{name: "a source without demand", run: func(p *play) {
		p.stage.Build(p.clock, operators.Error[int](errBoom)).Subscribe(p.ctx(), p.down)
		p.pass()
		p.down.request(1)
		for range 4 {
			p.pass()
		}
		assert.True(p.t, p.ended())
	}},
	{name: "zero is an element", only: isWhole, run: func(p *play) {
		src := operators.FromSlice([]int{0, 0, 0})
		p.down.demand = reactor.Unbounded
		p.stage.Build(p.clock, src).Subscribe(p.ctx(), p.down)
		for range 6 {
			p.pass()
		}
		assert.Equal(p.t, []any{0, 0, 0}, p.got())
	}},
	{name: "ends on another goroutine than the request", run: func(p *play) {
		p.subscribe(reactor.Unbounded)
		var wg sync.WaitGroup
		wg.Go(func() { p.next(2); p.end(nil) })
		wg.Wait()
		p.end(nil)
		assert.True(p.t, p.ended())
	}},
}

// failsAfter lets the source fail after n elements, each time it is subscribed.
func (p *play) failsAfter(n int) {
	p.subscribe(reactor.Unbounded)
	for range 4 {
		p.next(n)
		p.end(errBoom)
	}
	assert.True(p.t, p.ended())
	if err := p.failure(); err != nil && !errors.Is(err, errBoom) {
		// What the stage says of too few or too many elements is fine as well.
		var op *reactor.OpError
		assert.True(p.t, errors.As(err, &op) || p.stage.MayFailWith(err), "%v", err)
	}
}

var lateScenarios = []scenario{
	{name: "an element after the completion", run: func(p *play) { p.late(nil, func(s reactor.Subscriber[int]) { s.OnNext(99) }) }},
	{name: "an element after the failure", run: func(p *play) { p.late(errBoom, func(s reactor.Subscriber[int]) { s.OnNext(99) }) }},
	{name: "a failure after the completion", run: func(p *play) { p.late(nil, func(s reactor.Subscriber[int]) { s.OnError(errLate) }) }},
	{name: "a failure after the failure", run: func(p *play) { p.late(errBoom, func(s reactor.Subscriber[int]) { s.OnError(errLate) }) }},
	{name: "a completion after the completion", run: func(p *play) { p.late(nil, func(s reactor.Subscriber[int]) { s.OnComplete() }) }},
	{name: "a completion after the failure", run: func(p *play) { p.late(errBoom, func(s reactor.Subscriber[int]) { s.OnComplete() }) }},
	{name: "an element after the cancellation", run: func(p *play) { p.lateAfterCancel(func(s reactor.Subscriber[int]) { s.OnNext(99) }) }},
	{name: "a failure after the cancellation", run: func(p *play) { p.lateAfterCancel(func(s reactor.Subscriber[int]) { s.OnError(errLate) }) }},
	{name: "a completion after the cancellation", run: func(p *play) { p.lateAfterCancel(func(s reactor.Subscriber[int]) { s.OnComplete() }) }},
}

var errLate = errors.New("late")

// misbehaving is a source that says more than it may, as somebody else's.
type misbehaving struct {
	say func(s reactor.Subscriber[int])
}

func (m misbehaving) Subscribe(_ context.Context, s reactor.Subscriber[int]) { m.say(s) }

type deaf struct{}

func (deaf) Request(int64) {}
func (deaf) Cancel()       {}

// late ends the source and sends a signal too much.
func (p *play) late(end error, signal func(reactor.Subscriber[int])) {
	p.down.demand = reactor.Unbounded
	src := misbehaving{func(s reactor.Subscriber[int]) {
		s.OnSubscribe(deaf{})
		if end != nil {
			s.OnError(end)
		} else {
			s.OnComplete()
		}
		signal(s)
	}}
	p.stage.Build(p.clock, src).Subscribe(p.ctx(), p.down)
	for range 6 {
		p.pass()
	}
	assert.NotContains(p.t, p.got(), any(99))
	assert.True(p.t, p.ended())
	assert.NotErrorIs(p.t, p.failure(), errLate)
}

// lateAfterCancel cancels and sends a signal.
func (p *play) lateAfterCancel(signal func(reactor.Subscriber[int])) {
	var s reactor.Subscriber[int]
	p.down.demand = 1
	p.stage.Build(p.clock, misbehaving{func(down reactor.Subscriber[int]) {
		s = down
		s.OnSubscribe(deaf{})
	}}).Subscribe(p.ctx(), foreign{p.down}) // §2.8: stages need not stop what a source goes on sending
	p.pass()
	p.down.cancel()
	p.quiet(func() {
		if s != nil {
			signal(s)
		}
	})
}

var panicScenarios = []scenario{
	{name: "OnNext panics", run: func(p *play) { p.panics(1, func() { panic(errBoom) }) }},
	{name: "the third OnNext panics", run: func(p *play) { p.panics(3, func() { panic(errBoom) }) }},
	{name: "OnNext ends its goroutine", run: func(p *play) { p.panics(1, runtime.Goexit) }},
	{name: "the third OnNext ends its goroutine", run: func(p *play) { p.panics(3, runtime.Goexit) }},
	{name: "OnNext of a subscriber of somebody else panics", run: func(p *play) {
		p.down.onNext = func(any) { panic(errBoom) }
		p.onNatural(p.ctx(), reactor.Unbounded, foreign{p.down})
		assert.LessOrEqual(p.t, len(p.got()), 1)
	}},
	{name: "OnSubscribe of a subscriber of somebody else panics", run: func(p *play) {
		p.down.onStart = func(reactor.Subscription) { panic(errBoom) }
		assert.NotPanics(p.t, func() { p.onNatural(p.ctx(), reactor.Unbounded, foreign{p.down}) })
		assert.Empty(p.t, p.got())
	}},
	{name: "the end panics", run: func(p *play) {
		p.down.onEnd = func() { panic(errBoom) }
		assert.NotPanics(p.t, func() { p.onNatural(p.ctx(), reactor.Unbounded, foreign{p.down}) })
		if p.ended() {
			assert.NotEmpty(p.t, p.failures(), "the panic is reported")
		}
	}},
	{name: "the source panics in Subscribe", run: func(p *play) {
		p.down.demand = reactor.Unbounded
		src := misbehaving{func(reactor.Subscriber[int]) { panic(errBoom) }}
		assert.NotPanics(p.t, func() { p.stage.Build(p.clock, src).Subscribe(p.ctx(), p.down) })
		for range 6 {
			p.pass()
		}
		assert.True(p.t, p.ended())
	}},
}

// panics lets the n-th OnNext fail.
func (p *play) panics(n int, fail func()) {
	count := 0
	p.down.onNext = func(any) {
		if count++; count == n {
			fail()
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.onNatural(p.ctx(), reactor.Unbounded, p.down)
	}()
	<-done
	for range 12 {
		p.pass()
	}
	if len(p.got()) < n {
		return // so many do not come
	}
	assert.Len(p.t, p.got(), n, "nothing after the failure")
	assert.True(p.t, p.ended())
	assert.Error(p.t, p.failure())
}

var contextScenarios = []scenario{
	{name: "the context has ended before", run: func(p *play) {
		ctx, cancel := context.WithCancelCause(p.ctx())
		cancel(errLate)
		p.onNatural(ctx, reactor.Unbounded, foreign{p.down})
		assert.Empty(p.t, p.got())
		assert.ErrorIs(p.t, p.failure(), errLate)
	}},
	{name: "the context ends without demand", run: func(p *play) {
		ctx, cancel := context.WithCancelCause(p.ctx())
		defer cancel(nil)
		p.down.demand = 0
		p.stage.Build(p.clock, operators.Never[int]()).Subscribe(ctx, foreign{p.down})
		p.pass()
		if p.ended() {
			return
		}
		cancel(errLate)
		p.pass()
		assert.ErrorIs(p.t, p.failure(), errLate)
	}},
	{name: "the context ends in OnNext", run: func(p *play) {
		ctx, cancel := context.WithCancelCause(p.ctx())
		defer cancel(nil)
		p.down.onNext = func(any) { cancel(errLate) }
		p.stage.Build(p.clock, operators.ConcatWith(operators.Range(1, 3), operators.Never[int]())).Subscribe(ctx, foreign{p.down})
		p.pass()
		p.down.request(1)
		for range 6 {
			p.pass()
		}
		if len(p.got()) > 0 {
			assert.True(p.t, p.ended())
		}
	}},
	{name: "the context ends after the end", run: func(p *play) {
		ctx, cancel := context.WithCancelCause(p.ctx())
		p.onNatural(ctx, reactor.Unbounded, foreign{p.down})
		for range 6 {
			p.pass()
		}
		p.quiet(func() { cancel(errLate) })
	}},
	{name: "the context ends after the cancellation", run: func(p *play) {
		ctx, cancel := context.WithCancelCause(p.ctx())
		p.onNatural(ctx, 1, foreign{p.down})
		p.down.cancel()
		p.pass()
		p.quiet(func() { cancel(errLate) })
	}},
}

// refusing is a scheduler that refuses everything after the first few tasks.
type refusing struct {
	*reactortest.VirtualTime
	left int
}

func (r *refusing) refuse() bool { r.left--; return r.left < 0 }

func (r *refusing) Execute(task schedulers.Task) error {
	if r.refuse() {
		return schedulers.ErrUnavailable
	}
	return r.VirtualTime.Execute(task)
}

func (r *refusing) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	if r.refuse() {
		return nil, schedulers.ErrUnavailable
	}
	return r.VirtualTime.Schedule(task)
}

func (r *refusing) ScheduleAfter(task schedulers.Task, d time.Duration) (schedulers.Disposable, error) {
	if r.refuse() {
		return nil, schedulers.ErrUnavailable
	}
	return r.VirtualTime.ScheduleAfter(task, d)
}

func (r *refusing) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	if r.refuse() {
		return nil, schedulers.ErrUnavailable
	}
	return r.VirtualTime.SchedulePeriodically(task, initial, period, opts...)
}

func (r *refusing) NewWorker() schedulers.Worker {
	return &refusingWorker{r.VirtualTime.NewWorker(), r}
}

type refusingWorker struct {
	schedulers.Worker
	r *refusing
}

func (w *refusingWorker) Execute(task schedulers.Task) error {
	if w.r.refuse() {
		return schedulers.ErrUnavailable
	}
	return w.Worker.Execute(task)
}

func (w *refusingWorker) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	if w.r.refuse() {
		return nil, schedulers.ErrUnavailable
	}
	return w.Worker.Schedule(task)
}

func (w *refusingWorker) ScheduleAfter(task schedulers.Task, d time.Duration) (schedulers.Disposable, error) {
	if w.r.refuse() {
		return nil, schedulers.ErrUnavailable
	}
	return w.Worker.ScheduleAfter(task, d)
}

func (w *refusingWorker) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	if w.r.refuse() {
		return nil, schedulers.ErrUnavailable
	}
	return w.Worker.SchedulePeriodically(task, initial, period, opts...)
}

var schedulerScenarios = []scenario{
	{name: "the scheduler refuses", only: isTimed, run: func(p *play) { p.refused(0) }},
	{name: "the scheduler refuses the second task", only: isTimed, run: func(p *play) { p.refused(1) }},
	{name: "the scheduler refuses the third task", only: isTimed, run: func(p *play) { p.refused(2) }},
	{name: "the scheduler refuses the fifth task", only: isTimed, run: func(p *play) { p.refused(4) }},
	{name: "cancelled while a task waits", only: isTimed, run: func(p *play) {
		p.down.demand = reactor.Unbounded
		p.stage.Build(p.clock, operators.Hide(operators.Range(0, 3))).Subscribe(p.ctx(), p.down)
		p.quiet(p.down.cancel)
		assert.Zero(p.t, p.clock.Pending())
	}},
}

// refused lets the scheduler refuse everything after some tasks: the stream ends, one
// way or the other.
func (p *play) refused(after int) {
	p.down.demand = reactor.Unbounded
	s := &refusing{VirtualTime: p.clock, left: after}
	p.stage.Build(s, operators.Hide(operators.Range(0, 9))).Subscribe(p.ctx(), p.down)
	for range 12 {
		p.pass()
	}
	if s.left < 0 {
		assert.True(p.t, p.ended(), "ended after a refusal")
	}
}

// atMostOne lets a stage of at most one element have sources of many.
func atMostOne(build func(schedulers.Scheduler, reactor.Publisher[int]) reactor.Publisher[any]) func(schedulers.Scheduler, reactor.Publisher[int]) reactor.Publisher[any] {
	return func(s schedulers.Scheduler, src reactor.Publisher[int]) reactor.Publisher[any] {
		switch src.(type) {
		case *puppet[int], misbehaving:
		default:
			src = operators.Next(src)
		}
		return build(s, src)
	}
}

// TestScenarios runs the table: every stage, every scenario.
func TestScenarios(t *testing.T) {
	assert.GreaterOrEqual(t, len(scenarios), 40)
	for _, stage := range roster.Stages[int]() {
		if stage.Single {
			stage.Build = atMostOne(stage.Build)
		}
		t.Run(stage.Name, func(t *testing.T) {
			for _, s := range scenarios {
				if s.only != nil && !s.only(stage.Traits) {
					continue
				}
				t.Run(s.name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						p := &play{t: t, stage: stage, clock: reactortest.NewVirtualTime(), src: &puppet[int]{single: stage.Single}, down: &watcher{}}
						s.run(p)
						p.down.cancel()
						p.clock.AdvanceBy(time.Hour)
						synctest.Wait()
						_, _, faults, _ := p.down.state()
						assert.Empty(t, faults)
						for _, up := range p.src.subs {
							assert.Zero(t, up.bad.Load(), "§3.9")
							if !up.ended && !stage.Hot {
								assert.Positive(t, up.cancels.Load(), "the source is cancelled or has ended")
							}
						}
						assert.Zero(t, p.clock.Pending(), "tasks left behind")
					})
				})
			}
		})
	}
}
