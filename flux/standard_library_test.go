package flux_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

// How streams meet iterators and channels. The end of a bubble fails a test that leaves a
// goroutine.

var errLost = errors.New("lost")

func TestBreakReturnsWhenTheSourceHasBeenTold(t *testing.T) {
	var cancelled atomic.Bool
	//reactorvet:ignore the loop is left before the end
	for range flux.Range(0, 1000).DoOnCancel(func() { cancelled.Store(true) }).All(t.Context()) {
		break
	}
	assert.True(t, cancelled.Load())
}

func TestPullOfAll(t *testing.T) {
	next, stop := iter.Pull2(flux.Concat[int](flux.Just(1, 2), flux.Error[int](errLost)).All(t.Context()))
	v, err, ok := next()
	assert.True(t, v == 1 && err == nil && ok)
	v, err, ok = next()
	assert.True(t, v == 2 && err == nil && ok)
	_, err, ok = next()
	assert.True(t, ok)
	assert.Equal(t, errLost, err)
	_, _, ok = next()
	assert.False(t, ok)
	stop()

	var cancelled atomic.Bool
	next, stop = iter.Pull2(flux.Range(0, 1000).DoOnCancel(func() { cancelled.Store(true) }).All(t.Context()))
	_, _, ok = next()
	assert.True(t, ok)
	stop()
	assert.True(t, cancelled.Load())
}

// A stream made of an iterator made of a stream.
func TestThereAndBack(t *testing.T) {
	got, err := flux.FromSeq2(flux.Range(0, 1000).All(t.Context())).Collect(t.Context())
	require.NoError(t, err)
	assert.Len(t, got, 1000)
	_, err = flux.FromSeq2(flux.Error[int](errLost).All(t.Context())).Collect(t.Context())
	assert.Equal(t, errLost, err)
	out, _ := flux.Range(0, 1000).ToChan(t.Context())
	n, err := flux.FromChan(out).Count().Block(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 1000, n)
}

func TestIteratorThatPanics(t *testing.T) {
	_, err := flux.FromSeq(func(yield func(int) bool) { yield(1); panic(errLost) }).Collect(t.Context())
	assert.ErrorIs(t, err, errLost)
	failed, ok := errors.AsType[*reactor.PanicError](err)
	require.True(t, ok)
	assert.Equal(t, "fromSeq", failed.Op)
}

func TestToChanOfAContextThatEnds(t *testing.T) {
	for name, f := range map[string]flux.Flux[int]{
		"never":        flux.Never[int](),
		"much":         flux.Range(0, 1_000_000),
		"now and then": flux.Interval(time.Second).Map(func(n int64) int { return int(n) }),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for read := range 4 { // by a reader that stops then
					ctx, cancel := context.WithCancelCause(t.Context())
					out, failure := f.ToChan(ctx)
					for range min(read, 3) {
						if name != "never" {
							<-out
						}
					}
					synctest.Wait()
					cancel(errLost)
					assert.Equal(t, errLost, <-failure)
					_, open := <-failure
					assert.False(t, open)
					for range out { // closed
					}
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				cancel(errLost)
				_, failure := f.ToChan(ctx)
				assert.Equal(t, errLost, <-failure, "ended before")
			})
		})
	}
}

// A function that ends its goroutine ends the one that sends: closed channels alone would look
// like completion.
func TestToChanOfAGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, failure := flux.Just(1, 2).DoOnNext(func(v int) {
			if v == 2 {
				runtime.Goexit()
			}
		}).ToChan(t.Context(), flux.Prefetch(1))
		got := 0
		for range out {
			got++
		}
		assert.ErrorIs(t, <-failure, reactor.ErrGoexit)
		assert.Equal(t, 1, got)
	})
}

func TestNilChannel(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: fromChan: the channel is nil", func() { flux.FromChan[int](nil) })
}

// Nobody but the sender closes a channel; the stream only stops reading it.
func TestFromChanLeavesTheChannelAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := make(chan int, 4)
		for i := range 4 {
			ch <- i
		}
		got, err := flux.FromChan(ch).Take(2).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []int{0, 1}, got)
		synctest.Wait()
		assert.Len(t, ch, 2, "not read ahead")
		ch <- 4 // still open
	})
}
