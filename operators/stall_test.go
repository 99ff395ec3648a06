package operators_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// dropped returns a context and what its hook for dropped errors was told.
func dropped(parent context.Context) (ctx context.Context, list func() []error) {
	var mu sync.Mutex
	var all []error
	ctx = reactor.WithHooks(parent, reactor.Hooks{ErrorDropped: func(_ context.Context, err error) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, err)
	}})
	return ctx, func() []error {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

// ended returns a context that ends after d.
func ended(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// A task of the last worker waits for a stream that needs this worker.
func TestTheLastWorkerThatWaitsForItselfIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := schedulers.NewBoundedElastic(1, 10, "io")
		require.NoError(t, err)
		defer s.Dispose()
		ctx, reports := dropped(ended(t, 30*time.Second))
		_, err = operators.Block(ctx, operators.SubscribeOn(operators.FromFunc(func(ctx context.Context) (int, error) {
			return operators.Block(ctx, operators.SubscribeOn(operators.FromFunc(func(context.Context) (int, error) { return 1, nil }), s))
		}), s))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		require.Len(t, reports(), 1)
		assert.Regexp(t, `^reactor: schedulers: stalled: worker "io-\d+" has waited for 10s in operators\.Block, called by operators_test\.\S+ \(stall_test\.go:\d+\), `+
			`and 1 task waits for that worker; if it waits for one of them neither will ever end: give the scheduler more workers, or let FlatMap wait for the stream$`, reports()[0].Error())
	})
}

// Each of the calls that wait looks for what stands still.
func TestWhoWaitsLooksForStalls(t *testing.T) {
	for name, wait := range map[string]func(context.Context){
		"block":   func(ctx context.Context) { _, _ = operators.Block(ctx, operators.Never[int]()) },
		"forEach": func(ctx context.Context) { _ = operators.ForEach(ctx, operators.Never[int](), func(int) {}) },
		"all": func(ctx context.Context) {
			//reactorvet:ignore it ends with the context
			for range operators.All(ctx, operators.Never[int]()) {
			}
		},
		"wait": func(ctx context.Context) {
			f := operators.ToFuture(context.Background(), operators.Never[int]())
			defer f.Cancel()
			_, _, _ = f.Wait(ctx)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := schedulers.NewSingle("one")
			defer s.Dispose()
			release := make(chan struct{})
			require.NoError(t, s.Execute(func(context.Context) { <-release }))
			ctx, reports := dropped(ended(t, 30*time.Second))
			wait(ctx)
			close(release)
			require.Len(t, reports(), 1, name)
			assert.ErrorIs(t, reports()[0], reactor.ErrStalled, name)
		})
	}
}

func TestFlatMapOverEndlessStreamsIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, reports := dropped(ended(t, time.Minute))
		asked := 0
		_, err := operators.BlockLast(ctx, operators.FlatMap(operators.DoOnNext(operators.Range(0, 1000), func(int) { asked++ }),
			func(int) reactor.Publisher[int] { return operators.Never[int]() }))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 256, asked)
		require.Len(t, reports(), 1)
		assert.EqualError(t, reports()[0], "reactor: flatMap: stalled: 256 of 256 inner publishers run and none has ended for 10s, so no further element is requested; "+
			"end them with Take or TakeUntilOther, allow more with Concurrency, or replace them with SwitchMap")
	})
}

// What has ended once may end again, and who sets the number knows it.
func TestFlatMapThatGoesOnIsNotReported(t *testing.T) {
	for name, c := range map[string]struct {
		end  bool
		opts []operators.FlatMapOption
	}{
		"one ends":          {end: true},
		"the number is set": {opts: []operators.FlatMapOption{operators.Concurrency(16)}},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := schedulers.NewSingle("timer")
			defer s.Dispose()
			ctx, reports := dropped(ended(t, time.Minute))
			_, _ = operators.BlockLast(ctx, operators.FlatMap(operators.Range(0, 300), func(n int) reactor.Publisher[int64] {
				if c.end && n == 0 {
					return operators.Delay(time.Second, operators.On(s))
				}
				return operators.Never[int64]()
			}, c.opts...))
			assert.Empty(t, reports(), name)
		})
	}
}

func TestASinkThatNobodyAsksIsReportedOnce(t *testing.T) {
	for name, make := range map[string]func(func(*operators.FluxSink[int]), ...operators.CreateOption) reactor.Publisher[int]{
		"create": operators.Create[int], "push": operators.Push[int],
	} {
		ctx, reports := dropped(context.Background())
		src := make(func(s *operators.FluxSink[int]) {
			for i := range 1 << 18 {
				s.Next(i)
			}
			s.Complete()
		})
		s := operators.NewSubscriber(ctx, operators.SubscriberHooks[int]{
			OnSubscribe: func(s *operators.BaseSubscriber[int]) { s.Request(1) },
		})
		src.Subscribe(ctx, s)
		s.Cancel()
		require.Len(t, reports(), 1, name)
		assert.EqualError(t, reports()[0], "reactor: "+name+": overflow: 131072 elements wait that nobody has requested, and each further one will: "+
			"produce what OnRequest or Requested says, or choose another OverflowStrategy", name)
	}
}
