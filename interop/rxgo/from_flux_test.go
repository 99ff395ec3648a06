package rxgo_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	rx "github.com/reactivex/rxgo/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/interop/rxgo"
	"github.com/goreactor/reactor/mono"
)

// withHooks makes an Observable run under r.
func withHooks(r *record, ctx context.Context) rx.Option { return rx.WithContext(r.withHooks(ctx)) }

func TestFromFlux(t *testing.T) {
	for name, c := range map[string]struct {
		f    reactor.Publisher[int]
		want []rx.Item
	}{
		"complete":            {flux.Just(1, 2), []rx.Item{rx.Of(1), rx.Of(2)}},
		"empty":               {flux.Empty[int](), nil},
		"a Mono":              {mono.Just(1), []rx.Item{rx.Of(1)}},
		"error":               {flux.Error[int](errBoom), []rx.Item{rx.Error(errBoom)}},
		"error in the middle": {flux.Concat[int](flux.Just(1), flux.Error[int](errBoom)), []rx.Item{rx.Of(1), rx.Error(errBoom)}},
	} {
		t.Run(name, func(t *testing.T) {
			o := rxgo.FromFlux(c.f)
			for range 2 { // each Observe subscribes
				assert.Equal(t, c.want, collectItems(o))
			}
		})
	}
}

func TestFromFluxStagesOfRxGoFollow(t *testing.T) {
	sum := rxgo.FromFlux(flux.Range(1, 10)).
		Filter(func(v any) bool { return v.(int)%2 == 0 }).
		SumInt64()
	item, err := sum.Get()
	require.NoError(t, err)
	assert.EqualValues(t, 30, item.V)
}

func TestFromFluxPanicInAMapper(t *testing.T) {
	items := collectItems(rxgo.FromFlux(flux.Just(1, 2).Map(func(v int) int {
		if v == 2 {
			panic(errBoom)
		}
		return v
	})))
	require.Len(t, items, 2)
	assert.Equal(t, rx.Of(1), items[0])
	assert.ErrorIs(t, items[1].E, errBoom)
	assert.EqualError(t, items[1].E, "reactor: map: panic: boom")
}

// On the goroutine of Observe, where deferred calls close the channel.
func TestFromFluxGoexitIsNoCompletion(t *testing.T) {
	items := collectItems(rxgo.FromFlux(flux.From[int](exits{})))
	require.Len(t, items, 1)
	assert.ErrorIs(t, items[0].E, reactor.ErrGoexit)
}

// exits is a publisher whose Subscribe ends its goroutine.
type exits struct{}

func (exits) Subscribe(context.Context, reactor.Subscriber[int]) { runtime.Goexit() }

func TestFromFluxNilElement(t *testing.T) {
	assert.Equal(t, []rx.Item{rx.Of(nil), rx.Of(1)}, collectItems(rxgo.FromFlux(flux.Just[any](nil, 1))))
	var none *int
	assert.Equal(t, []rx.Item{rx.Of(none)}, collectItems(rxgo.FromFlux(flux.Just(none))))
}

// An error that is an element stays one.
func TestFromFluxErrorAsElement(t *testing.T) {
	assert.Equal(t, []rx.Item{rx.Of(errBoom)}, collectItems(rxgo.FromFlux(flux.Just(errBoom))))
}

func TestFromFluxRequestsWhatIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		prefetch int
		options  []rx.Option
		ahead    int // requested before anything was read
		computed bool
	}{
		"one":      {1, nil, 1, false},
		"four":     {4, nil, 4, false},
		"buffered": {1, []rx.Option{rx.WithBufferedChannel(2)}, 3, false},
		"computed": {4, nil, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var r record
				var produced atomic.Int64
				f := flux.Range(0, 1000).DoOnNext(func(int) { produced.Add(1) })
				if !c.computed {
					f = f.Retry() // what comes from the next attempt need not be computed where it is asked
				}
				items := rxgo.FromFlux(f, rxgo.Prefetch(c.prefetch)).Observe(append(c.options, withHooks(&r, ctx))...)
				synctest.Wait()
				assert.EqualValues(t, c.ahead, produced.Load())
				for i := range 10 {
					assert.Equal(t, rx.Of(i), <-items)
					synctest.Wait()
					assert.LessOrEqual(t, produced.Load(), int64(c.ahead+i+1))
				}
			})
		})
	}
	assert.PanicsWithValue(t, "reactor: rxgo: prefetch must be positive, got 0", func() { rxgo.Prefetch(0) })
}

func TestFromFluxCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var r record
		var cancelled atomic.Int64
		f := flux.Range(0, 10).DoOnCancel(func() { cancelled.Add(1) })
		items := rxgo.FromFlux(f).Observe(withHooks(&r, ctx))
		assert.Equal(t, rx.Of(0), <-items)
		synctest.Wait()
		cancel()
		synctest.Wait()
		_, open := <-items
		assert.False(t, open, "closed without another item")
		assert.EqualValues(t, 1, cancelled.Load())
		// Range looks before each element whether it was cancelled: the end of the context may be about to tell it.
		told := r.told().discarded
		require.NotEmpty(t, told)
		assert.Equal(t, []any{1, 2, 3, 4, 5, 6, 7, 8, 9}[:len(told)], told)
		assert.Empty(t, r.told().errors)

		// While nothing comes, and before anything could.
		ctx, cancel = context.WithCancel(t.Context())
		items = rxgo.FromFlux(flux.Never[int]()).Observe(withHooks(&r, ctx))
		synctest.Wait()
		cancel()
		assert.Empty(t, <-items)
		assert.Empty(t, collectItems(rxgo.FromFlux(flux.Just(1)).Map(toInt, rx.WithContext(ctx))))
		synctest.Wait()
		assert.Empty(t, r.told().errors)
	})
}

// An error that comes with the end of the context is not lost.
func TestFromFluxErrorAfterTheEndOfTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var r record
		failed := flux.Concat[int](flux.Just(1), flux.Error[int](errBoom))
		items := rxgo.FromFlux(failed, rxgo.Prefetch(8)).Observe(withHooks(&r, ctx))
		<-items
		synctest.Wait() // the error is to be sent
		cancel()
		synctest.Wait()
		assert.Equal(t, []string{"boom"}, r.told().errors)
	})
}

func TestFromFluxObserverThatNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var r record
		items := rxgo.FromFlux(flux.Just("a", "b", "c")).Observe(withHooks(&r, ctx))
		assert.Equal(t, rx.Of("a"), <-items)
		time.Sleep(29 * time.Second)
		assert.Empty(t, r.told().errors)
		time.Sleep(32 * time.Second)
		assert.Equal(t, []string{"reactor: rxgo.fromFlux: timeout: item 2 (b) has not been read for 30s: without a context that ends it waits for ever"}, r.told().errors)
		// Slow is not gone.
		assert.Equal(t, rx.Of("b"), <-items)
		time.Sleep(time.Hour)
		assert.Equal(t, rx.Of("c"), <-items)
		assert.Empty(t, <-items)
		assert.Len(t, r.told().errors, 1, "once")
		cancel()
	})
}

func TestFromFluxPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r record
		var cancelled atomic.Int64
		f := flux.Range(1, 9).DoOnCancel(func() { cancelled.Add(1) })
		items := rxgo.FromFlux(f, rxgo.Patience(time.Second)).Observe(withHooks(&r, t.Context()))
		for i := range 3 { // slow enough for a tick, not for two
			time.Sleep(900 * time.Millisecond)
			assert.Equal(t, rx.Of(i+1), <-items)
		}
		time.Sleep(900 * time.Millisecond)
		assert.Empty(t, r.told().errors)
		time.Sleep(1200 * time.Millisecond)
		assert.Equal(t, []string{"reactor: rxgo.fromFlux: timeout: item 4 (4) has not been read for 1s: the observer is given up"}, r.told().errors)
		assert.EqualValues(t, 1, cancelled.Load())
		assert.Equal(t, []any{4}, r.told().discarded)
		_, open := <-items
		assert.False(t, open)

		r.reset()
		rxgo.FromFlux(flux.Error[int](errBoom), rxgo.Patience(time.Second)).Observe(withHooks(&r, t.Context()))
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"reactor: rxgo.fromFlux: timeout: item 1 (boom) has not been read for 1s: the observer is given up", "boom"}, r.told().errors)
	})
}

func TestFromFluxNil(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: rxgo.fromFlux: the Flux is nil", func() { rxgo.FromFlux[int](nil) })
	assert.Empty(t, collectItems(rxgo.FromFlux(flux.Flux[int]{})), "the zero Flux is empty")
}

func TestFromFluxOfAnEndlessFlux(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		items := rxgo.FromFlux(flux.Interval(time.Second).OnBackpressureDrop()).Observe(rx.WithContext(ctx))
		for i := range 3 {
			assert.Equal(t, rx.Of(int64(i)), <-items)
		}
		cancel()
		synctest.Wait()
	})
}

func TestFromFluxTenThousandCancellations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for i := range 10_000 {
			ctx, cancel := context.WithCancel(t.Context())
			items := rxgo.FromFlux(flux.Range(0, 1000)).Observe(rx.WithContext(ctx))
			for range i % 7 {
				<-items
			}
			cancel()
		}
	})
}

// A Flux of an Observable runs on the clock of RxGo, which virtual time of package reactortest
// does not move. A bubble of testing/synctest does.
func TestTimeInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		start := time.Now()
		o := rx.Interval(rx.WithDuration(time.Hour), rx.WithContext(ctx))
		got, err := rxgo.ToFlux[int](o).Take(3).Collect(ctx)
		require.NoError(t, err)
		assert.Equal(t, []int{0, 1, 2}, got)
		assert.Equal(t, 3*time.Hour, time.Since(start))
	})
}
