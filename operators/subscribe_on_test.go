package operators

import (
	"cmp"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

func TestSubscribeOnSubscribesAndRequestsOnTheWorker(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[int](2)
	SubscribeOn(src, h).Subscribe(context.Background(), p)
	assert.Zero(t, src.count())
	h.run()
	up := src.last()
	assert.EqualValues(t, 2, up.requested.Load(), "within the task that subscribes")
	p.Request(3)
	p.Request(4)
	assert.EqualValues(t, 2, up.requested.Load())
	h.run()
	assert.EqualValues(t, 9, up.requested.Load())
	assert.EqualValues(t, 2, up.requests.Load(), "requests that wait are added up")
	up.OnNext(1)
	up.OnComplete()
	p.Done(t, 1)
	h.assertReleased(t)
}

func TestSubscribeOnRequestsFromTheWorkerStayThere(t *testing.T) {
	h := &handScheduler{}
	p := probeOf[int](1)
	p.Each = func(int) { p.Request(1) }
	SubscribeOn(Range(0, 100), h).Subscribe(context.Background(), p)
	h.step()
	p.Done(t, numbers(100)...)
}

func TestSubscribeOnRequestInPlace(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[int](0)
	SubscribeOn(src, h, RequestInPlace()).Subscribe(context.Background(), p)
	h.run()
	p.Request(3)
	assert.EqualValues(t, 3, src.last().requested.Load())
}

func TestSubscribeOnCancel(t *testing.T) {
	t.Run("before the task", func(t *testing.T) {
		h := &handScheduler{}
		src := &puppet[int]{}
		p := run(SubscribeOn(src, h))
		p.Cancel()
		h.run()
		assert.Zero(t, src.count(), "never subscribed")
		h.assertReleased(t)
	})
	t.Run("within OnSubscribe", func(t *testing.T) {
		h := &handScheduler{}
		p := probeOf[int](0)
		p.Subscribed = func(up reactor.Subscription) { up.Cancel() }
		SubscribeOn(&puppet[int]{}, h).Subscribe(context.Background(), p)
		p.Open(t)
	})
	t.Run("later", func(t *testing.T) {
		h := &handScheduler{}
		src := &puppet[int]{}
		p := run(SubscribeOn(src, h))
		h.run()
		p.Cancel()
		assert.EqualValues(t, 1, src.last().cancels.Load())
		h.assertReleased(t)
		p.Request(1)
		p.Open(t)
	})
}

func TestSubscribeOnRejection(t *testing.T) {
	t.Run("of the subscription", func(t *testing.T) {
		h := &handScheduler{}
		h.refuse(schedulers.ErrUnavailable)
		p := run(SubscribeOn(Just(1), h))
		p.Failed(t, reactor.ErrRejected)
		assert.ErrorIs(t, p.Failure(), schedulers.ErrUnavailable)
		h.assertReleased(t)
	})
	t.Run("of a request", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		h := &handScheduler{}
		src := &puppet[int]{}
		p := probeOf[int](1)
		SubscribeOn(src, h).Subscribe(ctx, p)
		h.run()
		src.last().OnNext(1)
		h.refuse(schedulers.ErrCapacity)
		p.Request(1)
		p.Failed(t, reactor.ErrRejected, 1)
		assert.EqualValues(t, 1, src.last().cancels.Load())
		p.Request(1)
		src.last().OnNext(2)
		src.last().OnComplete()
		p.Failed(t, reactor.ErrRejected, 1)
		assert.Equal(t, []any{2}, hooks.Discarded)
		h.assertReleased(t)
	})
	t.Run("after the end", func(t *testing.T) {
		h := &handScheduler{}
		p := probeOf[int](1)
		SubscribeOn(Just(1), h).Subscribe(context.Background(), p)
		h.run()
		p.Request(1)
		p.Done(t, 1)
	})
}

func TestSubscribeOnPanicDownstream(t *testing.T) {
	h := &handScheduler{}
	p := run(Map(SubscribeOn(Range(1, 3), h), func(v int) int {
		if v == 2 {
			panic(errBoom)
		}
		return v
	}))
	h.run()
	p.Failed(t, errBoom, 1)
	h.assertReleased(t)
}

func TestSubscribeOnRaces(t *testing.T) {
	raceStage(t, 60, func(src elements, h *handScheduler) elements {
		// The harness needs the source's subscription at once.
		return readily{SubscribeOn(src, h), h}
	})
}

// readily runs the first task of its scheduler as part of the subscription.
type readily struct {
	elements
	h *handScheduler
}

func (r readily) Subscribe(ctx context.Context, s reactor.Subscriber[element]) {
	r.elements.Subscribe(ctx, s)
	r.h.step()
}

// TestSubscribeOnTasksThatOverlap: an executor without an order may pass demand on while the task that subscribes, or another one
// that passes demand on, is still at work.
func TestSubscribeOnTasksThatOverlap(t *testing.T) {
	pool, err := executors.NewThreadPool(8, 8, time.Minute, executors.Unbounded())
	require.NoError(t, err)
	defer pool.ShutdownNow()
	on := schedulers.FromExecutor(pool)
	t.Run("flatMap", func(t *testing.T) {
		for range racetest.Iterations(100) {
			sum := FlatMap(Range(0, 4), func(n int) reactor.Publisher[int] { return SubscribeOn(Range(n*1000, 1000), on) }, Prefetch(4))
			got, err := Block(t.Context(), CollectSorted(sum, cmp.Compare))
			require.NoError(t, err)
			require.Equal(t, numbers(4000), got)
		}
	})
	t.Run("a function", func(t *testing.T) {
		for range racetest.Iterations(100) {
			var got []int
			end := make(chan error, 1)
			SubscribeFunc(t.Context(), SubscribeOn(Range(0, 1000), on), func(v int) { got = append(got, v) },
				OnError(func(err error) { end <- err }), OnComplete(func() { end <- nil }),
				OnSubscribe(func(up reactor.Subscription) {
					for range 4 {
						go func() {
							for range 250 {
								up.Request(1)
							}
						}()
					}
				}))
			require.NoError(t, <-end)
			require.Equal(t, numbers(1000), got)
		}
	})
}
