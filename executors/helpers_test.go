package executors_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/require"
)

var background = context.Background()

// bubble runs f with a fake clock. It ends only when all goroutines have, so every
// test in a bubble is a leak test too.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// pass lets time pass in a bubble, and everything happen that is due.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// newPool returns a pool that is shut down by force at the end of the test.
func newPool(t *testing.T, core, most int, queue executors.Queue, opts ...executors.Option) *executors.ThreadPool {
	t.Helper()
	p, err := executors.NewThreadPool(core, most, time.Minute, queue, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { end(t, p) })
	return p
}

// end shuts an executor down by force and waits for its last goroutine.
func end(t *testing.T, s executors.Service) {
	t.Helper()
	s.ShutdownNow()
	ctx, cancel := context.WithTimeout(background, 10*time.Second)
	defer cancel()
	require.NoError(t, s.AwaitTermination(ctx))
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

func (j *journal[T]) noting(v T) executors.Task { return func(context.Context) { j.note(v) } }

func (j *journal[T]) read() []T {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.notes)
}

func nothing(context.Context) {}

// gate holds tasks up until it is opened, at the latest by the end of the test, or
// until their context ends.
type gate struct {
	c    chan struct{}
	open func()
}

func newGate(t *testing.T) *gate {
	g := &gate{c: make(chan struct{})}
	g.open = sync.OnceFunc(func() { close(g.c) })
	t.Cleanup(g.open)
	return g
}

func (g *gate) task(ctx context.Context) {
	select {
	case <-g.c:
	case <-ctx.Done():
	}
}

// value returns a function for Submit that returns v.
func value[T any](v T) func(context.Context) (T, error) {
	return func(context.Context) (T, error) { return v, nil }
}

// failing returns a function for Submit that fails.
func failing(err error) func(context.Context) (int, error) {
	return func(context.Context) (int, error) { return 0, err }
}

// accept unwraps the result of a submission that must succeed.
func accept[F any](t *testing.T) func(f F, err error) F {
	return func(f F, err error) F {
		t.Helper()
		require.NoError(t, err)
		return f
	}
}

// catch collects what nobody else hears of.
func catch(j *journal[error]) executors.Option {
	return executors.WithErrorHandler(func(_ context.Context, err error) { j.note(err) })
}

// balanced checks that no task was lost.
func balanced(t *testing.T, s executors.Stats) {
	t.Helper()
	require.Equal(t, s.Submitted, s.Completed+uint64(s.Active)+uint64(s.Queued)+s.Discarded+s.Cancelled, "%+v", s)
}

// isClosed reports whether c is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
