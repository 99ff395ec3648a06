package protocol

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// queueing is a stage with a queue, for tests on one goroutine.
type queueing struct {
	Inner
	Sender[int]
	out    Outlet
	queued []int
	before func() // called at the beginning of a pass
	stops  int
	drops  int
}

func newQueueing(ctx context.Context, down reactor.Subscriber[int]) *queueing {
	return newQueueingIn(ctx, down, false)
}

func newQueueingIn(ctx context.Context, down reactor.Subscriber[int], runs bool) *queueing {
	s := &queueing{}
	s.out.InRuns = runs
	s.Attach(&s.out, ctx, down, s)
	s.out.Begin()
	return s
}

func (s *queueing) offer(v ...int) {
	s.queued = append(s.queued, v...)
	s.out.Run()
}

func (s *queueing) Flow() {
	if fn := s.before; fn != nil {
		s.before = nil
		fn()
	}
	for s.out.Open() && s.out.Demand() > 0 && len(s.queued) > 0 {
		v := s.queued[0]
		s.queued = s.queued[1:]
		if s.out.InRuns {
			s.out.Sending()
		}
		s.InFlight.Send(s.PushDown, v)
		s.out.Produced(1)
	}
}

func (s *queueing) Dry() bool { return len(s.queued) == 0 }
func (s *queueing) Stop()     { s.stops++ }

func (s *queueing) Drop() {
	s.drops++
	for _, v := range s.queued {
		s.Discard(v)
	}
	s.queued = nil
}

// receiver records what arrives.
type receiver struct {
	Inner
	sub      reactor.Subscription
	ask      int64
	onNext   func(int)
	onError  func()
	values   []int
	errs     []error
	complete int
}

func (r *receiver) OnSubscribe(sub reactor.Subscription) {
	r.sub = sub
	if r.ask > 0 {
		sub.Request(r.ask)
	}
}

func (r *receiver) OnNext(v int) {
	r.values = append(r.values, v)
	if r.onNext != nil {
		r.onNext(v)
	}
}

func (r *receiver) OnError(err error) {
	r.errs = append(r.errs, err)
	if r.onError != nil {
		r.onError()
	}
}

func (r *receiver) OnComplete() { r.complete++ }

func TestOutletDemand(t *testing.T) {
	r := &receiver{}
	s := newQueueing(context.Background(), r)
	s.offer(1, 2, 3)
	assert.Empty(t, r.values)
	r.sub.Request(2)
	assert.Equal(t, []int{1, 2}, r.values)
	assert.EqualValues(t, 0, s.out.Demand())
	s.out.End(nil)
	assert.Zero(t, r.complete, "what waits comes before the end")
	r.sub.Request(1)
	assert.Equal(t, []int{1, 2, 3}, r.values)
	assert.Equal(t, 1, r.complete)
	assert.Zero(t, s.stops, "a source that has ended is left alone (§2.3)")
}

func TestOutletUnboundedDemand(t *testing.T) {
	r := &receiver{ask: reactor.Unbounded}
	s := newQueueing(context.Background(), r)
	s.offer(1, 2)
	assert.Equal(t, reactor.Unbounded, s.out.Demand())
}

func TestOutletCancel(t *testing.T) {
	ctx, f := capture()
	r := &receiver{}
	s := newQueueing(ctx, r)
	s.offer(1)
	r.sub.Cancel()
	r.sub.Cancel()
	assert.Equal(t, 1, s.stops)
	assert.Equal(t, []any{1}, f.discarded)
	s.offer(2)
	assert.Equal(t, []any{1, 2}, f.discarded, "what has come after the end")
	assert.False(t, s.out.Fail(assert.AnError))
	assert.Equal(t, []error{assert.AnError}, f.errs)
	s.out.End(nil)
	assert.Empty(t, r.errs)
	assert.Zero(t, r.complete)
}

func TestOutletErrorOfTheSource(t *testing.T) {
	for _, eager := range []bool{false, true} {
		ctx, f := capture()
		r := &receiver{}
		s := newQueueing(ctx, r)
		s.out.EagerErrors = eager
		s.offer(1)
		s.out.End(assert.AnError)
		if eager {
			assert.Equal(t, []any{1}, f.discarded)
		} else {
			assert.Empty(t, r.errs)
			r.sub.Request(1)
			assert.Equal(t, []int{1}, r.values)
		}
		assert.Equal(t, []error{assert.AnError}, r.errs)
		assert.Zero(t, s.stops)
		late := errors.New("late")
		s.out.End(late)
		assert.Equal(t, []error{late}, f.errs)
	}
}

func TestOutletFail(t *testing.T) {
	ctx, f := capture()
	r := &receiver{}
	s := newQueueing(ctx, r)
	s.offer(1)
	assert.True(t, s.out.Fail(assert.AnError))
	assert.Equal(t, []any{1}, f.discarded)
	assert.Equal(t, []error{assert.AnError}, r.errs)
	assert.Equal(t, 1, s.stops)
	late := errors.New("late")
	assert.False(t, s.out.Fail(late))
	s.out.End(late)
	assert.Equal(t, []error{late, late}, f.errs)
	assert.Len(t, r.errs, 1)
}

func TestOutletDelayErrors(t *testing.T) {
	r := &receiver{ask: 1}
	s := newQueueing(context.Background(), r)
	s.out.DelayErrors = true
	assert.True(t, s.out.Fail(assert.AnError))
	s.offer(1)
	assert.Equal(t, []int{1}, r.values)
	other := errors.New("other")
	s.out.End(other)
	require.Len(t, r.errs, 1)
	assert.ErrorIs(t, r.errs[0], assert.AnError)
	assert.ErrorIs(t, r.errs[0], other)
	assert.Zero(t, s.stops)
}

// Of two errors the one that does not wait goes down.
func TestOutletFailOvertakesTheSource(t *testing.T) {
	ctx, f := capture()
	r := &receiver{}
	s := newQueueing(ctx, r)
	s.offer(1)
	late := errors.New("late")
	s.out.End(late)
	s.out.Fail(assert.AnError)
	assert.Equal(t, []error{assert.AnError}, r.errs)
	assert.Equal(t, []error{late}, f.errs)
}

func TestOutletComplete(t *testing.T) {
	ctx, f := capture()
	r := &receiver{}
	s := newQueueing(ctx, r)
	s.offer(1)
	s.out.Complete()
	s.out.Complete()
	assert.Equal(t, []any{1}, f.discarded)
	assert.Equal(t, 1, r.complete)
	assert.Equal(t, 1, s.stops)
}

// The last element comes before the end, although it was offered while the owner looked.
func TestOutletLooksAtTheQueueLast(t *testing.T) {
	r := &receiver{ask: reactor.Unbounded}
	s := newQueueing(context.Background(), r)
	s.before = func() {
		s.offer(1)
		s.out.End(nil)
	}
	s.out.Run()
	assert.Equal(t, []int{1}, r.values)
	assert.Equal(t, 1, r.complete)
}

func TestOutletCrash(t *testing.T) {
	ctx, f := capture()
	r := &receiver{ask: reactor.Unbounded, onNext: func(int) { panic(assert.AnError) }}
	s := newQueueing(ctx, r)
	s.offer(1, 2)
	require.Len(t, r.errs, 1)
	assert.ErrorIs(t, r.errs[0], assert.AnError)
	assert.ElementsMatch(t, []any{1, 2}, f.discarded, "the one on its way and the one that waits")
	assert.Equal(t, 1, s.stops)
	assert.True(t, s.out.Cancelled())

	s.before = func() { panic("late") }
	s.out.Run()
	assert.Len(t, r.errs, 1)
	assert.Len(t, f.errs, 1, "the end was sent before")
	assert.Equal(t, 1, s.stops)
}

// Windows count how often they are cancelled.
func TestOutletStopsOnce(t *testing.T) {
	r := &receiver{ask: reactor.Unbounded}
	s := newQueueing(context.Background(), r)
	r.onNext = func(int) {
		r.sub.Cancel()
		panic(assert.AnError)
	}
	s.offer(1)
	assert.Equal(t, 1, s.stops)
}

func TestOutletForward(t *testing.T) {
	ctx, f := capture()
	var call Calling
	r := &receiver{ask: reactor.Unbounded}
	s := newQueueing(ctx, r)
	forward := func(v int) {
		require.True(t, s.out.TryEnter())
		assert.False(t, s.out.TryEnter())
		require.True(t, s.out.Ready())
		call.Next(s.PushDown, v)
		s.out.Leave()
	}
	r.onNext = func(int) {
		if len(r.values) == 1 {
			s.offer(7)
			assert.Equal(t, []int{1}, r.values, "it waits for Leave")
		}
	}
	forward(1)
	assert.Equal(t, []int{1, 7}, r.values)
	assert.False(t, call.Failed())

	r.onNext = func(int) { panic(assert.AnError) }
	assert.Panics(t, func() { forward(2) })
	require.True(t, call.Failed())
	assert.False(t, call.Failed())
	s.out.Unwind(assert.AnError)
	assert.Len(t, r.errs, 1)
	assert.Empty(t, f.discarded, "it is in flight for the guard above")
	assert.Zero(t, s.stops, "nor does it need to be told")
	require.True(t, s.out.TryEnter())
	assert.False(t, s.out.Ready())
	s.out.Leave()
}

func TestOutletLate(t *testing.T) {
	ctx, f := capture()
	r := &receiver{}
	s := newQueueing(ctx, r)
	s.out.End(nil)
	s.Late(&s.out, 1)
	assert.Equal(t, []any{1}, f.next)
	s = newQueueing(ctx, r)
	s.out.Cancel()
	s.Late(&s.out, 2)
	assert.Equal(t, []any{2}, f.discarded)
}

// A goroutine that ends in a request has told of it as the failure of the source.
func TestOutletAsk(t *testing.T) {
	for _, told := range []bool{false, true} {
		r := &receiver{}
		s := newQueueing(context.Background(), r)
		s.queued = []int{1}
		asked := int64(0)
		up := &subscriptionFuncs{request: func(n int64) {
			asked += n
			if told {
				s.out.End(assert.AnError)
			}
			runtime.Goexit()
		}}
		s.before = func() {
			assert.True(t, s.out.Ask(up))
			assert.False(t, s.out.Ask(up))
		}
		var wg sync.WaitGroup
		wg.Go(func() { r.sub.Request(3) })
		wg.Wait()
		assert.EqualValues(t, 3, asked)
		if told {
			assert.Empty(t, r.errs)
			r.sub.Request(1)
			assert.Equal(t, []int{1}, r.values)
			assert.Equal(t, []error{assert.AnError}, r.errs)
			continue
		}
		require.Len(t, r.errs, 1)
		assert.ErrorIs(t, r.errs[0], reactor.ErrGoexit)
	}
}

type subscriptionFuncs struct{ request func(int64) }

func (s *subscriptionFuncs) Request(n int64) { s.request(n) }
func (*subscriptionFuncs) Cancel()           {}

// slicing is a stage that sends slices.
type slicing struct {
	Inner
	SliceSender[int]
	out Outlet
	buf []int
}

func (s *slicing) Flow() {
	for s.out.Open() && s.buf != nil {
		buf := s.buf
		s.buf = nil
		s.Send(buf)
	}
}

func (s *slicing) Dry() bool { return s.buf == nil }
func (s *slicing) Drop()     { s.DiscardAll(s.buf) }
func (s *slicing) Stop()     {}

type sliceReceiver struct {
	receiver
	onSlice func([]int)
}

func (r *sliceReceiver) OnNext(v []int) { r.onSlice(v) }

func TestOutletSliceCrash(t *testing.T) {
	ctx, f := capture()
	r := &sliceReceiver{onSlice: func([]int) { panic(assert.AnError) }}
	s := &slicing{}
	s.Attach(&s.out, ctx, r, s)
	s.out.Begin()
	s.buf = []int{1, 2}
	s.out.Run()
	assert.Equal(t, []any{1, 2}, f.discarded, "element by element")
	require.Len(t, r.errs, 1)
	assert.ErrorIs(t, r.errs[0], assert.AnError)
	s.Discard(3)
	s.Late(&s.out, 4)
	assert.Equal(t, []any{1, 2, 3, 4}, f.discarded)
}

// calling is a queueing whose functions may fail.
type calling struct {
	queueing
	failed []error
}

func (s *calling) CallFailed(err error) { s.failed = append(s.failed, err) }

// The failure of a function that is marked is the stage's: the stream goes on.
func TestOutletCallFailed(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic(assert.AnError) }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			r := &receiver{ask: reactor.Unbounded}
			s := &calling{}
			s.Attach(&s.out, context.Background(), r, s)
			s.out.Begin()
			s.queued = []int{1}
			s.before = func() {
				s.out.Call.Begin()
				fail()
			}
			racetest.Aside(s.out.Run)
			assert.Len(t, s.failed, 1)
			assert.Equal(t, []int{1}, r.values)

			s.before = func() { panic(assert.AnError) }
			s.out.Run()
			assert.Len(t, s.failed, 1, "that was none")
			assert.Len(t, r.errs, 1)
		})
	}
}

// crashing is a calling whose functions fail the stream.
type crashing struct{ calling }

func (s *crashing) CallFailed(err error) { s.Crash(&s.out, err) }

// Who is told of such a failure ends the goroutine: that was told, and is not reported once more.
func TestOutletCrashToldToWhoEndsTheGoroutine(t *testing.T) {
	ctx, f := capture()
	r := &receiver{ask: reactor.Unbounded, onError: runtime.Goexit}
	s := &crashing{}
	s.Attach(&s.out, ctx, r, s)
	s.out.Begin()
	s.before = func() {
		s.out.Call.Begin()
		panic(assert.AnError)
	}
	racetest.Aside(s.out.Run)
	require.Len(t, r.errs, 1)
	assert.ErrorIs(t, r.errs[0], assert.AnError)
	assert.Empty(t, f.errs)
}

// windowing is a stage that sends windows.
type windowing struct {
	Inner
	WindowSender[*window, *window]
	out    Outlet
	queued []*window
	log    []string
}

type window struct{ of *windowing }

func (w *window) Abandon() bool {
	w.of.log = append(w.of.log, "abandoned")
	return true
}

func (s *windowing) Flow() {
	for s.out.Open() && len(s.queued) > 0 {
		w := s.queued[0]
		s.queued = s.queued[1:]
		s.Hold(w)
		s.Send(&s.out, w)
	}
}

func (s *windowing) Dry() bool { return len(s.queued) == 0 }
func (s *windowing) Stop()     { s.log = append(s.log, "stopped") }
func (s *windowing) Drop()     { s.log = append(s.log, "dropped") }

type windowReceiver struct {
	receiver
	onWindow func(*window)
}

func (r *windowReceiver) OnNext(w *window) { r.onWindow(w) }

func TestOutletWindowCrash(t *testing.T) {
	ctx, hooks := capture()
	r := &windowReceiver{onWindow: func(*window) {}}
	s := &windowing{}
	s.Attach(&s.out, ctx, r, s)
	s.out.Begin()
	s.queued = []*window{{s}}
	s.out.Run()
	assert.Empty(t, s.log, "it has arrived")

	r.onWindow = func(*window) { panic(assert.AnError) }
	s.queued = []*window{{s}}
	s.out.Run()
	assert.Equal(t, []string{"stopped", "abandoned", "dropped", "dropped"}, s.log, "once more in the next pass")
	require.Len(t, r.errs, 1)
	assert.ErrorIs(t, r.errs[0], assert.AnError)
	assert.Empty(t, hooks.discarded)
}

// One error takes the place of another that waits, while that is about to be sent: one of them is the end, the other is
// reported.
func TestOutletOneErrorInThePlaceOfAnother(t *testing.T) {
	boom, other := errors.New("boom"), errors.New("other")
	sending, leave, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var dropped []error
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) {
		if dropped = append(dropped, err); len(dropped) == 1 {
			close(leave)
			<-ended
		}
	}})
	r := &receiver{ask: 1}
	r.onNext = func(int) {
		close(sending)
		<-leave
	}
	s := newQueueing(ctx, r)
	go func() {
		defer close(ended)
		s.offer(1)
	}()
	<-sending
	s.out.End(boom)
	s.out.Fail(other)
	assert.Zero(t, r.complete)
	assert.Len(t, r.errs, 1)
	assert.Len(t, dropped, 1)
	assert.ElementsMatch(t, []error{boom, other}, append(dropped, r.errs...))
}

// reporting is a queueing that reports the failures nobody gets.
type reporting struct {
	queueing
	behind bool // what waits goes before a failure
}

func (s *reporting) Drop() {
	waited := s.behind && len(s.queued) > 0
	s.queueing.Drop()
	s.out.DropFailuresBehind(waited)
}

func newReporting(ctx context.Context, down reactor.Subscriber[int]) *reporting {
	s := &reporting{}
	s.Attach(&s.out, ctx, down, s)
	s.out.Begin()
	return s
}

// A failure behind what is dropped goes with that, any other one is reported.
func TestOutletDropsFailures(t *testing.T) {
	for behind, want := range map[bool][]error{false: {assert.AnError}, true: nil} {
		ctx, f := capture()
		r := &receiver{}
		s := newReporting(ctx, r)
		s.behind = behind
		s.offer(1)
		s.out.End(assert.AnError)
		r.sub.Cancel()
		assert.Equal(t, []any{1}, f.discarded)
		assert.Equal(t, want, f.errs)
		assert.NoError(t, s.out.Failure())
	}
}

// A Goexit that has ended the source within an element is told by that element's failure, and by nothing else.
func TestOutletUnwindTellsOfAGoexitOnce(t *testing.T) {
	var seen []error
	note := func(err error) { seen = append(seen, err) }
	racetest.Aside(func() { failure.Guard(func() { failure.Guard(runtime.Goexit, note) }, note) })
	for _, late := range []error{nil, assert.AnError} {
		ctx, f := capture()
		r := &receiver{ask: 1}
		s := newReporting(ctx, r)
		require.True(t, s.out.TryEnter())
		if late != nil {
			s.out.failures.Add(late)
		}
		s.out.End(seen[0])
		s.out.Unwind(seen[1])
		require.Len(t, r.errs, 1)
		assert.Equal(t, seen[0], failure.Reported(r.errs[0]))
		assert.True(t, failure.IsSettled(r.errs[0]))
		assert.False(t, failure.IsReported(r.errs[0]))
		if late == nil {
			assert.Empty(t, f.errs)
		} else {
			assert.Equal(t, []error{late}, f.errs)
		}
	}
}

// stopping is a queueing stage whose source ends the goroutine when it is cancelled.
type stopping struct{ *queueing }

func (s stopping) Stop() { runtime.Goexit() }

// What has failed is told once, also if a function that hears of the cancellation ends the goroutine.
func TestOutletFailsOnceWhereStopEndsTheGoroutine(t *testing.T) {
	ctx, f := capture()
	r := &receiver{ask: 1, onNext: func(int) { panic(assert.AnError) }}
	s := stopping{&queueing{}}
	s.Attach(&s.out, ctx, r, s)
	s.out.Begin()
	racetest.Aside(func() { s.offer(1) })
	require.Len(t, r.errs, 1)
	assert.ErrorIs(t, r.errs[0], assert.AnError)
	assert.Equal(t, []any{1}, f.discarded)
	assert.Empty(t, f.errs)
	s.offer(2)
	assert.Equal(t, []any{1, 2}, f.discarded)
}

// pushed is a receiver that counts how often it was asked for its function.
type pushed struct {
	receiver
	asked int
}

func (p *pushed) Push() func(int) {
	p.asked++
	return p.OnNext
}

// What one owner sends is a run, also what is sent within OnNext of the source; none begins behind the end.
func TestOutletTellsOfRuns(t *testing.T) {
	down := &probe[int]{}
	r, h := &pushed{}, &Half{Down: down}
	s := newQueueingIn(t.Context(), r, true)
	require.False(t, h.AttachRequested(&s.out))
	require.True(t, h.Attach(&s.out))
	require.False(t, (&Half{}).Attach(&s.out), "one is told")
	assert.Zero(t, r.asked, "downstream may learn of runs yet")
	r.sub.Request(3)
	assert.Zero(t, h.word.Load(), "there was nothing to send")
	r.onNext = func(int) { assert.True(t, h.Running()) }
	s.offer(1, 2)
	assert.False(t, h.Running())
	assert.EqualValues(t, 2, runAt(h.word.Load()), "two elements are one run")
	require.True(t, s.out.TryEnter())
	s.out.Sending()
	s.out.Sending()
	s.PushDown(3)
	s.out.Leave()
	assert.EqualValues(t, 4, runAt(h.word.Load()))
	require.True(t, s.out.TryEnter())
	s.out.Sending()
	s.queued = []int{4}
	r.sub.Request(1)
	s.out.Pass()
	assert.EqualValues(t, 8, runAt(h.word.Load()), "a pass is a run of its own")
	assert.Equal(t, 1, r.asked)
	assert.Equal(t, []int{1, 2, 3, 4}, r.values)
	s.out.End(nil)
	s.out.Sending()
	assert.False(t, h.Running(), "all is over")
}

// An end from elsewhere waits for the run, and a failure on the way down ends it.
func TestOutletRunThatFails(t *testing.T) {
	r, down := &receiver{ask: 9}, &receiver{}
	h := &Half{Down: down}
	s := newQueueingIn(t.Context(), r, true)
	require.True(t, h.Attach(&s.out))
	r.onNext = func(int) {
		h.End(assert.AnError)
		assert.Empty(t, down.errs, "the run is not over")
		panic("no")
	}
	s.offer(1, 2)
	assert.False(t, h.Running())
	assert.Equal(t, []error{assert.AnError}, down.errs)
	require.Len(t, r.errs, 1)
	assert.ErrorContains(t, r.errs[0], "panic: no")
}

func TestOutletThatTellsOfNoRuns(t *testing.T) {
	r := &pushed{}
	s := newQueueing(t.Context(), r)
	assert.False(t, (&Half{}).Attach(&s.out))
	assert.Equal(t, 1, r.asked)
}
