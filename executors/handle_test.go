package executors_test

import (
	"context"
	"errors"
	"testing"
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
