package operators

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestReplay(t *testing.T) {
	src := &puppet[int]{}
	shared := Replay[int](src)
	a, slow := run[int](shared), probeOf[int](0)
	shared.Subscribe(context.Background(), slow)
	connectTo(shared)
	for v := range 3 {
		src.last().OnNext(v)
	}
	a.Open(t, 0, 1, 2)
	late := run[int](shared)
	late.Open(t, 0, 1, 2)
	slow.Request(2)
	slow.Open(t, 0, 1)
	src.last().OnComplete()
	a.Done(t, 0, 1, 2)
	late.Done(t, 0, 1, 2)
	slow.Request(1)
	slow.Done(t, 0, 1, 2)
	run[int](shared).Done(t, 0, 1, 2)
	connectTo(shared)
	assert.Equal(t, 1, src.count())
}

func TestReplayFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	shared := Replay[int](src)
	shared.Connect(ctx, nil)
	src.last().OnNext(1)
	src.last().OnError(errBoom)
	run[int](shared).Failed(t, errBoom, 1)
	p := probeOf[int](0)
	shared.Subscribe(ctx, p)
	p.Open(t)
	p.Request(1)
	p.Failed(t, errBoom, 1)
	src.last().OnNext(2)
	src.last().OnError(errOther)
	src.last().OnComplete()
	assert.Equal(t, []any{2}, hooks.Dropped)
	assert.Equal(t, []any{errOther}, hooks.Errs)
}

func TestReplayHistory(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 40, 1000} {
		src := &puppet[int]{}
		shared := Replay[int](src, History(n))
		slow := probeOf[int](0)
		shared.Subscribe(context.Background(), slow)
		connectTo(shared)
		var all []int
		for v := range 100 {
			all = append(all, v)
			src.last().OnNext(v)
			if v%10 == 0 {
				run[int](shared).Open(t, all[max(0, len(all)-n):]...)
			}
		}
		src.last().OnComplete()
		run[int](shared).Done(t, all[max(0, len(all)-n):]...)
		slow.Request(100)
		slow.Done(t, all...)
	}
}

func TestReplayNoHistory(t *testing.T) {
	src := &puppet[int]{}
	shared := Replay[int](src, History(0))
	a := run[int](shared)
	connectTo(shared)
	src.last().OnNext(1)
	run[int](shared).Open(t)
	src.last().OnError(errBoom)
	a.Failed(t, errBoom, 1)
	run[int](shared).Failed(t, errBoom)
	connectTo(shared)
	run[int](shared).Open(t)
	assert.Equal(t, 2, src.count())
	src.last().OnComplete()
	run[int](shared).Done(t)
}

func TestReplayTTL(t *testing.T) {
	clock := &handScheduler{}
	src := &puppet[int]{}
	shared := Replay[int](src, TTL(10*time.Millisecond), On(clock))
	slow := probeOf[int](0)
	shared.Subscribe(context.Background(), slow)
	connectTo(shared)
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	src.last().OnNext(1)
	clock.forward(5 * time.Millisecond)
	src.last().OnNext(2)
	run[int](shared).Open(t, 1, 2)
	clock.forward(5 * time.Millisecond)
	run[int](shared).Open(t, 2)
	clock.forward(5 * time.Millisecond)
	run[int](shared).Open(t)
	src.last().OnNext(3)
	src.last().OnComplete()
	slow.Request(3)
	slow.Done(t, 1, 2, 3)
	clock.forward(10 * time.Millisecond)
	run[int](shared).Done(t, 3)
	assert.Equal(t, 1, src.count())
	clock.forward(time.Millisecond)
	p := run[int](shared)
	p.Open(t)
	assert.Equal(t, 2, src.count(), "a new run, without Connect")
	src.last().OnNext(4)
	p.Open(t, 4)
}

func TestReplayTTLAndHistory(t *testing.T) {
	clock := &handScheduler{}
	src := &puppet[int]{}
	shared := Replay[int](src, History(2), TTL(10*time.Millisecond), On(clock))
	connectTo(shared)
	assert.Equal(t, int64(2), src.last().requested.Load())
	for v := range 3 {
		src.last().OnNext(v)
		clock.forward(4 * time.Millisecond)
	}
	run[int](shared).Open(t, 1, 2)
	clock.forward(2 * time.Millisecond)
	run[int](shared).Open(t, 2)
	clock.forward(4 * time.Millisecond)
	run[int](shared).Open(t)

	// Without any lifetime, elements are for those who are there.
	src = &puppet[int]{}
	shared = Replay[int](src, TTL(0), On(clock))
	p := run[int](shared)
	connectTo(shared)
	for v := range 40 {
		src.last().OnNext(v)
		run[int](shared).Open(t)
	}
	assert.Len(t, p.Got(), 40)
}

// What is asked for follows the slowest subscriber, or the source if there is none.
func TestReplayDemand(t *testing.T) {
	src := &puppet[int]{}
	shared := Replay[int](src, History(4))
	a, b := run[int](shared), probeOf[int](0)
	shared.Subscribe(context.Background(), b)
	connectTo(shared)
	up := src.last()
	assert.Equal(t, int64(4), up.requested.Load())
	for v := range 4 {
		up.OnNext(v)
	}
	assert.Equal(t, int64(4), up.requested.Load())
	b.Request(2)
	assert.Equal(t, int64(4), up.requested.Load())
	b.Request(1)
	assert.Equal(t, int64(7), up.requested.Load())
	for v := range 3 {
		up.OnNext(v)
	}
	assert.Equal(t, int64(7), up.requested.Load())
	b.Cancel()
	assert.Equal(t, int64(10), up.requested.Load(), "the slowest one has left")
	a.Cancel()
	for v := range 3 {
		up.OnNext(v)
	}
	assert.Equal(t, int64(13), up.requested.Load(), "nobody is there")
}

func TestReplayDisconnected(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	shared := Replay[int](src)
	p := run[int](shared)
	var connection reactor.Disposable
	shared.Connect(ctx, func(d reactor.Disposable) { connection = d })
	src.last().OnNext(1)
	assert.False(t, connection.IsDisposed())
	connection.Dispose()
	connection.Dispose()
	assert.True(t, connection.IsDisposed())
	p.Failed(t, reactor.ErrCancelled, 1)
	assert.Equal(t, int64(1), src.last().cancels.Load())
	src.last().OnNext(2)
	src.last().OnError(errBoom)
	assert.Equal(t, []any{2}, hooks.Discarded)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
	q := run[int](shared)
	q.Open(t)
	connectTo(shared)
	assert.Equal(t, 2, src.count())
}

func TestReplayWithASubscriberThatFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	shared := Replay[int](src, History(1))
	a, b := run[int](shared), probeOf[int](reactor.Unbounded)
	Map(shared, func(int) int { panic(errBoom) }).Subscribe(ctx, b)
	c := run[int](shared)
	connectTo(shared)
	src.last().OnNext(1)
	src.last().OnNext(2)
	a.Open(t, 1, 2)
	b.Failed(t, errBoom)
	c.Open(t, 1, 2)
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.Equal(t, int64(3), src.last().requested.Load())
}

// Consumers that ask in any pattern get everything: the source is always asked again.
func TestReplayIsDrainedWhateverTheDemand(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 64} {
		for _, step := range []int64{1, 2, 3, 7} {
			cached := Cache(Range(0, 300), History(n))
			a, b := probeOf[int](0), probeOf[int](0)
			cached.Subscribe(context.Background(), a)
			cached.Subscribe(context.Background(), b)
			for !a.Over() || !b.Over() {
				before := len(a.Got()) + len(b.Got())
				a.Request(step)
				b.Request(step + 1)
				if !a.Over() && !b.Over() && !assert.Greater(t, len(a.Got())+len(b.Got()), before, "stalled") {
					return
				}
			}
			assert.Len(t, a.Got(), 300)
			assert.Len(t, b.Got(), 300)
		}
	}
}

// Whoever reads sees a stretch of the sequence without holes, and the end.
func TestReplayRaces(t *testing.T) {
	for name, opts := range map[string][]ReplayOption{
		"all":     nil,
		"limited": {History(3)},
		"one":     {History(1)},
		"timed":   {History(4), TTL(time.Hour), On(&handScheduler{})},
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(150), func(race func(...func())) {
				if t.Failed() {
					return
				}
				src := &puppet[*int]{}
				books := newSharedBooks()
				shared := Replay[*int](src, opts...)
				a, b := books.probe(5), books.probe(reactor.Unbounded)
				shared.Subscribe(books.ctx, a)
				connectTo(shared)
				race(
					func() {
						for range 40 {
							src.last().OnNext(books.produce())
						}
						src.last().OnComplete()
					},
					func() { shared.Subscribe(books.ctx, b) },
					func() { a.Request(7); a.Request(100) },
				)
				for _, p := range []*probe.Probe[*int]{a, b} {
					p.Faultless(t)
					assert.True(t, p.Over())
					got := p.Got()
					assert.Equal(t, books.produced[40-len(got):], got)
				}
				assert.Len(t, a.Got(), 40)
			})
		})
	}
	t.Run("stopped", func(t *testing.T) {
		racetest.Repeat(racetest.Iterations(150), func(race func(...func())) {
			if t.Failed() {
				return
			}
			src := &puppet[*int]{}
			books := newSharedBooks()
			shared := Replay[*int](src, History(2))
			a, b := books.probe(reactor.Unbounded), books.probe(1)
			shared.Subscribe(books.ctx, a)
			var handle reactor.Disposable
			shared.Connect(books.ctx, func(d reactor.Disposable) { handle = d })
			race(
				func() {
					for range 4 {
						src.subs[0].OnNext(books.produce())
					}
					src.subs[0].OnError(errBoom)
				},
				func() { handle.Dispose() },
				func() { shared.Subscribe(books.ctx, b); b.Cancel() },
			)
			a.Faultless(t)
			b.Faultless(t)
			assert.True(t, a.Over())
		})
	})
	t.Run("demand", func(t *testing.T) {
		racetest.Repeat(racetest.Iterations(150), func(race func(...func())) {
			if t.Failed() {
				return
			}
			cached := Cache(Range(0, 50), History(2))
			a, b, c := probeOf[int](0), probeOf[int](0), probeOf[int](1)
			for _, p := range []*probe.Probe[int]{a, b, c} {
				cached.Subscribe(context.Background(), p)
			}
			drain := func(p *probe.Probe[int]) func() {
				return func() {
					for range 50 {
						p.Request(1)
					}
				}
			}
			race(drain(a), drain(b), func() { c.Request(3); c.Cancel() })
			for _, p := range []*probe.Probe[int]{a, b} {
				p.Faultless(t)
				assert.Len(t, p.Got(), 50)
				assert.True(t, p.Over())
			}
		})
	})
}
