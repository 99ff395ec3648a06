package operators

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

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
	a.cancel()
	c := run(shared)
	b.cancel()
	b.cancel()
	assert.Zero(t, src.last().cancels.Load())
	src.last().OnNext(2)
	c.cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
	a.assertOpen(t, 1)
	b.assertOpen(t, 1)
	c.assertOpen(t, 2)

	d := run(shared)
	assert.Equal(t, 1, src.count(), "two are needed again")
	e := run(shared)
	assert.Equal(t, 2, src.count())
	src.last().OnNext(3)
	src.last().OnComplete()
	d.assertCompleted(t, 3)
	e.assertCompleted(t, 3)
	run(shared)
	run(shared)
	assert.Equal(t, 3, src.count())
}

// One who leaves before there is a connection leaves nothing behind.
func TestRefCountLeftBeforeItConnects(t *testing.T) {
	src := &puppet[int]{}
	shared := RefCount(Publish[int](src), 2)
	run(shared).cancel()
	run(shared)
	assert.Zero(t, src.count())
	gone := probeOf[int](1)
	gone.onSubscribe = func(up reactor.Subscription) { up.Cancel() }
	shared.Subscribe(context.Background(), gone)
	assert.Zero(t, src.count())
	run(shared)
	assert.Equal(t, 1, src.count())
}

func TestRefCountWithASourceThatEmitsAtOnce(t *testing.T) {
	runs := 0
	shared := Share(Defer(func(context.Context) reactor.Publisher[int] { runs++; return FromSlice([]int{1, 2, 3}) }))
	run(shared).assertCompleted(t, 1, 2, 3)
	run(Take(shared, 1)).assertCompleted(t, 1)
	run(shared).assertCompleted(t, 1, 2, 3)
	assert.Equal(t, 3, runs)
	run(Share(Error[int](errBoom))).assertFailed(t, errBoom)
}

// A subscriber that fails counts as one that has left.
func TestRefCountWithASubscriberThatFails(t *testing.T) {
	src := &puppet[int]{}
	shared := RefCount(Publish[int](src), 1)
	boom := func(int) int { panic(errBoom) }
	a, b := run(Map(shared, boom)), run(shared)
	src.last().OnNext(1)
	a.assertFailed(t, errBoom)
	b.assertOpen(t, 1)
	c := run(shared)
	assert.Equal(t, 1, src.count(), "it is still the same run")
	b.cancel()
	assert.Zero(t, src.last().cancels.Load())
	c.cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())

	d := run(Map(shared, boom))
	src.last().OnNext(1)
	d.assertFailed(t, errBoom)
	assert.Equal(t, int64(1), src.last().cancels.Load(), "the last one has failed")
}

func TestRefCountGrace(t *testing.T) {
	clock := &handScheduler{}
	src := &puppet[int]{}
	shared := RefCount(Publish[int](src), 1, Grace(10*time.Millisecond), On(clock))
	run(shared).cancel()
	clock.forward(9 * time.Millisecond)
	a := run(shared)
	assert.Zero(t, clock.pending(), "somebody has come")
	clock.forward(time.Second)
	assert.Zero(t, src.last().cancels.Load())
	a.cancel()
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
	run(shared).cancel()
	src.last().OnComplete()
	p := run(shared)
	assert.Equal(t, 2, src.count())
	clock.forward(time.Minute)
	src.last().OnNext(1)
	p.assertOpen(t, 1)
	src.last().OnComplete()
	p.cancel()
	assert.Zero(t, clock.pending())
}

func TestRefCountGraceWithASchedulerThatRefuses(t *testing.T) {
	clock := &handScheduler{}
	clock.refuse(schedulers.ErrUnavailable)
	src := &puppet[int]{}
	run(RefCount(Publish[int](src), 1, Grace(time.Second), On(clock))).cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
}

func TestRefCountReplay(t *testing.T) {
	src := &puppet[int]{}
	shared := RefCount(Replay[int](src), 1)
	a := run(shared)
	src.last().OnNext(1)
	run(shared).assertOpen(t, 1)
	src.last().OnComplete()
	a.assertCompleted(t, 1)
	run(shared).assertCompleted(t, 1)
	assert.Equal(t, 1, src.count(), "what is kept stays")

	src = &puppet[int]{}
	shared = RefCount(Replay[int](src), 1)
	a = run(shared)
	src.last().OnNext(1)
	a.cancel()
	b := run(shared)
	assert.Equal(t, 2, src.count())
	b.assertOpen(t)
}

func TestRefCountReplayTTL(t *testing.T) {
	clock := &handScheduler{}
	src := &puppet[int]{}
	shared := RefCount(Replay[int](src, TTL(time.Second), On(clock)), 1, Grace(time.Hour), On(clock))
	run(shared).cancel()
	src.last().OnNext(1)
	src.last().OnComplete()
	run(shared).assertCompleted(t, 1)
	clock.forward(2 * time.Second)
	p := run(shared)
	p.assertOpen(t)
	assert.Equal(t, 2, src.count())
	src.last().OnNext(2)
	p.assertOpen(t, 2)
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
					a.cancel,
					func() { shared.Subscribe(context.Background(), b) },
					func() { clock.forward(time.Minute) },
				)
				clock.forward(time.Minute)
				assert.Zero(t, src.last().cancels.Load())
				src.last().OnNext(3)
				b.assertOpen(t, 3)
				b.cancel()
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
			a.assertCompleted(t)
			if src.count() == 2 {
				src.last().OnComplete()
			}
			b.assertCompleted(t)
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
