package operators

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

// handScheduler keeps tasks until the test runs them, and refuses when told to.
type handScheduler struct {
	schedulers.Scheduler                // nil: what the tests don't expect to be called
	books                *ledger.Ledger // of a race, for functions that make elements disappear

	mu      sync.Mutex
	refusal error             // guarded by mu
	waiting []*handTask       // guarded by mu
	workers []*handWorker     // guarded by mu
	now     time.Duration     // guarded by mu
	offered int               // guarded by mu: tasks accepted or refused
	onOffer func(n int) error // guarded by mu: called with offered
}

type handTask struct {
	run      schedulers.Task
	due      time.Duration
	worker   *handWorker
	series   *handTask // of which this is a run, nil if of none; guarded by the scheduler's mu
	disposed atomic.Bool
}

func (t *handTask) Dispose()         { t.disposed.Store(true) }
func (t *handTask) IsDisposed() bool { return t.disposed.Load() }

func (t *handTask) gone() bool {
	return t.disposed.Load() || t.worker != nil && t.worker.disposals.Load() > 0 || t.series != nil && t.series.disposed.Load()
}

type handWorker struct {
	*handScheduler
	disposals atomic.Int32
}

func (h *handScheduler) add(w *handWorker, task schedulers.Task, delay time.Duration) (*handTask, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.offered++
	if h.onOffer != nil {
		if err := h.onOffer(h.offered); err != nil {
			return nil, err
		}
	}
	if h.refusal != nil {
		return nil, h.refusal
	}
	if w != nil && w.disposals.Load() > 0 {
		return nil, schedulers.ErrUnavailable
	}
	t := &handTask{run: task, due: h.now + delay, worker: w}
	h.waiting = append(h.waiting, t)
	return t, nil
}

func (h *handScheduler) refuse(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refusal = err
}

// step runs the first task that is due and reports whether there was one.
func (h *handScheduler) step() bool {
	h.mu.Lock()
	for i, t := range h.waiting {
		if t.due > h.now {
			continue
		}
		h.waiting = append(h.waiting[:i:i], h.waiting[i+1:]...)
		gone := t.gone()
		h.mu.Unlock()
		if !gone {
			t.run(context.Background())
		}
		return true
	}
	h.mu.Unlock()
	return false
}

// run runs everything that is due.
func (h *handScheduler) run() {
	for h.step() {
	}
}

// forward moves the clock and runs what is due then.
func (h *handScheduler) forward(d time.Duration) {
	h.mu.Lock()
	h.now += d
	h.mu.Unlock()
	h.run()
}

func (h *handScheduler) pending() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.waiting {
		if !t.gone() {
			n++
		}
	}
	return n
}

func (h *handScheduler) Execute(task schedulers.Task) error {
	_, err := h.add(nil, task, 0)
	return err
}

func (h *handScheduler) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	return h.ScheduleAfter(task, 0)
}

func (h *handScheduler) ScheduleAfter(task schedulers.Task, d time.Duration) (schedulers.Disposable, error) {
	t, err := h.add(nil, task, d)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// SchedulePeriodically schedules the next run when one has ended.
func (h *handScheduler) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, _ ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	series := &handTask{}
	var again schedulers.Task
	again = func(ctx context.Context) {
		if series.disposed.Load() {
			return
		}
		task(ctx)
		if t, err := h.add(nil, again, period); err == nil {
			h.mu.Lock()
			t.series = series
			h.mu.Unlock()
		}
	}
	t, err := h.add(nil, again, initial)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	t.series = series
	h.mu.Unlock()
	return series, nil
}

func (h *handScheduler) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Unix(0, 0).Add(h.now)
}

func (h *handScheduler) NewWorker() schedulers.Worker {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := &handWorker{handScheduler: h}
	h.workers = append(h.workers, w)
	return w
}

func (w *handWorker) Execute(task schedulers.Task) error {
	_, err := w.add(w, task, 0)
	return err
}

func (w *handWorker) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	return w.ScheduleAfter(task, 0)
}

func (w *handWorker) ScheduleAfter(task schedulers.Task, d time.Duration) (schedulers.Disposable, error) {
	t, err := w.add(w, task, d)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (w *handWorker) Dispose()         { w.disposals.Add(1) }
func (w *handWorker) IsDisposed() bool { return w.disposals.Load() > 0 }

// assertReleased checks that every worker was given back.
func (h *handScheduler) assertReleased(t testing.TB) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.workers {
		assert.Positive(t, w.disposals.Load(), "worker is given back")
	}
}

// accounted checks that each of the elements went one way exactly once:
// delivered, discarded or dropped.
func accounted[T any](t testing.TB, p *probe.Probe[T], r *probe.Record, sent ...T) {
	t.Helper()
	require.Empty(t, p.Faults())
	accountedFor(t, p.Got(), r, sent)
}

// accountedFor is accounted for what was delivered.
func accountedFor[T any](t testing.TB, delivered []T, r *probe.Record, sent []T) {
	t.Helper()
	discarded, dropped, _ := r.Seen()
	var seen []any
	for _, v := range delivered {
		seen = append(seen, v)
	}
	seen = append(append(seen, discarded...), dropped...)
	require.ElementsMatch(t, sent, seen, "delivered %v, discarded %v, dropped %v", delivered, discarded, dropped)
}

var _ reactor.Disposable = (*handTask)(nil)
