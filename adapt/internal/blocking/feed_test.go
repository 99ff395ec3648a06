package blocking

import (
	"context"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/ledger"
	"github.com/goreactor/reactor/internal/racetest"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

func drained[T any](f *Feed[T]) (list []T, err error) {
	defer f.Close()
	for {
		v, err := f.Next()
		if err != nil {
			return list, err
		}
		list = append(list, v)
	}
}

func TestFeed(t *testing.T) {
	for _, prefetch := range []int{1, 2, 32} {
		list, err := drained(NewFeed(t.Context(), "feed", flux.Range(1, 100), prefetch))
		assert.Len(t, list, 100)
		assert.Equal(t, io.EOF, err)
		list, err = drained(NewFeed(t.Context(), "feed", flux.Range(1, 100).ConcatWith(flux.Error[int](errBoom)).PublishOn(schedulers.Parallel()), prefetch))
		assert.Len(t, list, 100)
		assert.Equal(t, errBoom, err)
	}
}

func TestFeedHoldsNoMoreThanThePrefetch(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		p := reactortest.NewTestPublisher[int](t)
		f := NewFeed(t.Context(), "feed", p, 2)
		p.Next(1, 2)
		p.AssertRequested(2)
		v, ok := f.Poll()
		assert.Equal(t, 1, v)
		assert.True(t, ok)
		f.Close()
		p.AssertCancelled(1)
	})
}

func TestFeedThatGetsTooMuchFails(t *testing.T) {
	p := reactortest.NewTestPublisher[int](t, reactortest.SendsWithoutDemand)
	f := NewFeed(t.Context(), "feed", p, 1)
	p.Next(1, 2)
	list, err := drained(f)
	assert.Equal(t, []int{1}, list)
	assert.ErrorIs(t, err, reactor.ErrOverflow)
}

func TestFeedIsInterrupted(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		for _, interrupt := range []func(*Feed[int], func()){
			func(f *Feed[int], _ func()) { f.Interrupt() },
			func(_ *Feed[int], end func()) { end() },
		} {
			ctx, cancel := context.WithCancel(t.Context())
			f := NewFeed(ctx, "feed", flux.Never[int](), 1)
			var over atomic.Bool
			go func() {
				_, err := drained(f)
				assert.Error(t, err)
				over.Store(true)
			}()
			synctest.Wait()
			assert.False(t, over.Load())
			interrupt(f, cancel)
			synctest.Wait()
			assert.True(t, over.Load())
			cancel()
		}
	})
}

// A producer, the consumer, an interruption and the end of the stream meet: each element is
// taken or discarded, and the consumer gets away.
func TestFeedRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(5000), func(race func(fns ...func())) {
		l := ledger.New(t)
		up := &handDriven[*ledger.Element]{}
		f := NewFeed(l.Context(context.Background()), "feed", up, 3)
		down := up.down
		race(
			func() {
				for range 3 {
					down.OnNext(l.Produce())
				}
				down.OnComplete()
			},
			func() {
				for range 2 {
					if e, err := f.Next(); err == nil {
						l.Delivered(e)
					}
				}
				f.Close()
			},
			f.Interrupt,
		)
		require.True(t, up.cancelled.Load() || f.ended.Load())
		l.Check()
	})
}

// handDriven hands out its subscriber.
type handDriven[T any] struct {
	down      reactor.Subscriber[T]
	cancelled atomic.Bool
}

func (h *handDriven[T]) Subscribe(_ context.Context, s reactor.Subscriber[T]) {
	h.down = s
	s.OnSubscribe(h)
}
func (h *handDriven[T]) Request(int64) {}
func (h *handDriven[T]) Cancel()       { h.cancelled.Store(true) }
