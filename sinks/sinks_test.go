package sinks

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

func TestUnicastBuffer(t *testing.T) {
	ctx, hooks := probe.Recorded()
	ends := 0
	s := Many().Unicast().OnBackpressureBuffer[int](OnEnd(func() { ends++ }))
	assert.Equal(t, OK, s.TryEmitNext(1))
	assert.Zero(t, s.CurrentSubscriberCount())
	p := probe.ListenIn[int](ctx, s, 2)
	assert.Equal(t, 1, s.CurrentSubscriberCount())
	p.Open(t, 1)
	probe.Listen[int](s, 1).Failed(t, reactor.ErrIllegalState)
	s.TryEmitNext(2)
	s.TryEmitNext(3)
	p.Open(t, 1, 2)
	p.Cancel()
	assert.Equal(t, []any{3}, hooks.Discarded)
	assert.Equal(t, FailCancelled, s.TryEmitNext(4))
	assert.Equal(t, FailCancelled, s.TryEmitComplete())
	assert.Equal(t, 1, ends)

	s = Many().Unicast().OnBackpressureBuffer[int](OnEnd(func() { ends++; panic(errOther) }))
	p = probe.ListenIn[int](ctx, s, 0)
	s.TryEmitNext(1)
	assert.Equal(t, OK, s.TryEmitError(errBoom))
	assert.Len(t, hooks.Errs, 1)
	p.Request(1)
	p.Failed(t, errBoom, 1)
	assert.Equal(t, FailTerminated, s.TryEmitNext(2))
	assert.Equal(t, FailTerminated, s.TryEmitComplete())
	assert.Equal(t, 2, ends)
}

// The function of OnEnd ends the goroutine: the subscriber gets the end, and what waits is let go.
func TestOnEndThatEndsTheGoroutine(t *testing.T) {
	ctx, hooks := probe.Recorded()
	s := Many().Unicast().OnBackpressureBuffer[int](OnEnd(runtime.Goexit))
	p := probe.ListenIn[int](ctx, s, all)
	racetest.Aside(func() { s.TryEmitComplete() })
	p.Done(t)

	s = Many().Unicast().OnBackpressureBuffer[int](OnEnd(runtime.Goexit))
	p = probe.ListenIn[int](ctx, s, 0)
	s.TryEmitNext(1)
	racetest.Aside(p.Cancel)
	assert.Equal(t, []any{1}, hooks.Discarded)
}

func TestUnicastCapacity(t *testing.T) {
	s := Many().Unicast().OnBackpressureBuffer[int](Capacity(2))
	s.TryEmitNext(1)
	s.TryEmitNext(2)
	assert.Equal(t, FailZeroSubscriber, s.TryEmitNext(3))
	p := probe.Listen[int](s, 1)
	assert.Equal(t, OK, s.TryEmitNext(3))
	assert.Equal(t, FailOverflow, s.TryEmitNext(4))
	p.Request(5)
	s.TryEmitComplete()
	p.Done(t, 1, 2, 3)
}

func TestUnicastError(t *testing.T) {
	s := Many().Unicast().OnBackpressureError[int]()
	assert.Equal(t, FailZeroSubscriber, s.TryEmitNext(1))
	assert.Equal(t, FailZeroSubscriber, s.TryEmitComplete())
	p := probe.Listen[int](s, 1)
	probe.Listen[int](s, 1).Failed(t, reactor.ErrIllegalState)
	assert.Equal(t, OK, s.TryEmitNext(2))
	assert.Equal(t, FailOverflow, s.TryEmitNext(3))
	assert.Equal(t, 1, s.CurrentSubscriberCount())
	assert.Equal(t, OK, s.TryEmitError(errBoom))
	p.Failed(t, errBoom, 2)
	assert.Equal(t, FailTerminated, s.TryEmitNext(4))
	assert.Equal(t, FailTerminated, s.TryEmitComplete())
	assert.Zero(t, s.CurrentSubscriberCount())

	s = Many().Unicast().OnBackpressureError[int]()
	p = probe.Listen[int](s, 1)
	p.Cancel()
	assert.Equal(t, FailCancelled, s.TryEmitNext(1))
	assert.Equal(t, FailCancelled, s.TryEmitComplete())
}

func TestMulticastBuffer(t *testing.T) {
	s := Many().Multicast().OnBackpressureBuffer[int](Capacity(8), AutoCancel(false))
	for v := range 8 {
		assert.Equal(t, OK, s.TryEmitNext(v))
	}
	assert.Equal(t, FailZeroSubscriber, s.TryEmitNext(8))
	a := probe.Listen[int](s, all)
	a.Open(t, 0, 1, 2, 3, 4, 5, 6, 7)
	b := probe.Listen[int](s, 1)
	assert.Equal(t, 2, s.CurrentSubscriberCount())
	for v := range 9 {
		assert.Equal(t, OK, s.TryEmitNext(10+v))
	}
	assert.Equal(t, FailOverflow, s.TryEmitNext(20))
	b.Open(t, 10)
	a.Cancel()
	b.Cancel()
	c := probe.Listen[int](s, all)
	c.Open(t, 11, 12, 13, 14, 15, 16, 17, 18)
	s.TryEmitComplete()
	c.Done(t, 11, 12, 13, 14, 15, 16, 17, 18)
	assert.Equal(t, FailTerminated, s.TryEmitNext(1))
	probe.Listen[int](s, 0).Done(t)
}

func TestMulticastBufferSizes(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 8, 8: 8, 9: 16, 16: 16, 200: 256, 256: 256, 257: 512} {
		assert.Equal(t, want, bufferSize(n), "%d", n)
	}
}

func TestMulticastBufferFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	s := Many().Multicast().OnBackpressureBuffer[int]()
	p := probe.ListenIn[int](ctx, s, 1)
	s.TryEmitNext(1)
	s.TryEmitNext(2)
	assert.Equal(t, OK, s.TryEmitError(errBoom))
	p.Failed(t, errBoom, 1)
	assert.Equal(t, []any{2}, hooks.Discarded)
	probe.Listen[int](s, 0).Failed(t, errBoom)
	assert.Equal(t, FailTerminated, s.TryEmitError(errOther))
}

func TestMulticastBufferAutoCancel(t *testing.T) {
	ctx, hooks := probe.Recorded()
	s := Many().Multicast().OnBackpressureBuffer[int]()
	p := probe.ListenIn[int](ctx, s, 0)
	s.TryEmitNext(1)
	p.Cancel()
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.Equal(t, OK, s.TryEmitNext(2))
	assert.Equal(t, []any{1, 2}, hooks.Discarded)
	probe.Listen[int](s, all).Done(t)
	assert.Equal(t, OK, s.TryEmitComplete())

	unused := Many().Multicast().OnBackpressureBuffer[int]()
	probe.Listen[int](unused, 0).Cancel()
	assert.Equal(t, FailCancelled, unused.TryEmitNext(1))
}

// The last one leaves during the first element: what is emitted from within that is not the first one.
func TestMulticastBufferEndsDuringItsFirstElement(t *testing.T) {
	ctx, hooks := probe.Recorded()
	s := Many().Multicast().OnBackpressureBuffer[int]()
	var p *probe.Probe[int]
	p = &probe.Probe[int]{Initial: all, Each: func(int) {
		p.Cancel()
		assert.Equal(t, OK, s.TryEmitNext(2))
	}}
	s.Subscribe(ctx, p)
	assert.Equal(t, OK, s.TryEmitNext(1))
	p.Open(t, 1)
	assert.Equal(t, []any{2}, hooks.Discarded)
}

func TestDirectAllOrNothing(t *testing.T) {
	s := Many().Multicast().DirectAllOrNothing[int]()
	assert.Equal(t, FailZeroSubscriber, s.TryEmitNext(0))
	a, b := probe.Listen[int](s, all), probe.Listen[int](s, 1)
	assert.Equal(t, OK, s.TryEmitNext(1))
	assert.Equal(t, FailOverflow, s.TryEmitNext(2))
	a.Open(t, 1)
	b.Cancel()
	assert.Equal(t, OK, s.TryEmitNext(3))
	a.Open(t, 1, 3)
	b.Open(t, 1)
	assert.Equal(t, 1, s.CurrentSubscriberCount())
	s.TryEmitComplete()
	a.Done(t, 1, 3)
	assert.Equal(t, FailTerminated, s.TryEmitNext(4))
	assert.Equal(t, FailTerminated, s.TryEmitComplete())
	probe.Listen[int](s, 0).Done(t)
}

func TestDirectBestEffort(t *testing.T) {
	s := Many().Multicast().DirectBestEffort[int]()
	assert.Equal(t, FailZeroSubscriber, s.TryEmitNext(0))
	a, b := probe.Listen[int](s, 2), probe.Listen[int](s, 1)
	for v := range 2 {
		assert.Equal(t, OK, s.TryEmitNext(v))
	}
	assert.Equal(t, FailOverflow, s.TryEmitNext(2))
	a.Open(t, 0, 1)
	b.Open(t, 0)
	s.TryEmitError(errBoom)
	a.Failed(t, errBoom, 0, 1)
	b.Failed(t, errBoom, 0)
	probe.Listen[int](s, 0).Failed(t, errBoom)

	gone := &probe.Probe[int]{Subscribed: func(up reactor.Subscription) { up.Cancel() }}
	s = Many().Multicast().DirectBestEffort[int]()
	s.Subscribe(context.Background(), gone)
	assert.Zero(t, s.CurrentSubscriberCount())
}

func TestReplaySinks(t *testing.T) {
	everything := Many().Replay().All[int]()
	latest := Many().Replay().Latest[int]()
	standing := Many().Replay().LatestOrDefault(-1)
	limited := Many().Replay().Limit[int](History(2))
	probe.Listen[int](standing, 1).Open(t, -1)
	for _, s := range []*ManySink[int]{everything, latest, standing, limited} {
		early := probe.Listen[int](s, all)
		for v := range 3 {
			assert.Equal(t, OK, s.TryEmitNext(v))
		}
		early.Cancel()
		assert.LessOrEqual(t, s.CurrentSubscriberCount(), 1)
	}
	probe.Listen[int](everything, 2).Open(t, 0, 1)
	probe.Listen[int](latest, all).Open(t, 2)
	probe.Listen[int](standing, all).Open(t, 2)
	probe.Listen[int](limited, all).Open(t, 1, 2)
	everything.TryEmitError(errBoom)
	latest.TryEmitComplete()
	probe.Listen[int](everything, all).Failed(t, errBoom, 0, 1, 2)
	probe.Listen[int](latest, all).Done(t, 2)
	assert.Equal(t, FailTerminated, latest.TryEmitNext(3))
	assert.Equal(t, FailTerminated, latest.TryEmitError(errBoom))
}

// clock is a scheduler of which only the time is used.
type clock struct {
	schedulers.Scheduler
	now time.Time
}

func (c *clock) Now() time.Time { return c.now }

func TestReplayAge(t *testing.T) {
	c := &clock{}
	s := Many().Replay().Limit[int](TTL(10*time.Millisecond), History(2), On(c))
	for v := range 3 {
		s.TryEmitNext(v)
		c.now = c.now.Add(4 * time.Millisecond)
	}
	probe.Listen[int](s, all).Open(t, 1, 2)
	c.now = c.now.Add(2 * time.Millisecond)
	probe.Listen[int](s, all).Open(t, 2)
	s.TryEmitComplete()
	c.now = c.now.Add(time.Hour)
	assert.Equal(t, FailTerminated, s.TryEmitNext(3))
	assert.PanicsWithValue(t, "reactor: sink: a limit needs a History or a TTL", func() { Many().Replay().Limit[int]() })
}

func TestOne(t *testing.T) {
	s := One[int]()
	a, b := probe.Listen[int](s, 1), probe.Listen[int](s, 0)
	assert.Equal(t, 2, s.CurrentSubscriberCount())
	assert.Equal(t, OK, s.TryEmitValue(7))
	assert.Zero(t, s.CurrentSubscriberCount())
	a.Done(t, 7)
	b.Open(t)
	b.Request(1)
	b.Done(t, 7)
	probe.Listen[int](s, 1).Done(t, 7)
	assert.Equal(t, FailTerminated, s.TryEmitValue(8))
	assert.Equal(t, FailTerminated, s.TryEmitEmpty())
	assert.Equal(t, FailTerminated, s.TryEmitError(errBoom))

	s = One[int]()
	gone := probe.Listen[int](s, 1)
	gone.Cancel()
	assert.Zero(t, s.CurrentSubscriberCount())
	p := probe.Listen[int](s, 0)
	assert.NoError(t, s.EmitEmpty(nil))
	p.Done(t)
	gone.Open(t)
	s = One[int]()
	assert.NoError(t, s.EmitError(errBoom, nil))
	probe.Listen[int](s, 0).Failed(t, errBoom)
	s = One[int]()
	assert.NoError(t, s.EmitValue(3, nil))
	probe.Listen[int](s, 1).Done(t, 3)
}

func TestEmpty(t *testing.T) {
	s := Empty[int]()
	p := probe.Listen[int](s, 0)
	assert.Equal(t, 1, s.CurrentSubscriberCount())
	assert.Equal(t, OK, s.TryEmitEmpty())
	p.Done(t)
	probe.Listen[int](s, 0).Done(t)
	assert.Equal(t, FailTerminated, s.TryEmitError(errBoom))
	assert.ErrorIs(t, s.EmitEmpty(nil), reactor.ErrIllegalState)
	s = Unsafe().Empty[int]()
	assert.NoError(t, s.EmitError(errBoom, nil))
	probe.Listen[int](s, 0).Failed(t, errBoom)
}

func TestResults(t *testing.T) {
	assert.NoError(t, OK.Err())
	assert.True(t, OK.IsSuccess())
	for result, kind := range map[EmitResult]error{
		FailTerminated:     reactor.ErrIllegalState,
		FailOverflow:       reactor.ErrOverflow,
		FailCancelled:      reactor.ErrCancelled,
		FailNonSerialized:  reactor.ErrProtocol,
		FailZeroSubscriber: reactor.ErrIllegalState,
	} {
		assert.ErrorIs(t, result.Err(), kind)
		assert.False(t, result.IsSuccess())
		var e *EmissionError
		require.ErrorAs(t, result.Err(), &e)
		assert.Equal(t, result, e.Result)
		assert.NotContains(t, result.String(), "(")
		assert.Contains(t, e.Error(), "reactor: sink: ")
	}
	err := &EmissionError{Result: FailCancelled, Cause: errBoom}
	assert.ErrorIs(t, err, errBoom)
	assert.EqualError(t, err, "reactor: sink: cancelled by its subscriber: boom")
	assert.Equal(t, "EmitResult(9)", EmitResult(9).String())
	assert.Contains(t, (&EmissionError{Result: 9}).Error(), "EmitResult(9)")
}

func TestEmitNextDisposesOfWhatItCannotDeliver(t *testing.T) {
	ctx, hooks := probe.Recorded()
	s := Many().Multicast().DirectBestEffort[int]()
	p := probe.ListenIn[int](ctx, s, 1)
	assert.NoError(t, s.EmitNext(1, FailFast))
	assert.ErrorIs(t, s.EmitNext(2, FailFast), reactor.ErrOverflow)
	p.Failed(t, reactor.ErrOverflow, 1)
	assert.Equal(t, []any{2}, hooks.Discarded)
	assert.ErrorIs(t, s.EmitNext(3, FailFast), reactor.ErrIllegalState)
	assert.Equal(t, []any{3}, hooks.Dropped)
	err := s.EmitError(errBoom, nil)
	assert.ErrorIs(t, err, errBoom)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
	assert.ErrorIs(t, s.EmitComplete(nil), reactor.ErrIllegalState)

	u := Many().Unicast().OnBackpressureError[int]()
	probe.ListenIn[int](ctx, u, 0).Cancel()
	assert.ErrorIs(t, u.EmitNext(4, nil), reactor.ErrCancelled)
	assert.Equal(t, []any{2, 4}, hooks.Discarded)
	assert.ErrorIs(t, u.EmitComplete(nil), reactor.ErrCancelled)
}

func TestHandlersAreAskedAgain(t *testing.T) {
	s := Many().Multicast().DirectBestEffort[int]()
	p := probe.Listen[int](s, 0)
	var asked []EmitResult
	err := s.EmitNext(1, func(signal reactor.SignalKind, r EmitResult, _ time.Duration) bool {
		assert.Equal(t, reactor.KindNext, signal)
		asked = append(asked, r)
		if len(asked) == 2 {
			p.Request(1)
		}
		return true
	})
	assert.NoError(t, err)
	assert.Equal(t, []EmitResult{FailOverflow, FailOverflow}, asked)
	p.Open(t, 1)
	assert.False(t, FailFast(reactor.KindNext, FailNonSerialized, 0))
	assert.False(t, BusyLooping(time.Hour)(reactor.KindNext, FailOverflow, 0))
	assert.True(t, BusyLooping(time.Hour)(reactor.KindNext, FailNonSerialized, 0))
	assert.True(t, BusyLooping(time.Hour)(reactor.KindNext, FailNonSerialized, time.Hour-1))
	assert.False(t, BusyLooping(time.Hour)(reactor.KindNext, FailNonSerialized, time.Hour))
	assert.False(t, BusyLooping(0)(reactor.KindNext, FailNonSerialized, 0))
}

// A handler that is kept gives each emission its own time.
func TestBusyLoopingCountsPerEmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := BusyLooping(10 * time.Millisecond)
		for range 3 {
			time.Sleep(time.Second)
			begin, tries := time.Now(), 0
			result := retrying(handler, reactor.KindNext, func() EmitResult {
				tries++
				time.Sleep(time.Millisecond)
				return FailNonSerialized
			})
			assert.Equal(t, FailNonSerialized, result)
			assert.Equal(t, 11, tries)
			assert.Equal(t, 11*time.Millisecond, time.Since(begin))
		}
	})
}

// kinds are all sinks for many elements, made by spec.
func kinds(spec Spec) map[string]*ManySink[int] {
	return map[string]*ManySink[int]{
		"unicast buffer":   spec.Many().Unicast().OnBackpressureBuffer[int](),
		"unicast error":    spec.Many().Unicast().OnBackpressureError[int](),
		"multicast buffer": spec.Many().Multicast().OnBackpressureBuffer[int](),
		"all or nothing":   spec.Many().Multicast().DirectAllOrNothing[int](),
		"best effort":      spec.Many().Multicast().DirectBestEffort[int](),
		"replay all":       spec.Many().Replay().All[int](),
		"replay latest":    spec.Many().Replay().Latest[int](),
		"with upstream":    &spec.ManyWithUpstream[int]().ManySink,
	}
}

// An emission from within the delivery of another is delivered after it.
func TestNestedEmissions(t *testing.T) {
	for _, spec := range []Spec{{}, Unsafe()} {
		for name, s := range kinds(spec) {
			t.Run(name, func(t *testing.T) {
				p := &probe.Probe[int]{Initial: all, Each: func(v int) {
					if v < 3 {
						assert.Equal(t, OK, s.TryEmitNext(v+1))
					} else if v == 3 {
						assert.Equal(t, OK, s.TryEmitComplete())
					}
				}}
				s.Subscribe(context.Background(), p)
				assert.Equal(t, OK, s.TryEmitNext(1))
				p.Done(t, 1, 2, 3)
				assert.Equal(t, FailTerminated, s.TryEmitNext(4))
			})
		}
	}
}

// Another goroutine is refused while one emits.
func TestEmissionsThatOverlap(t *testing.T) {
	elsewhere := func(emit func() EmitResult) (r EmitResult) {
		var wg sync.WaitGroup
		wg.Go(func() { r = emit() })
		wg.Wait()
		return r
	}
	for name, s := range kinds(safe) {
		t.Run(name, func(t *testing.T) {
			p := &probe.Probe[int]{Initial: all, Each: func(v int) {
				if v == 1 {
					assert.Equal(t, OK, s.TryEmitNext(5), "its own is not refused, and changes nothing")
				}
				assert.Equal(t, FailNonSerialized, elsewhere(func() EmitResult { return s.TryEmitNext(2) }))
				assert.Equal(t, FailNonSerialized, elsewhere(s.TryEmitComplete))
				assert.Equal(t, FailNonSerialized, elsewhere(func() EmitResult { return s.TryEmitError(errBoom) }))
				assert.ErrorIs(t, func() (err error) {
					var wg sync.WaitGroup
					wg.Go(func() { err = s.EmitNext(2, FailFast) })
					wg.Wait()
					return err
				}(), reactor.ErrProtocol)
			}}
			s.Subscribe(context.Background(), p)
			assert.Equal(t, OK, s.TryEmitNext(1))
			assert.Equal(t, OK, elsewhere(s.TryEmitComplete))
			p.Done(t, 1, 5)
		})
	}
	one := One[int]()
	p := &probe.Probe[int]{Initial: 1, Each: func(int) {
		assert.Equal(t, FailNonSerialized, elsewhere(one.TryEmitEmpty))
	}}
	one.Subscribe(context.Background(), p)
	one.TryEmitValue(1)
	p.Done(t, 1)
}

// A subscriber that fails gets its failure, the emitter and the others don't notice.
func TestSubscribersThatFail(t *testing.T) {
	for failure, fail := range map[string]func(int) int{
		"panic":  func(int) int { panic(errBoom) },
		"goexit": func(int) int { runtime.Goexit(); return 0 },
	} {
		want := map[string]error{"panic": errBoom, "goexit": reactor.ErrGoexit}[failure]
		for name, s := range kinds(safe) {
			t.Run(failure+" "+name, func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				bad := probe.ListenIn(ctx, operators.Map(s, fail), all)
				var wg sync.WaitGroup
				if name == "unicast buffer" || name == "unicast error" {
					wg.Go(func() { s.TryEmitNext(1) })
					wg.Wait()
					bad.Failed(t, want)
					assert.Equal(t, FailCancelled, s.TryEmitNext(2))
					return
				}
				good := probe.Listen[int](s, all)
				wg.Go(func() { s.TryEmitNext(1) })
				wg.Wait()
				assert.Equal(t, OK, s.TryEmitNext(2))
				assert.Equal(t, OK, s.TryEmitComplete())
				bad.Failed(t, want)
				good.Done(t, 1, 2)
				assert.Equal(t, []any{1}, hooks.Discarded)
				assert.Zero(t, s.CurrentSubscriberCount())
			})
		}
		t.Run(failure+" one", func(t *testing.T) {
			s := One[int]()
			bad, good := probe.Listen(operators.Map(s, fail), 1), probe.Listen[int](s, 1)
			var wg sync.WaitGroup
			wg.Go(func() { s.TryEmitValue(1) })
			wg.Wait()
			bad.Failed(t, want)
			good.Done(t, 1)
			assert.Equal(t, FailTerminated, s.TryEmitValue(2))
		})
	}
}

func TestUpstream(t *testing.T) {
	s := Unsafe().ManyWithUpstream[int](Capacity(8), AutoCancel(false))
	p := probe.Listen[int](s, 3)
	handle, err := s.SubscribeTo(context.Background(), operators.Range(0, 20))
	require.NoError(t, err)
	_, err = s.SubscribeTo(context.Background(), operators.Range(0, 20))
	require.ErrorIs(t, err, reactor.ErrIllegalState)
	p.Open(t, 0, 1, 2)
	p.Request(all)
	assert.Len(t, p.Got(), 20)
	assert.True(t, p.Over())
	assert.True(t, handle.IsDisposed())
	handle.Dispose()

	s = Unsafe().ManyWithUpstream[int]()
	p = probe.Listen[int](s, all)
	cancelled := 0
	source := operators.DoOnCancel(operators.Never[int](), func() { cancelled++ })
	handle, err = s.SubscribeTo(context.Background(), source)
	require.NoError(t, err)
	handle.Dispose()
	handle.Dispose()
	p.Failed(t, reactor.ErrCancelled)
	assert.Equal(t, 1, cancelled)

	s = Unsafe().ManyWithUpstream[int]()
	p = probe.Listen[int](s, all)
	_, err = s.SubscribeTo(context.Background(), source)
	require.NoError(t, err)
	p.Cancel()
	assert.Equal(t, 2, cancelled, "the last one has left")

	s = Unsafe().ManyWithUpstream[int]()
	p = probe.Listen[int](s, all)
	_, err = s.SubscribeTo(context.Background(), operators.Error[int](errBoom))
	require.NoError(t, err)
	p.Failed(t, errBoom)
}

func TestEmissionAllocatesNothing(t *testing.T) {
	for name, s := range kinds(safe) {
		if name == "replay all" || name == "replay latest" {
			continue // they keep elements
		}
		t.Run(name, func(t *testing.T) {
			p := operators.SubscribeFunc(context.Background(), s, func(int) {})
			defer p.Dispose()
			s.TryEmitNext(0)
			assert.Zero(t, testing.AllocsPerRun(100, func() { s.TryEmitNext(1) }))
		})
	}
}

func TestSinkArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: sink: capacity must be positive, got 0", func() { Capacity(0) })
	assert.PanicsWithValue(t, "reactor: sink: history must be positive, got 0", func() { History(0) })
	assert.PanicsWithValue(t, "reactor: sink: time to live must not be negative, got -1ns", func() { TTL(-1) })
	assert.PanicsWithValue(t, "reactor: sink: the scheduler is nil", func() { On(nil) })
	assert.PanicsWithValue(t, "reactor: sink: the function given to OnEnd is nil", func() { OnEnd(nil) })
	assert.PanicsWithValue(t, "reactor: busyLooping: duration must not be negative, got -1ns", func() { BusyLooping(-1) })
}

func TestNilContexts(t *testing.T) {
	var none context.Context
	many := Many().Multicast().DirectBestEffort[int]()
	assert.PanicsWithValue(t, "reactor: emitNextWait: the context is nil", func() { _ = many.EmitNextWait(none, 1) })
	up := Unsafe().ManyWithUpstream[int]()
	assert.PanicsWithValue(t, "reactor: sink: the context is nil", func() { _, _ = up.SubscribeTo(none, many) })
}

// A sink that nobody has made says so, whatever is called.
func TestZeroSinks(t *testing.T) {
	ctx := t.Context()
	for _, call := range []func(){
		func() { new(ManySink[int]).TryEmitNext(1) },
		func() { new(ManySink[int]).TryEmitComplete() },
		func() { _ = new(ManySink[int]).EmitError(errBoom, FailFast) },
		func() { _ = new(ManySink[int]).EmitNextWait(ctx, 1) },
		func() { new(ManySink[int]).CurrentSubscriberCount() },
		func() { new(ManySink[int]).Source() },
		func() { new(ManySink[int]).Subscribe(ctx, nil) },
		func() { _, _ = new(UpstreamSink[int]).SubscribeTo(ctx, operators.Just(1)) },
	} {
		assert.PanicsWithValue(t, "reactor: sink: the zero ManySink can't be used, sinks.Many makes one", call)
	}
	one, none := new(OneSink[int]), new(EmptySink[int])
	for _, call := range []func(){
		func() { one.TryEmitValue(1) }, func() { one.TryEmitEmpty() }, func() { _ = one.EmitError(errBoom, FailFast) },
		func() { one.Source() }, func() { one.Subscribe(ctx, nil) }, func() { one.CurrentSubscriberCount() },
	} {
		assert.PanicsWithValue(t, "reactor: sink: the zero OneSink can't be used, sinks.One makes one", call)
	}
	for _, call := range []func(){
		func() { none.TryEmitEmpty() }, func() { none.TryEmitError(errBoom) }, func() { none.Source() },
		func() { none.Subscribe(ctx, nil) }, func() { none.CurrentSubscriberCount() },
	} {
		assert.PanicsWithValue(t, "reactor: sink: the zero EmptySink can't be used, sinks.Empty makes one", call)
	}
}

// The outcome is kept for those who come later: one who leaves without the element does not discard it.
func TestOneLeftWithoutTheElement(t *testing.T) {
	ctx, hooks := probe.Recorded()
	s := One[int]()
	early := probe.ListenIn[int](ctx, s, 0)
	s.TryEmitValue(7)
	early.Cancel()
	late := &probe.Probe[int]{Subscribed: reactor.Subscription.Cancel}
	s.Subscribe(ctx, late)
	assert.Empty(t, hooks.Discarded)
	probe.ListenIn[int](ctx, s, 1).Done(t, 7)
}

// A sink of Unsafe lets everybody in; one with a guard refuses another goroutine.
func TestUnsafeHasNoGuard(t *testing.T) {
	for want, spec := range map[EmitResult]Spec{OK: Unsafe(), FailNonSerialized: {}} {
		s := spec.Many().Multicast().DirectAllOrNothing[int]()
		result := make(chan EmitResult)
		p := &probe.Probe[int]{Initial: all, Each: func(v int) {
			if v == 1 {
				go func() { result <- s.TryEmitNext(2) }()
				assert.Equal(t, want, <-result)
			}
		}}
		s.Subscribe(context.Background(), p)
		assert.Equal(t, OK, s.TryEmitNext(1))
	}
}

// Only a sink that has ended drops the error of an emission; otherwise it is the caller's.
func TestEmitErrorThatFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	s := Many().Unicast().OnBackpressureError[int]()
	assert.Equal(t, &EmissionError{Result: FailZeroSubscriber, Cause: errBoom}, s.EmitError(errBoom, nil))
	p := probe.ListenIn[int](ctx, s, 0)
	result := make(chan error)
	p.Request(1)
	p.Each = func(int) {
		go func() { result <- s.EmitError(errBoom, nil) }()
		assert.Equal(t, &EmissionError{Result: FailNonSerialized, Cause: errBoom}, <-result)
	}
	assert.Equal(t, OK, s.TryEmitNext(1))
	assert.Empty(t, hooks.Errs)
	assert.NoError(t, s.EmitError(errBoom, nil))
	err := s.EmitError(nil, nil)
	var failed *EmissionError
	require.ErrorAs(t, err, &failed)
	assert.ErrorIs(t, failed.Cause, reactor.ErrNilError)
	require.Len(t, hooks.Errs, 1)
	assert.Equal(t, failed.Cause, hooks.Errs[0])
}

// A subscriber that leaves a sink without a function for its end causes no error.
func TestUnicastSinkIsLeftWithoutAFunction(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probe.ListenIn[int](ctx, Many().Unicast().OnBackpressureBuffer[int](), 0)
	p.Cancel()
	assert.Empty(t, hooks.Errs)
}
