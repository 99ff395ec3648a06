package schedulers

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// kinds are the schedulers made of slots; the contract holds for all of them.
var kinds = []struct {
	name string
	make func(opts ...Option) Scheduler
}{
	{"single", func(opts ...Option) Scheduler { return NewSingle("t", opts...) }},
	{"parallel", func(opts ...Option) Scheduler { return must(NewParallel("t", 4, opts...)) }},
	{"elastic", func(opts ...Option) Scheduler { return must(NewBoundedElastic(4, 1000, "t", opts...)) }},
	{"unbounded", func(opts ...Option) Scheduler { return must(NewBoundedElastic(1, math.MaxInt, "t", opts...)) }},
	{"perTask", func(opts ...Option) Scheduler { return must(NewPerTaskBoundedElastic(4, 1000, "t", opts...)) }},
}

// bubble runs f with a fake clock. It ends only when all goroutines have, so
// every test in a bubble is a leak test too.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// forKinds runs f for each kind in a bubble of its own.
func forKinds(t *testing.T, f func(t *testing.T, s Scheduler)) {
	t.Helper()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := k.make()
				defer s.Dispose()
				f(t, s)
			})
		})
	}
}

// lane is what Scheduler and Worker have in common.
type lane interface {
	Execute(task Task) error
	Schedule(task Task) (Disposable, error)
	ScheduleAfter(task Task, delay time.Duration) (Disposable, error)
	SchedulePeriodically(task Task, initial, period time.Duration, opts ...PeriodicOption) (Disposable, error)
}

// forLanes runs f for each kind, direct and through a worker.
func forLanes(t *testing.T, f func(t *testing.T, s Scheduler, l lane)) {
	t.Helper()
	forKinds(t, func(t *testing.T, s Scheduler) { f(t, s, s) })
	t.Run("owned", func(t *testing.T) {
		forKinds(t, func(t *testing.T, s Scheduler) { f(t, s, owning{s}) })
	})
	for _, k := range kinds {
		t.Run(k.name+"/worker", func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := k.make()
				defer s.Dispose()
				w := s.NewWorker()
				defer w.Dispose()
				f(t, s, w)
			})
		})
	}
}

// owning schedules with handles that belong to the caller.
type owning struct{ Scheduler }

func (o owning) Schedule(task Task) (Disposable, error) {
	checkTask("Schedule", task)
	h := new(Handle)
	if err := h.Schedule(o.Scheduler, runner(task)); err != nil {
		return nil, err
	}
	return h, nil
}

type runner Task

func (r runner) Run(ctx context.Context) { r(ctx) }

// pass lets time pass in a bubble, and everything happen that is due.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func nothing(context.Context) {}

// blocked keeps a lane busy until release is called, which may be never: then the
// end of the test does it.
func blocked(t *testing.T, l lane) (release func()) {
	t.Helper()
	gate, running := make(chan struct{}), make(chan struct{})
	require.NoError(t, l.Execute(func(context.Context) {
		close(running)
		<-gate
	}))
	<-running
	release = sync.OnceFunc(func() { close(gate) })
	t.Cleanup(release)
	return release
}

// journal collects what tasks note, in order.
type journal[T any] struct {
	mu    sync.Mutex
	notes []T
}

func (j *journal[T]) note(v T) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.notes = append(j.notes, v)
}

func (j *journal[T]) noting(v T) Task { return func(context.Context) { j.note(v) } }

func (j *journal[T]) read() []T {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.notes)
}

// catchErrors collects what tasks throw, until the end of the test.
func catchErrors(t *testing.T) *journal[error] {
	t.Helper()
	j := new(journal[error])
	t.Cleanup(OnHandleError("test", func(_ context.Context, err error) { j.note(err) }))
	return j
}

func sortDurations(d []time.Duration) { slices.Sort(d) }

// accept unwraps the result of a submission that must succeed.
func accept(t *testing.T) func(d Disposable, err error) Disposable {
	return func(d Disposable, err error) Disposable {
		t.Helper()
		require.NoError(t, err)
		require.NotNil(t, d)
		return d
	}
}
