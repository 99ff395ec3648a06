package operators

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

func TestRefCount(t *testing.T) {
	src := &puppet[int]{}
	shared := RefCount(Publish[int](src), 2)
	a := run(shared)
	assert.Zero(t, src.count())
	b := run(shared)
	assert.Equal(t, 1, src.count())
	src.last().OnNext(1)
	a.Cancel()
	c := run(shared)
	b.Cancel()
	b.Cancel()
	assert.Zero(t, src.last().cancels.Load())
	src.last().OnNext(2)
	c.Cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
	a.Open(t, 1)
	b.Open(t, 1)
	c.Open(t, 2)

	d := run(shared)
	assert.Equal(t, 1, src.count(), "two are needed again")
	e := run(shared)
	assert.Equal(t, 2, src.count())
	src.last().OnNext(3)
	src.last().OnComplete()
	d.Done(t, 3)
	e.Done(t, 3)
	run(shared)
	run(shared)
	assert.Equal(t, 3, src.count())
}

// One who leaves before there is a connection leaves nothing behind.
func TestRefCountLeftBeforeItConnects(t *testing.T) {
	src := &puppet[int]{}
	shared := RefCount(Publish[int](src), 2)
	run(shared).Cancel()
	run(shared)
	assert.Zero(t, src.count())
	gone := probeOf[int](1)
	gone.Subscribed = func(up reactor.Subscription) { up.Cancel() }
	shared.Subscribe(context.Background(), gone)
	assert.Zero(t, src.count())
	run(shared)
	assert.Equal(t, 1, src.count())
}

func TestRefCountWithASourceThatEmitsAtOnce(t *testing.T) {
	runs := 0
	shared := Share(Defer(func(context.Context) reactor.Publisher[int] { runs++; return FromSlice([]int{1, 2, 3}) }))
	run(shared).Done(t, 1, 2, 3)
	run(Take(shared, 1)).Done(t, 1)
	run(shared).Done(t, 1, 2, 3)
	assert.Equal(t, 3, runs)
	run(Share(Error[int](errBoom))).Failed(t, errBoom)
}

// A subscriber that fails counts as one that has left.
func TestRefCountWithASubscriberThatFails(t *testing.T) {
	src := &puppet[int]{}
	shared := RefCount(Publish[int](src), 1)
	boom := func(int) int { panic(errBoom) }
	a, b := run(Map(shared, boom)), run(shared)
	src.last().OnNext(1)
	a.Failed(t, errBoom)
	b.Open(t, 1)
	c := run(shared)
	assert.Equal(t, 1, src.count(), "it is still the same run")
	b.Cancel()
	assert.Zero(t, src.last().cancels.Load())
	c.Cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())

	d := run(Map(shared, boom))
	src.last().OnNext(1)
	d.Failed(t, errBoom)
	assert.Equal(t, int64(1), src.last().cancels.Load(), "the last one has failed")
}

// The last one has failed, and what hears of the cancellation ends the goroutine: it is told of its failure.
func TestRefCountWithACancellationThatEndsTheGoroutine(t *testing.T) {
	src := &puppet[int]{}
	shared := RefCount(Publish(DoOnCancel[int](src, runtime.Goexit)), 1)
	p := run(Map(shared, func(int) int { panic(errBoom) }))
	racetest.Aside(func() { src.last().OnNext(1) })
	p.Failed(t, errBoom)
}

func TestRefCountGrace(t *testing.T) {
	clock := &handScheduler{}
	src := &puppet[int]{}
	shared := RefCount(Publish[int](src), 1, Grace(10*time.Millisecond), On(clock))
	run(shared).Cancel()
	clock.forward(9 * time.Millisecond)
	a := run(shared)
	assert.Zero(t, clock.pending(), "somebody has come")
	clock.forward(time.Second)
	assert.Zero(t, src.last().cancels.Load())
	a.Cancel()
	clock.forward(10 * time.Millisecond)
	assert.Equal(t, int64(1), src.last().cancels.Load())
	run(shared)
	assert.Equal(t, 2, src.count())
}

// A source that ends when nobody is there makes room for the next run.
func TestRefCountGraceAndASourceThatEnds(t *testing.T) {
	clock := &handScheduler{}
	src := &puppet[int]{}
	shared := RefCount(Publish[int](src), 1, Grace(time.Second), On(clock))
	run(shared).Cancel()
	src.last().OnComplete()
	p := run(shared)
	assert.Equal(t, 2, src.count())
	clock.forward(time.Minute)
	src.last().OnNext(1)
	p.Open(t, 1)
	src.last().OnComplete()
	p.Cancel()
	assert.Zero(t, clock.pending())
}

func TestRefCountGraceWithASchedulerThatRefuses(t *testing.T) {
	clock := &handScheduler{}
	clock.refuse(schedulers.ErrUnavailable)
	src := &puppet[int]{}
	run(RefCount(Publish[int](src), 1, Grace(time.Second), On(clock))).Cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
}

func TestRefCountReplay(t *testing.T) {
	src := &puppet[int]{}
	shared := RefCount(Replay[int](src), 1)
	a := run(shared)
	src.last().OnNext(1)
	run(shared).Open(t, 1)
	src.last().OnComplete()
	a.Done(t, 1)
	run(shared).Done(t, 1)
	assert.Equal(t, 1, src.count(), "what is kept stays")

	src = &puppet[int]{}
	shared = RefCount(Replay[int](src), 1)
	a = run(shared)
	src.last().OnNext(1)
	a.Cancel()
	b := run(shared)
	assert.Equal(t, 2, src.count())
	b.Open(t)
}

func TestRefCountReplayTTL(t *testing.T) {
	clock := &handScheduler{}
	src := &puppet[int]{}
	shared := RefCount(Replay[int](src, TTL(time.Second), On(clock)), 1, Grace(time.Hour), On(clock))
	run(shared).Cancel()
	src.last().OnNext(1)
	src.last().OnComplete()
	run(shared).Done(t, 1)
	clock.forward(2 * time.Second)
	p := run(shared)
	p.Open(t)
	assert.Equal(t, 2, src.count())
	src.last().OnNext(2)
	p.Open(t, 2)
}

// Whoever stays gets what the source sends, however others come and go.
func TestRefCountRaces(t *testing.T) {
	for name, opts := range map[string][]RefCountOption{"at once": nil, "grace": {Grace(time.Second)}} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(200), func(race func(...func())) {
				if t.Failed() {
					return
				}
				src, clock := &puppet[int]{}, &handScheduler{}
				shared := RefCount(Publish[int](src), 1, append(opts, On(clock))...)
				a, b := run(shared), probeOf[int](1)
				race(
					a.Cancel,
					func() { shared.Subscribe(context.Background(), b) },
					func() { clock.forward(time.Minute) },
				)
				clock.forward(time.Minute)
				assert.Zero(t, src.last().cancels.Load())
				src.last().OnNext(3)
				b.Open(t, 3)
				b.Cancel()
				clock.forward(time.Minute)
				for _, s := range src.subs {
					assert.Equal(t, int64(1), s.cancels.Load())
				}
			})
		})
	}
	t.Run("end", func(t *testing.T) {
		racetest.Repeat(racetest.Iterations(200), func(race func(...func())) {
			if t.Failed() {
				return
			}
			src := &puppet[int]{}
			shared := RefCount(Publish[int](src), 1)
			a, b := run(shared), probeOf[int](1)
			race(
				func() { src.subs[0].OnComplete() },
				func() { shared.Subscribe(context.Background(), b) },
			)
			a.Done(t)
			if src.count() == 2 {
				src.last().OnComplete()
			}
			b.Done(t)
		})
	})
	t.Run("threshold", func(t *testing.T) {
		racetest.Repeat(racetest.Iterations(200), func(race func(...func())) {
			if t.Failed() {
				return
			}
			src := &puppet[int]{}
			for _, shared := range []reactor.Publisher[int]{RefCount(Publish[int](src), 2), AutoConnect(Publish[int](src), 2)} {
				before := src.count()
				race(func() { run(shared) }, func() { run(shared) })
				assert.Equal(t, before+1, src.count())
			}
		})
	})
}

// The last one leaves a run that keeps some elements, of a source that emits where it is asked and has hardly an end:
// nothing more is asked for, since the run is stopped by that, at once or later.
func TestRefCountReplayOfASourceWithoutEnd(t *testing.T) {
	const most = 1 << 20
	for name, opts := range map[string][]RefCountOption{"at once": nil, "grace": {Grace(time.Second), On(&handScheduler{})}} {
		t.Run(name, func(t *testing.T) {
			sent, got := 0, 0
			shared := RefCount(Replay(DoOnNext(Range(0, most), func(int) { sent++ }), History(10)), 1, opts...)
			for range 2 { // with Grace who comes next gets what was kept, and more
				for _, err := range All(t.Context(), shared) {
					require.NoError(t, err)
					if got++; got%1000 == 0 {
						break
					}
				}
			}
			assert.Equal(t, 2000, got)
			assert.Less(t, sent, 3000)
		})
	}
}

// The only one leaves while another one gets its subscription: the new one sets the pace.
func TestRefCountReplayLeftWhileSomebodyComes(t *testing.T) {
	for name, connected := range map[string]bool{"refCount": false, "connected": true} {
		t.Run(name, func(t *testing.T) {
			sent := 0
			replay := Replay(DoOnNext(Range(0, 1<<20), func(int) { sent++ }), History(4))
			var shared reactor.Publisher[int] = replay
			if !connected {
				shared = RefCount(replay, 1)
			}
			a, b := probeOf[int](3), probeOf[int](0)
			shared.Subscribe(context.Background(), a)
			if connected {
				connectTo(replay)
			}
			b.Subscribed = func(reactor.Subscription) { a.Cancel() }
			shared.Subscribe(context.Background(), b)
			assert.Less(t, sent, 100)
			before := sent
			b.Request(50)
			assert.Len(t, b.Got(), 50)
			assert.Less(t, sent, before+60)
		})
	}
}

// The last one leaves within an element of a source that emits where it was asked: that one stops, although the run goes on.
func TestRefCountReplayLeftWithinAnElement(t *testing.T) {
	for _, early := range []int64{0, 20} {
		sent := 0
		shared := RefCount(Replay(DoOnNext(Range(0, 1<<20), func(int) { sent++ }), History(4)), 1, Grace(time.Second), On(&handScheduler{}))
		p := probeOf[int](early)
		p.Each = func(v int) {
			if v == 10 {
				p.Cancel()
			}
		}
		shared.Subscribe(context.Background(), p)
		p.Request(20)
		assert.Less(t, sent, 30)
		before := sent
		q := probeOf[int](100)
		shared.Subscribe(context.Background(), q)
		assert.Len(t, q.Got(), 100)
		assert.Less(t, sent, before+110)
	}
}

// While nobody is there a source that emits by itself goes on, and is asked for more.
func TestRefCountReplayGoesOnByItself(t *testing.T) {
	src := &puppet[int]{}
	shared := RefCount(Replay[int](src, History(4)), 1, Grace(time.Second), On(&handScheduler{}))
	slow := probeOf[int](0)
	shared.Subscribe(context.Background(), slow)
	slow.Cancel()
	for v := range 20 {
		require.Greater(t, src.last().requested.Load(), int64(v))
		src.last().OnNext(v)
	}
	run(shared).Open(t, 16, 17, 18, 19)
}

// The only subscriber fails: it hears of that at once, and the source is cancelled.
func TestRefCountReplayWithASubscriberThatFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	sent, cancelled := 0, false
	src := DoOnCancel(DoOnNext(Range(0, 1<<20), func(int) { sent++ }), func() { cancelled = true })
	p := probeOf[int](0)
	Map(RefCount(Replay(src, History(4)), 1), func(int) int { panic(errBoom) }).Subscribe(ctx, p)
	p.Request(1)
	p.Failed(t, errBoom)
	assert.True(t, cancelled)
	assert.Less(t, sent, 100)
	assert.Equal(t, []any{0}, hooks.Discarded)

	// A run that is not counted goes on without it, behind the error.
	sent = 0
	p = probeOf[int](0)
	shared := Replay(DoOnNext(Range(0, 300), func(int) { sent++ }), History(4))
	failing := Map(shared, func(int) int { panic(errBoom) })
	DoOnError(failing, func(error) { assert.Less(t, sent, 100) }).Subscribe(ctx, p)
	connectTo(shared)
	p.Request(1)
	p.Failed(t, errBoom)
	assert.Equal(t, 300, sent)
}

// The last one leaves when another one comes, which gets what it asks for.
func TestRefCountReplayRaces(t *testing.T) {
	for name, opts := range map[string][]RefCountOption{"at once": nil, "grace": {Grace(time.Second), On(&handScheduler{})}} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int64{0, 3, reactor.Unbounded} {
				racetest.Repeat(racetest.Iterations(200), func(race func(...func())) {
					if t.Failed() {
						return
					}
					shared := RefCount(Replay(Range(0, 60), History(4)), 1, opts...)
					a, b := probeOf[int](n), probeOf[int](reactor.Unbounded)
					if n == reactor.Unbounded {
						a.Each = func(v int) {
							if v == 10 {
								a.Cancel()
							}
						}
					}
					shared.Subscribe(context.Background(), a)
					race(a.Cancel, func() { shared.Subscribe(context.Background(), b) })
					b.Faultless(t)
					assert.True(t, b.Over(), "got %v", b.Got())
				})
			}
		})
	}
}
