package schedulers

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/stall"
)

// reports collects what a context is told of.
type reports struct {
	mu   sync.Mutex
	list []error // guarded by mu
}

func (r *reports) context() context.Context {
	return reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.list = append(r.list, err)
	}})
}

func (r *reports) all() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list
}

// waitingFor lets time pass while somebody waits for a stream.
func waitingFor(d time.Duration) (list []error) {
	r := &reports{}
	stop := stall.Watch(r.context())
	time.Sleep(d)
	synctest.Wait()
	stop()
	return r.all()
}

func TestAWorkerThatMustNotBlockAndDoesIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := NewParallel("crunch", 1)
		require.NoError(t, err)
		defer s.Dispose()
		release := make(chan struct{})
		name := ""
		require.NoError(t, s.Execute(func(ctx context.Context) {
			name = WorkerName(ctx)
			<-release
		}))
		require.NoError(t, s.Execute(func(context.Context) {}))
		got := waitingFor(30 * time.Second)
		close(release)
		require.Len(t, got, 1)
		assert.ErrorIs(t, got[0], reactor.ErrStalled)
		assert.Regexp(t, `^reactor: schedulers: stalled: worker "`+name+`" has waited for 10s in schedulers\.TestAWorkerThatMustNotBlockAndDoesIsReported\.\S+ \(stall_test\.go:\d+\), `+
			`and 1 task waits for that worker; it must not block: let what waits run on schedulers\.BoundedElastic\(\)$`, got[0].Error())
	})
}

func TestASleepOnAWorkerThatMustNotBlockIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSingle("one")
		defer s.Dispose()
		require.NoError(t, s.Execute(func(context.Context) { time.Sleep(time.Hour) }))
		got := waitingFor(2 * time.Hour)
		require.Len(t, got, 1)
		assert.Regexp(t, `has waited for 10s in time\.Sleep, called by schedulers\.\S+ \(stall_test\.go:\d+\); it must not block`, got[0].Error())
	})
}

// Workers that may block do so for long as a matter of course: also where tasks wait.
func TestAWorkerThatMayBlockIsNotReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := NewBoundedElastic(1, 10, "io")
		require.NoError(t, err)
		defer s.Dispose()
		require.NoError(t, s.Execute(func(context.Context) { time.Sleep(time.Hour) }))
		require.NoError(t, s.Execute(func(context.Context) {}))
		assert.Empty(t, waitingFor(2*time.Hour))
	})
}

// Many short tasks are no long one.
func TestAWorkerThatGoesOnIsNotReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSingle("one")
		defer s.Dispose()
		for range 300 {
			require.NoError(t, s.Execute(func(context.Context) { time.Sleep(stall.Period - 1) }))
		}
		assert.Empty(t, waitingFor(time.Hour))
	})
}

func TestATaskThatComputesIsNotReported(t *testing.T) {
	s := NewSingle("one")
	defer s.Dispose()
	started, done := make(chan struct{}), make(chan struct{})
	var stop atomic.Bool
	var here *slot
	require.NoError(t, s.Execute(func(context.Context) {
		defer close(done)
		here = slotHere()
		close(started)
		for n := 0; !stop.Load(); n++ {
		}
	}))
	<-started
	r := &reports{}
	assert.False(t, here.Report(r.context(), time.Minute))
	stop.Store(true)
	<-done
	assert.Empty(t, r.all())
}

// The list of running slots is as long as there are loops.
func TestSlotsLeaveTheListWhenTheyRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSingle("one")
		defer s.Dispose()
		var mine *slot
		require.NoError(t, s.Execute(func(context.Context) { mine = slotHere() }))
		synctest.Wait()
		require.NotNil(t, mine)
		for i := range running {
			assert.NotSame(t, mine.ref, running[i].Load())
		}
		require.NoError(t, s.Execute(func(context.Context) { panic(errors.New("boom")) }))
		synctest.Wait()
		for i := range running {
			assert.NotSame(t, mine.ref, running[i].Load())
		}
	})
}
