package executors_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A context that nobody has looked at before says that its pool is shut down by force.
func TestContextOfARunThatIsStopped(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, g := newPool(t, 1, 1, executors.Unbounded()), make(chan struct{})
		errs := make(chan error, 1)
		accept[*executors.Future[int]](t)(p.Submit(background, func(ctx context.Context) (int, error) {
			<-g
			errs <- ctx.Err()
			return 0, nil
		}))
		synctest.Wait()
		p.ShutdownNow()
		close(g)
		assert.Equal(t, context.Canceled, <-errs)
	})
}

// It stays ended when somebody looks more closely, whatever else may end it.
func TestContextOfARunThatIsStoppedStaysSo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		p, g := newPool(t, 1, 1, executors.Unbounded()), make(chan struct{})
		f := accept[*executors.Future[error]](t)(p.Submit(ctx, func(ctx context.Context) (error, error) {
			<-g
			assert.Equal(t, context.Canceled, ctx.Err())
			done := ctx.Done()
			assert.Equal(t, context.Canceled, ctx.Err())
			select {
			case <-done:
			default:
				t.Error("it goes on")
			}
			return context.Cause(ctx), nil
		}))
		synctest.Wait()
		p.ShutdownNow()
		close(g)
		why, err := f.Get(background)
		assert.NoError(t, err)
		assert.Equal(t, executors.ErrShutdown, why)
	})
}

// The context of a plain task is that of its worker. Who keeps it hears of the end of the pool.
func TestContextOfAPlainTaskEndsWithThePool(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		var kept context.Context
		require.NoError(t, p.Execute(background, func(ctx context.Context) { kept = ctx }))
		synctest.Wait()
		assert.NoError(t, kept.Err())
		require.NoError(t, p.Close(background))
		<-kept.Done()
		assert.Equal(t, executors.ErrShutdown, context.Cause(kept))
	})
}

// The context of a task that its submitter runs ends with the run, too.
func TestContextOfARunOfTheCaller(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, _, _ := saturated(t, executors.CallerRuns)
		var kept context.Context
		f := accept[*executors.Future[int]](t)(p.Submit(background, func(ctx context.Context) (int, error) {
			kept = ctx
			return 1, ctx.Err()
		}))
		assert.NoError(t, f.Wait(background))
		<-kept.Done()
		assert.Equal(t, context.Canceled, kept.Err())
	})
}

// watched checks how many contexts are watched more than before: with the tag that counts them.
func watched(t *testing.T) func(want int64) {
	_, before := live.Counts()
	return func(want int64) {
		t.Helper()
		if _, now := live.Counts(); now != 0 || before != 0 {
			assert.Equal(t, want, now-before)
		}
	}
}

// Pools and contexts may live for long: nothing of a run that is over is left with them.
func TestContextsOfRunsAreLetGoOf(t *testing.T) {
	bubble(t, func(t *testing.T) {
		more := watched(t)
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		p := newPool(t, 1, 1, executors.Unbounded())
		asks := func(ctx context.Context) (int, error) { <-time.After(ms); return 1, context.Cause(ctx) }
		looks := func(ctx context.Context) (int, error) { ctx.Done(); return 1, nil }
		for _, fn := range []func(context.Context) (int, error){asks, looks} {
			f := accept[*executors.Future[int]](t)(p.Submit(ctx, fn))
			assert.NoError(t, f.Wait(background))
			synctest.Wait()
			more(0)
		}
		p.Shutdown()
		assert.ErrorIs(t, p.Execute(ctx, nothing), executors.ErrRejected)
		more(0)
	})
}

// Who watches over the context of a task that has ended meanwhile lets go of that.
func TestContextOfATaskThatHasEndedAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		more := watched(t)
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		p, _, _ := saturated(t, executors.CallerRuns)
		f := accept[*executors.Future[int]](t)(p.Submit(ctx, value(1)))
		assert.True(t, f.IsDone(), "it ran here")
		more(0)
	})
}

// Two ask for the context at the same time: what the one makes for nothing is let go of.
func TestContextOfARunIsMadeOnce(t *testing.T) {
	more := watched(t)
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	p := newPool(t, 1, 1, executors.Unbounded())
	for range racetest.Steps(300) {
		f := accept[*executors.Future[int]](t)(p.Submit(ctx, func(ctx context.Context) (int, error) {
			var all sync.WaitGroup
			for range 2 {
				all.Go(func() { ctx.Done() })
			}
			all.Wait()
			return 1, nil
		}))
		<-f.Finished()
	}
	require.NoError(t, p.Close(background))
	more(0)
}

// The end of the context of its submitter cancels a future, however it was submitted.
func TestContextEndsWhatWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, _, _ := saturated(t, executors.Abort)
		s := newScheduled(t, 1)
		ctx, cancel := context.WithCancelCause(background)
		later := accept[*executors.Future[int]](t)(s.SubmitAfter(ctx, time.Hour, value(1)))
		other := newPool(t, 1, 1, executors.Bounded(1))
		require.NoError(t, other.Execute(background, newGate(t).task))
		waits := accept[*executors.Future[int]](t)(other.SubmitWait(ctx, value(1)))
		cancel(assert.AnError)
		synctest.Wait()
		for _, f := range []*executors.Future[int]{later, waits} {
			assert.True(t, f.IsCancelled())
			assert.ErrorIs(t, f.Err(), assert.AnError)
		}
		assert.Equal(t, 1, p.Stats().Queued)
	})
}

// What a future was made from is let go of with its end, whoever keeps the future: after its run, or when a shutdown has handed the
// task out.
func TestContextIsForgotten(t *testing.T) {
	type big struct{ data [1 << 10]byte }
	type key struct{}
	same := executors.WithDecorator(func(task executors.Task) executors.Task { return func(ctx context.Context) { task(ctx) } })
	for name, end := range map[string]func(p *executors.ThreadPool, g *gate){
		"run":         func(_ *executors.ThreadPool, g *gate) { g.open() },
		"ShutdownNow": func(p *executors.ThreadPool, _ *gate) { p.ShutdownNow() },
	} {
		t.Run(name, func(t *testing.T) {
			for _, opts := range [][]executors.Option{nil, {same}} {
				p, g := newPool(t, 1, 1, executors.Unbounded(), opts...), newGate(t)
				require.NoError(t, p.Execute(background, g.task))
				submit := func() (*executors.Future[int], weak.Pointer[big]) {
					b := new(big)
					b.data[0] = 1
					f, err := p.Submit(context.WithValue(background, key{}, b), value(1))
					require.NoError(t, err)
					return f, weak.Make(b)
				}
				f, pointer := submit()
				end(p, g)
				<-f.Finished()
				assert.Eventually(t, func() bool { runtime.GC(); return pointer.Value() == nil }, 5*time.Second, ms)
				runtime.KeepAlive(f)
			}
		})
	}
}
