package operators

import (
	"context"
	"math"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

func TestAll(t *testing.T) {
	for _, prefetch := range []AllOption{Prefetch(1), Prefetch(2), Prefetch(3), Prefetch(256), Prefetch(int(^uint(0) >> 1))} {
		var got []int
		for v, err := range All(context.Background(), Range(0, 100), prefetch) {
			require.NoError(t, err)
			got = append(got, v)
		}
		assert.Len(t, got, 100)
		assert.Equal(t, 99, got[99])
	}
	n := 0
	for v, err := range All(context.Background(), failing(1, 2)) {
		if n++; n <= 2 {
			assert.True(t, v == n && err == nil)
		} else {
			assert.Equal(t, errBoom, err)
			assert.Zero(t, v)
		}
	}
	assert.Equal(t, 3, n)
	assert.Panics(t, func() { All(context.Background(), Just(1), Prefetch(0)) })
}

func TestAllRequestsAheadInBatches(t *testing.T) {
	src := &puppet[int]{}
	var requests []int64
	src.onSubscription = func(_ int, s *puppetSubscription[int]) {
		for i := range 4 {
			s.OnNext(i)
		}
	}
	//reactorvet:ignore the source does not fail
	for v := range All(context.Background(), src, Prefetch(4)) {
		requests = append(requests, src.last().requested.Load())
		if v == 3 {
			break
		}
	}
	assert.Equal(t, []int64{4, 4, 4, 7}, requests)
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

func TestAllLeftEarly(t *testing.T) {
	ctx, hooks := probe.Recorded()
	//reactorvet:ignore the source does not fail
	for v := range All(ctx, FromSlice([]int{1, 2, 3, 4, 5}), Prefetch(3)) {
		if v == 1 {
			break
		}
	}
	assert.ElementsMatch(t, []any{2, 3, 4, 5}, hooks.Discarded)

	src := &puppet[int]{}
	src.onSubscription = func(_ int, s *puppetSubscription[int]) { s.OnNext(1); s.OnNext(2) }
	assert.PanicsWithValue(t, "body", func() {
		//reactorvet:ignore the body panics
		for range All(ctx, src) {
			panic("body")
		}
	})
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(3)
	src.last().OnError(errBoom)
	assert.ElementsMatch(t, []any{2, 3, 4, 5, 2, 3}, hooks.Discarded)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestAllOfASourceThatSendsTooMuch(t *testing.T) {
	src := &puppet[int]{onSubscription: func(_ int, s *puppetSubscription[int]) {
		for i := range 3 {
			s.OnNext(i)
		}
	}}
	ctx, hooks := probe.Recorded()
	var last error
	for _, err := range All(ctx, src, Prefetch(2)) {
		last = err
	}
	assert.ErrorIs(t, last, reactor.ErrOverflow)
	assert.ElementsMatch(t, []any{0, 1, 2}, hooks.Discarded)
}

// A source that ends the goroutine when it hears of its cancellation takes neither the loop nor what was
// prefetched with it.
func TestAllOfASourceThatEndsTheGoroutine(t *testing.T) {
	for name, err := range map[string]error{"end of the context": context.Canceled, "too much": reactor.ErrOverflow} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := ledger.New(t)
				ctx, end := context.WithCancel(l.Context(context.Background()))
				defer end()
				src := &puppet[*ledger.Element]{}
				hold, over := make(chan struct{}), false
				var got error
				go func() {
					for v, err := range All(ctx, DoOnCancel(src, runtime.Goexit), Prefetch(2)) {
						if got = err; err == nil {
							l.Delivered(v)
							<-hold
						}
					}
					over = true
				}()
				synctest.Wait()
				for range 3 { // one is in the body, two in the queue
					src.last().OnNext(l.Produce())
					synctest.Wait()
				}
				if err == context.Canceled {
					end()
				} else {
					go func() { src.last().OnNext(l.Produce()) }()
				}
				synctest.Wait()
				close(hold)
				synctest.Wait()
				assert.ErrorIs(t, got, err)
				assert.True(t, over)
				l.Check()
			})
		})
	}
}

func TestAllRaces(t *testing.T) {
	for i := range racetest.Iterations(300) {
		l := ledger.New(t)
		src := &puppet[*ledger.Element]{}
		subscribed := make(chan struct{})
		src.onSubscription = func(int, *puppetSubscription[*ledger.Element]) { close(subscribed) }
		ctx, cancel := context.WithCancel(l.Context(context.Background()))
		racetest.Race(func() {
			n := 0
			for e, err := range All(ctx, src, Prefetch(8)) {
				if err != nil {
					break
				}
				l.Delivered(e)
				if n++; n == 2 && i%2 == 0 {
					break
				}
			}
		}, func() {
			<-subscribed
			for range 4 {
				src.last().OnNext(l.Produce())
			}
			src.last().OnComplete()
		}, func() {
			if i%3 == 0 {
				cancel()
			}
		})
		cancel()
		l.Check()
	}
}

func TestAllLargePrefetch(t *testing.T) {
	for _, n := range []int{math.MaxInt, math.MaxInt / 2, queue.MaxRing + 1} {
		var got []int
		for v, err := range All(t.Context(), PublishOn(FromSlice([]int{1, 2, 3}), schedulers.Parallel()), Prefetch(n)) {
			require.NoError(t, err)
			got = append(got, v)
		}
		assert.Equal(t, []int{1, 2, 3}, got, n)
	}
}
