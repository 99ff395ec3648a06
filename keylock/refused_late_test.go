package keylock_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/schedulers"
)

// refusingLate is a scheduler that has taken a task when it says that it has not.
type refusingLate struct{ schedulers.Scheduler }

func (s refusingLate) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	d, _ := s.Scheduler.Schedule(func(ctx context.Context) { time.Sleep(time.Second); task(ctx) })
	return d, reactor.ErrRejected
}

// A function does not run behind its call, not even on a scheduler that has refused it and runs it all the same.
func TestAFunctionThatWasRefusedAndRuns(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		var ran atomic.Bool
		_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) { ran.Store(true); return 0, nil }, keylock.On(refusingLate{schedulers.Parallel()}))
		assert.ErrorIs(t, err, reactor.ErrRejected)
		time.Sleep(time.Minute)
		assert.False(t, ran.Load())
	})
}
