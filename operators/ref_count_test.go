package operators

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
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
// nothing more is asked for, since the run is stopped by that.
func TestRefCountReplayOfASourceWithoutEnd(t *testing.T) {
	const most = 1 << 20
	sent, got := 0, 0
	shared := RefCount(Replay(DoOnNext(Range(0, most), func(int) { sent++ }), History(10)), 1)
	for _, err := range All(t.Context(), shared) {
		require.NoError(t, err)
		if got++; got == 1000 {
			break
		}
	}
	assert.Less(t, sent, 2000)
}
