package operators

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// The rows M, C, D, T and H of docs/regressions.md: multicast, cancellation, discarding,
// timeouts, hops. Those of sinks are tested there.

// M6, X#6185 and X#6501: whoever came to a refCount just as its run ended waited for ever.
func TestRegressionM6(t *testing.T) {
	racetest.Repeat(racetest.Iterations(10_000), func(race func(...func())) {
		shared := RefCount(Publish(Just(1)), 1)
		a, b := probeOf[int](1), probeOf[int](1)
		race(func() { shared.Subscribe(context.Background(), a) }, func() { shared.Subscribe(context.Background(), b) })
		if !a.Over() || !b.Over() {
			require.Fail(t, "waits for ever")
		}
	})
}

// leaving cancels as soon as it gets its subscription.
type leaving struct{ probe.Probe[int] }

func (p *leaving) OnSubscribe(up reactor.Subscription) {
	p.Probe.OnSubscribe(up)
	up.Cancel()
}

// M7, R#4387 and R#4289: a subscriber that cancelled in OnSubscribe counted for ever.
func TestRegressionM7(t *testing.T) {
	for name, connectable := range map[string]func(src reactor.Publisher[int]) ConnectablePublisher[int]{
		"publish": func(src reactor.Publisher[int]) ConnectablePublisher[int] { return Publish(src) },
		"replay":  func(src reactor.Publisher[int]) ConnectablePublisher[int] { return Replay(src, History(1)) },
	} {
		t.Run(name, func(t *testing.T) {
			src := &puppet[int]{}
			shared := RefCount(connectable(src), 1)
			stays := run(shared)
			src.last().OnNext(1)
			for range 3 {
				shared.Subscribe(context.Background(), &leaving{})
			}
			assert.Zero(t, src.last().cancels.Load())
			stays.Cancel()
			assert.EqualValues(t, 1, src.last().cancels.Load())

			src = &puppet[int]{}
			RefCount(connectable(src), 1).Subscribe(context.Background(), &leaving{})
			for _, s := range src.subs {
				assert.EqualValues(t, 1, s.cancels.Load(), "nobody is there")
			}
		})
	}
}

// M8, R#3618: publish made a completion of an error, for the error was stored after the
// mark that the source has ended.
func TestRegressionM8(t *testing.T) {
	racetest.Repeat(racetest.Iterations(10_000), func(race func(...func())) {
		src := &puppet[int]{}
		shared := Publish(src)
		p := probeOf[int](1)
		shared.Subscribe(context.Background(), p)
		connectTo(shared)
		up := src.last()
		race(func() { up.OnError(errBoom) }, func() { p.Request(1) })
		if p.Failure() != errBoom {
			require.ErrorIs(t, p.Failure(), errBoom)
		}
	})
}

// M9, G#318: a subscriber that did not listen any more blocked all others.
func TestRegressionM9(t *testing.T) {
	shared := Publish(Range(0, 1000), Prefetch(4))
	gone, stays := probeOf[int](1), probeOf[int](reactor.Unbounded)
	shared.Subscribe(context.Background(), gone)
	shared.Subscribe(context.Background(), stays)
	connectTo(shared)
	stays.Open(t, 0)
	gone.Cancel()
	stays.Done(t, numbers(1000)...)
}

// M10, X#5139: a replay whose elements were all too old did not even tell of the end.
func TestRegressionM10(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	shared := Replay(src, TTL(10), On(h))
	connectTo(shared)
	src.last().OnNext(1)
	h.forward(11)
	late := run[int](shared)
	src.last().OnComplete()
	late.Done(t)
	h.forward(11)
	// A run that is over and forgotten is followed by the next one.
	next := run[int](shared)
	connectTo(shared)
	src.last().OnComplete()
	next.Done(t)
}

// C1, R#2037: subscribeOn kept its worker if it was cancelled before it had subscribed.
func TestRegressionC1(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(SubscribeOn(src, h))
	p.Cancel()
	h.run()
	h.assertReleased(t)
	assert.Zero(t, src.count())
	SubscribeOn(src, h).Subscribe(context.Background(), &leaving{})
	h.run()
	h.assertReleased(t)
	p = run(PublishOn(src, h))
	p.Cancel()
	h.run()
	h.assertReleased(t)
}

// C2, R#1622: create did not call OnCancel if the subscriber had cancelled at once.
func TestRegressionC2(t *testing.T) {
	var cancelled, disposed int
	Create(func(s *FluxSink[int]) {
		s.OnCancel(func() { cancelled++ })
		s.OnDispose(func() { disposed++ })
	}).Subscribe(context.Background(), &leaving{})
	MonoCreate(func(s *MonoSink[int]) {
		s.OnCancel(func() { cancelled++ })
		s.OnDispose(func() { disposed++ })
	}).Subscribe(context.Background(), &leaving{})
	assert.Equal(t, 2, cancelled)
	assert.Equal(t, 2, disposed)
}

// C3, R#2836: usingWhen forgot a resource that came as the stream was cancelled.
func TestRegressionC3(t *testing.T) {
	racetest.Repeat(racetest.Iterations(10_000), func(race func(...func())) {
		var released atomic.Int32
		resource, used := &puppet[int]{}, &puppet[int]{}
		p := run(UsingWhen[int, int, int](resource, func(int) reactor.Publisher[int] { return used }, AsyncCleanup[int, int]{
			Complete: func(int) reactor.Publisher[int] { released.Add(1); return Empty[int]() },
		}))
		race(func() { resource.last().OnNext(1) }, p.Cancel)
		if n := released.Load(); n != 1 {
			require.EqualValues(t, 1, n)
		}
	})
}

// raceToTheBooks lets one signal meet the cancellation; no element may be lost.
func raceToTheBooks(t *testing.T, n int, stage func(l *ledger.Ledger, src elements) (elements, func(up *puppetSubscription[element]))) {
	racetest.Repeat(racetest.Iterations(n), func(race func(...func())) {
		l := ledger.New(t)
		src := &puppet[element]{}
		out, signal := stage(l, src)
		p := ledgerProbe(l, reactor.Unbounded)
		out.Subscribe(l.Context(quiet()), p)
		var up *puppetSubscription[element]
		if src.count() > 0 {
			up = src.last()
		}
		race(func() { signal(up) }, p.Cancel)
		p.Faultless(t)
		l.Check()
	})
}

// D1, R#1660: collectList lost an element that came as it was cancelled.
func TestRegressionD1(t *testing.T) {
	raceToTheBooks(t, 5000, func(l *ledger.Ledger, src elements) (elements, func(up *puppetSubscription[element])) {
		// What gets through goes on, so that the books see it.
		each := FlatMapSlice(CollectSlice(src), func(list []element) []element { return list })
		return each, func(up *puppetSubscription[element]) {
			up.OnNext(l.Produce())
			up.OnNext(l.Produce())
			up.OnComplete()
		}
	})
}

// D2, R#4396: publishOn forgot its queue if it was cancelled before its task began.
func TestRegressionD2(t *testing.T) {
	for name, hop := range map[string]func(src reactor.Publisher[int], h *handScheduler) reactor.Publisher[int]{
		"publishOn": func(src reactor.Publisher[int], h *handScheduler) reactor.Publisher[int] { return PublishOn(src, h) },
		"delayElement": func(src reactor.Publisher[int], h *handScheduler) reactor.Publisher[int] {
			return MonoDelayElement(src, 1, On(h))
		},
		"mono": func(src reactor.Publisher[int], h *handScheduler) reactor.Publisher[int] {
			return MonoPublishOn(src, h)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			h := &handScheduler{}
			src := &puppet[int]{}
			p := runWith(ctx, hop(src, h))
			src.last().OnNext(1)
			p.Cancel()
			assert.Contains(t, hooks.Discarded, 1, "before a task has begun")
			h.forward(10)
			src.last().OnNext(2)
			assert.ElementsMatch(t, []any{1, 2}, append(hooks.Discarded, hooks.Dropped...))
			p.Open(t)
		})
	}
}

// D3, R#4379: the ordered merges forgot what waited for its turn.
func TestRegressionD3(t *testing.T) {
	for name, stage := range map[string]func(a, b *puppet[int]) reactor.Publisher[int]{
		"mergeSequential": func(a, b *puppet[int]) reactor.Publisher[int] { return MergeSequential([]reactor.Publisher[int]{a, b}) },
		"flatMapSequential": func(a, b *puppet[int]) reactor.Publisher[int] {
			return FlatMapSequential(Range(0, 2), func(n int) reactor.Publisher[int] { return []reactor.Publisher[int]{a, b}[n] })
		},
	} {
		for how, end := range map[string]func(p *probe.Probe[int], a *puppet[int]){
			"cancel": func(p *probe.Probe[int], _ *puppet[int]) { p.Cancel() },
			"error":  func(_ *probe.Probe[int], a *puppet[int]) { a.last().OnError(errBoom) },
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				a, b := &puppet[int]{}, &puppet[int]{}
				p := runWith(ctx, stage(a, b))
				b.last().OnNext(1)
				b.last().OnNext(2)
				end(p, a)
				assert.Equal(t, []any{1, 2}, hooks.Discarded)
			})
		}
	}
}

// D4, R#1634 and R#2114: an element that a producer handed to create as it was cancelled
// stayed in the queue.
func TestRegressionD4(t *testing.T) {
	var sink *FluxSink[element]
	raceToTheBooks(t, 5000, func(l *ledger.Ledger, _ elements) (elements, func(*puppetSubscription[element])) {
		return Create(func(s *FluxSink[element]) { sink = s }), func(*puppetSubscription[element]) {
			sink.Next(l.Produce())
			sink.Next(l.Produce())
		}
	})
	// Two producers: the one that finds the drain taken leaves its element to the other.
	racetest.Repeat(racetest.Iterations(2000), func(race func(...func())) {
		l := ledger.New(t)
		p := ledgerProbe(l, reactor.Unbounded)
		Create(func(s *FluxSink[element]) { sink = s }).Subscribe(l.Context(quiet()), p)
		next := func() { sink.Next(l.Produce()) }
		race(next, next, p.Cancel)
		p.Faultless(t)
		l.Check()
	})
}

// D5, R#2120: the same with the one element of a Mono.
func TestRegressionD5(t *testing.T) {
	var sink *MonoSink[element]
	raceToTheBooks(t, 5000, func(l *ledger.Ledger, _ elements) (elements, func(*puppetSubscription[element])) {
		return MonoCreate(func(s *MonoSink[element]) { sink = s }), func(*puppetSubscription[element]) { sink.Success(l.Produce()) }
	})
}

// T1, X#4945 and X#5657: a timeout with a fallback left the source running.
func TestRegressionT1(t *testing.T) {
	h := &handScheduler{}
	ctx, hooks := probe.Recorded()
	src, fallback := &puppet[int]{}, &puppet[int]{}
	p := runWith(ctx, TimeoutFallback[int](src, 10, fallback, On(h)))
	src.last().OnNext(1)
	h.forward(10)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(2)
	src.last().OnError(errOther)
	fallback.last().OnNext(3)
	fallback.last().OnComplete()
	p.Done(t, 1, 3)
	assert.Equal(t, []any{2}, hooks.Dropped)
	assert.Len(t, hooks.Errs, 1)

	p = runWith(ctx, TimeoutFallback[int](src, 10, fallback, On(h)))
	p.Cancel()
	src.last().OnError(errOther)
	p.Open(t)
	assert.Zero(t, h.pending())
}

// T2, R#744: an element met the timeout: it was lost, or both were delivered.
func TestRegressionT2(t *testing.T) {
	racetest.Repeat(racetest.Iterations(10_000), func(race func(...func())) {
		ctx, hooks := probe.Recorded()
		src, limit := &puppet[int]{}, &puppet[int]{}
		p := runWith(ctx, TimeoutFirstFallback[int, int](src, limit, Just(7)))
		up := src.last()
		race(func() { up.OnNext(1); up.OnComplete() }, func() { limit.last().OnNext(0) })
		switch got := p.Got(); {
		case len(got) != 1 || !p.Over():
			require.Fail(t, "one of the two")
		case got[0] == 7:
			require.Equal(t, []any{1}, hooks.Dropped)
		default:
			require.Empty(t, hooks.Dropped)
		}
	})
}

// T3, X#7514: a tiny timeout that went off while the source was subscribed was forgotten.
func TestRegressionT3(t *testing.T) {
	src := &puppet[int]{}
	p := run(TimeoutFirst[int, int](src, Just(0))) // goes off before the call that starts it returns
	p.Failed(t, reactor.ErrTimeout)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	s := newParallel(t, 2)
	for range racetest.Iterations(2000) {
		_, err := Collect(context.Background(), Timeout(Never[int](), time.Nanosecond, On(s)))
		require.ErrorIs(t, err, reactor.ErrTimeout)
	}
}

// T4, R#3537: a Mono with a tiny delay never emitted: the task ran before its handle was
// stored.
func TestRegressionT4(t *testing.T) {
	s := newParallel(t, 2)
	for i := range racetest.Iterations(5000) {
		got, err := Collect(context.Background(), MonoDelayElement(Just(i), time.Nanosecond, On(s)))
		require.NoError(t, err)
		require.Equal(t, []int{i}, got)
	}
}

// H1, R#44: a hop with a prefetch of 1 failed or stood still.
func TestRegressionH1(t *testing.T) {
	s := newParallel(t, 2)
	for prefetch := 1; prefetch <= 3; prefetch++ {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // only if it stands still
		got, err := Collect(ctx, PublishOn(PublishOn(Range(0, 1000), s, Prefetch(prefetch)), s, Prefetch(1)))
		cancel()
		require.NoError(t, err)
		require.Equal(t, numbers(1000), got)
	}
}

// H2, R#1771: one of many Monos that hop lost its element now and then.
func TestRegressionH2(t *testing.T) {
	s := newParallel(t, 2)
	for range racetest.Iterations(1000) {
		got, err := Collect(context.Background(), FlatMap(Range(0, 37), func(n int) reactor.Publisher[int] {
			return FlatMap(MonoPublishOn(Just(n), s), func(n int) reactor.Publisher[int] { return Just(n) })
		}))
		require.NoError(t, err)
		require.ElementsMatch(t, numbers(37), got)
	}
}
