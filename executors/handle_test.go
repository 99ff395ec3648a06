package executors_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A handle has no lock: whoever begins to wait for its end in this moment hears of it, and of one
// outcome only.
func TestRaceEndAgainstWhoWaitsForIt(t *testing.T) {
	p := newScheduled(t, 1)
	cause := errors.New("cause")
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		waiting, err := p.After(time.Hour, noError)
		require.NoError(t, err)
		var done, finished <-chan struct{}
		var first, second bool
		race(
			func() { done = waiting.Done() },
			func() { finished = waiting.Finished() },
			func() { first = waiting.Cancel(nil) },
			func() { second = waiting.Cancel(cause) },
		)
		<-done
		<-finished
		assert.NotEqual(t, first, second)
		assert.Equal(t, second, errors.Is(waiting.Err(), cause))
		assert.True(t, waiting.IsCancelled())
	})
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		waiting, err := p.After(time.Hour, noError)
		require.NoError(t, err)
		var done <-chan struct{}
		race(
			func() { done = waiting.Done() },
			func() { waiting.Cancel(nil) },
		)
		<-done
		assert.True(t, waiting.IsCancelled())
	})
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		begun, hold := make(chan struct{}), make(chan struct{})
		running, err := p.After(0, func(context.Context) error { close(begun); <-hold; return cause })
		require.NoError(t, err)
		<-begun
		var first, second bool
		var done <-chan struct{}
		race(
			func() { done = running.Done() },
			func() { close(hold) },
			func() { first = running.Cancel(nil) },
			func() { second = running.Cancel(context.Canceled) },
		)
		<-done
		got := running.Err()
		<-running.Finished()
		assert.Equal(t, got, running.Err())
		assert.False(t, first && second)
		assert.Equal(t, first || second, running.IsCancelled())
		assert.Equal(t, second, errors.Is(got, context.Canceled))
		assert.Equal(t, !first && !second, errors.Is(got, cause))
	})
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		begun, hold := make(chan struct{}), make(chan struct{})
		running, err := p.After(0, func(context.Context) error { close(begun); <-hold; return nil })
		require.NoError(t, err)
		<-begun
		var done <-chan struct{}
		race(
			func() { done = running.Done() },
			func() { close(hold) },
		)
		<-done
		assert.NoError(t, running.Err())
	})
}

// What the future of a task says is what the pool counts, whoever was first to take the task out of the queue.
func TestRaceCancelOfTheOldest(t *testing.T) {
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		p, err := executors.NewThreadPool(1, 1, time.Minute, executors.Bounded(1), executors.WithPolicy(executors.DiscardOldest))
		require.NoError(t, err)
		hold := make(chan struct{})
		require.NoError(t, p.Execute(background, func(context.Context) { <-hold }))
		oldest := accept[*executors.Future[int]](t)(p.Submit(background, value(1)))
		var next *executors.Future[int]
		var cancelled bool
		race(
			func() { next, err = p.Submit(background, value(2)) },
			func() { cancelled = oldest.Cancel(nil) },
		)
		close(hold)
		require.NoError(t, err)
		assert.Equal(t, cancelled, oldest.IsCancelled())
		assert.Equal(t, !cancelled, errors.Is(oldest.Err(), executors.ErrDiscarded))
		v, err := next.Get(background)
		require.NoError(t, err)
		assert.Equal(t, 2, v)
		require.NoError(t, p.Close(background))
		counted := p.Stats()
		assert.Equal(t, cancelled, counted.Cancelled == 1)
		assert.Equal(t, !cancelled, counted.Discarded == 1)
	})
}

// The end of its context against the end of a future that is only now watched.
func TestRaceEndAgainstTheWatch(t *testing.T) {
	p := newScheduled(t, 1)
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		ctx, cancel := context.WithCancel(background)
		var f *executors.Future[int]
		var err error
		race(
			func() {
				f, err = p.SubmitAfter(ctx, 0, func(context.Context) (int, error) { return 1, nil })
			},
			cancel,
		)
		if err != nil {
			return
		}
		<-f.Finished()
		v, err := f.Get(background)
		assert.Equal(t, err == nil, v == 1)
	})
}

// The outcome that is there counts, and not that nobody wants to wait for it.
func TestWaitForWhatHasEnded(t *testing.T) {
	p := newPool(t, 1, 1, executors.Unbounded())
	f := accept[*executors.Future[int]](t)(p.Submit(background, value(1)))
	require.NoError(t, f.Wait(background))
	ended, cancel := context.WithCancel(background)
	cancel()
	for range 100 {
		v, err := f.Get(ended)
		require.NoError(t, err)
		require.Equal(t, 1, v)
	}
}

// A decorator that loses a run of a series ends that: it has not succeeded because the one before it has.
func TestADecoratorThatLosesARunOfASeries(t *testing.T) {
	bubble(t, func(t *testing.T) {
		calls, runs := 0, 0
		p := newScheduled(t, 1, executors.WithDecorator(func(task executors.Task) executors.Task {
			return func(ctx context.Context) {
				if calls++; calls != 2 {
					task(ctx)
				}
			}
		}))
		h := accept[*executors.Handle](t)(p.AtFixedRate(0, time.Second, func(context.Context) error { runs++; return nil }))
		pass(time.Minute)
		assert.Equal(t, executors.ErrDiscarded, h.Err())
		assert.Equal(t, 1, runs)
	})
}

// Of several decorators the first one is innermost.
func TestDecoratorsInTheirOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var order journal[string]
		by := func(name string) executors.Option {
			return executors.WithDecorator(func(task executors.Task) executors.Task {
				return func(ctx context.Context) { order.note(name); task(ctx) }
			})
		}
		p := newPool(t, 1, 1, executors.Unbounded(), by("innermost"), by("between"), by("outermost"))
		require.NoError(t, p.Execute(background, order.noting("task")))
		synctest.Wait()
		assert.Equal(t, []string{"outermost", "between", "innermost", "task"}, order.read())
	})
}

// TestCancelOfWhatIsAboutToEnd: a shutdown has taken a task out of the queue, and tells others of theirs before it ends it. Who
// cancels it at that moment does not come before that, and need not wait for it.
func TestCancelOfWhatIsAboutToEnd(t *testing.T) {
	p := newPool(t, 1, 1, executors.Unbounded())
	require.NoError(t, p.Execute(background, func(ctx context.Context) { <-ctx.Done() }))
	var waiting *executors.Future[int]
	told := false
	_, err := p.Track(background, func(context.Context) {}, func(error) {
		told = true
		assert.False(t, waiting.Cancel(assert.AnError))
		assert.True(t, waiting.IsDone())
		assert.ErrorIs(t, waiting.Err(), executors.ErrShutdown)
	})
	require.NoError(t, err)
	waiting, err = p.Submit(background, func(context.Context) (int, error) { return 1, nil })
	require.NoError(t, err)
	assert.Len(t, p.ShutdownNow(), 2)
	assert.True(t, told)
	<-waiting.Finished()
}

// Whoever asks for the channel of the end gets the same one.
func TestDoneIsOneChannel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		g := newGate(t)
		f := accept[*executors.Future[int]](t)(p.Submit(background, func(ctx context.Context) (int, error) { g.task(ctx); return 1, nil }))
		first, second := f.Done(), f.Done()
		g.open()
		<-first
		<-second
	})
}

// A task is taken out of the queue: whoever waits for its end hears of that.
func TestRemoveTellsWhoWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		f := accept[*executors.Future[int]](t)(p.Submit(ctx, value(1)))
		done := f.Done()
		assert.True(t, p.Remove(&f.Handle))
		assert.False(t, p.Remove(&f.Handle))
		<-done
		assert.True(t, f.IsCancelled())
		assert.False(t, p.Remove(nil))
		balanced(t, p.Stats())
	})
}

// A decorator that returns nil keeps the task.
func TestADecoratorThatKeepsTheTask(t *testing.T) {
	bubble(t, func(t *testing.T) {
		keep := executors.WithDecorator(func(executors.Task) executors.Task { return nil })
		for _, opts := range [][]executors.Option{{keep}, {keep, keep}} {
			p := newPool(t, 1, 1, executors.Unbounded(), opts...)
			ran := false
			require.NoError(t, p.Execute(background, func(context.Context) { ran = true }))
			v, err := accept[*executors.Future[int]](t)(p.Submit(background, value(1))).Get(background)
			assert.NoError(t, err)
			assert.Equal(t, 1, v)
			assert.True(t, ran)
		}
	})
}
