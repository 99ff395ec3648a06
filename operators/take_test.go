package operators

import (
	"context"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestTakeAsksForNoMoreThanItTakes(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[int](0)
	Take(src, 3).Subscribe(context.Background(), p)
	up := src.last()
	p.Request(2)
	assert.EqualValues(t, 2, up.requested.Load())
	p.Request(2)
	assert.EqualValues(t, 3, up.requested.Load())
	p.Request(reactor.Unbounded)
	assert.EqualValues(t, 3, up.requested.Load())
	assert.EqualValues(t, 2, up.requests.Load(), "nothing to ask for any more")
	for i := range 3 {
		up.OnNext(i)
	}
	p.Done(t, 0, 1, 2)
	assert.EqualValues(t, 1, up.cancels.Load(), "the source is told")
}

func TestTakeUnlimited(t *testing.T) {
	for first, want := range map[int64]int64{1: 1, 2: reactor.Unbounded, 9: reactor.Unbounded} {
		src := &puppet[int]{}
		p := probeOf[int](first)
		Take(src, 2, UnlimitedRequest()).Subscribe(context.Background(), p)
		assert.Equal(t, want, src.last().requested.Load())
	}
	src := &puppet[int]{}
	p := run(Take(src, 0, UnlimitedRequest()))
	p.Done(t)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src = &puppet[int]{}
	run(Take(src, 0)).Done(t)
	assert.Zero(t, src.count())
}

func TestTakeLateSignals(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, Take(src, 1))
	up := src.last()
	up.OnNext(1)
	up.OnNext(2)
	up.OnError(errBoom)
	up.OnComplete()
	p.Done(t, 1)
	assert.Equal(t, []any{2}, hooks.Dropped)
	assert.Len(t, hooks.Errs, 1)
	assert.EqualValues(t, 1, up.cancels.Load())
}

func TestTakeRequestsRace(t *testing.T) {
	racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
		if t.Failed() {
			return
		}
		src := &puppet[int]{}
		p := probeOf[int](0)
		Take(src, 10).Subscribe(context.Background(), p)
		ask := func() {
			for range 3 {
				p.Request(2)
			}
		}
		race(ask, ask)
		assert.EqualValues(t, 10, src.last().requested.Load())
	})
}

// What hears of the cancellation may end the goroutine, and the end of the stream is told all
// the same: completion, or the failure of a function.
func TestTheEndIsToldAlthoughACancellationEndsTheGoroutine(t *testing.T) {
	ends := func(reactor.SignalKind) { runtime.Goexit() }
	run := func(src reactor.Publisher[int]) *probe.Probe[int] {
		p := probeOf[int](reactor.Unbounded)
		done := make(chan struct{})
		go func() {
			defer close(done)
			src.Subscribe(context.Background(), p)
		}()
		<-done
		return p
	}
	run(Take(DoFinally(Hide(Range(0, 9)), ends), 2)).Done(t, 0, 1)
	fails := func(int) (int, error) { return 0, io.EOF }
	run(TryMap(DoFinally(Hide(Range(0, 9)), ends), fails)).Failed(t, io.EOF)
}
