package schedulers

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/measured"
)

// Meter makes the instruments of [Timed].
type Meter = executors.Meter

// Timed returns a scheduler that runs its tasks on s and measures them. Under
// "prefix.scheduler.tasks." it reports
//
//	submitted   counter of accepted submissions, with the tag submission.type =
//	            direct, delayed, periodic_initial or periodic_iteration
//	pending     gauge of tasks that run once, from acceptance to start or withdrawal
//	active      gauge of tasks that run now
//	completed   timer of runs
//
// A dot at the end of prefix is dropped. The first run of a periodic task counts as
// periodic_initial, each further run as periodic_iteration; periodic tasks never
// count as pending. Tags, pairs of key and value, are put on all instruments.
// Disposing the scheduler disposes s and removes the instruments by their names, and
// so also the instruments of other schedulers with the same prefix.
func Timed(s Scheduler, m Meter, prefix string, tags ...string) Scheduler {
	if s == nil || m == nil {
		panic("schedulers: Timed: scheduler or meter is nil")
	}
	if len(tags)%2 != 0 {
		panic(fmt.Sprintf("schedulers: Timed: tags are pairs of key and value, got %d strings", len(tags)))
	}
	m = measured.Guarded(m)
	name := strings.TrimSuffix(prefix, ".") + ".scheduler.tasks."
	submitted := func(kind string) func(int64) {
		return m.Counter(name+"submitted", append([]string{"submission.type", kind}, tags...)...)
	}
	return &timed{
		Scheduler: s,
		meter:     m,
		name:      name,
		direct:    submitted("direct"),
		delayed:   submitted("delayed"),
		initial:   submitted("periodic_initial"),
		iteration: submitted("periodic_iteration"),
		pending:   m.Gauge(name+"pending", tags...),
		active:    m.Gauge(name+"active", tags...),
		completed: m.Timer(name+"completed", tags...),
	}
}

// timed measures the tasks of another scheduler.
type timed struct {
	Scheduler
	meter                               Meter
	name                                string
	direct, delayed, initial, iteration func(int64)
	pending, active                     func(int64)
	completed                           func(time.Duration)
	waiting                             waiting // the pending direct tasks
}

var _ Scheduler = (*timed)(nil)

// Execute runs task and measures it.
func (t *timed) Execute(task Task) error {
	return t.execute(task, &t.waiting, t.Scheduler.Execute)
}

// Schedule runs task and measures it.
func (t *timed) Schedule(task Task) (Disposable, error) {
	return t.schedule("Schedule", task, &t.waiting, t.direct, t.Scheduler.Schedule)
}

// ScheduleAfter runs task after delay and measures it.
func (t *timed) ScheduleAfter(task Task, delay time.Duration) (Disposable, error) {
	return t.scheduleAfter(task, delay, &t.waiting, t.Scheduler.ScheduleAfter)
}

// SchedulePeriodically runs task again and again and measures the runs.
func (t *timed) SchedulePeriodically(task Task, initial, period time.Duration, opts ...PeriodicOption) (Disposable, error) {
	return t.Scheduler.SchedulePeriodically(t.series(task), initial, period, opts...)
}

// NewWorker returns a worker whose tasks are measured.
func (t *timed) NewWorker() Worker {
	return &timedWorker{pinnable: pinnableOf(t.Scheduler.NewWorker()), t: t}
}

// Dispose disposes the scheduler and removes the instruments.
func (t *timed) Dispose() {
	t.Scheduler.Dispose()
	t.removeMeters()
}

// DisposeGracefully lets the scheduler run out and removes the instruments then.
func (t *timed) DisposeGracefully(ctx context.Context, opts ...DisposeOption) error {
	if err := t.Scheduler.DisposeGracefully(ctx, opts...); err != nil {
		return err
	}
	t.removeMeters()
	return nil
}

func (t *timed) removeMeters() {
	t.waiting.close(t.pending)
	for _, m := range []string{"submitted", "pending", "active", "completed"} {
		t.meter.Remove(t.name + m)
	}
}

// Stats returns the figures of the scheduler.
func (t *timed) Stats() Stats {
	st := t.Scheduler.Stats()
	st.Parent, st.Name = st.Name, t.String()
	return st
}

// String returns for example "timed(schedulers.Parallel())".
func (t *timed) String() string { return "timed(" + nameOf(t.Scheduler) + ")" }

// timedWorker measures the tasks of a worker.
type timedWorker struct {
	pinnable
	t       *timed
	waiting waiting
}

// Execute runs task and measures it.
func (w *timedWorker) Execute(task Task) error {
	return w.t.execute(task, &w.waiting, w.pinnable.Execute)
}

// Schedule runs task and measures it.
func (w *timedWorker) Schedule(task Task) (Disposable, error) {
	return w.t.schedule("Schedule", task, &w.waiting, w.t.direct, w.pinnable.Schedule)
}

// ScheduleAfter runs task after delay and measures it.
func (w *timedWorker) ScheduleAfter(task Task, delay time.Duration) (Disposable, error) {
	return w.t.scheduleAfter(task, delay, &w.waiting, w.pinnable.ScheduleAfter)
}

// SchedulePeriodically runs task again and again and measures the runs.
func (w *timedWorker) SchedulePeriodically(task Task, initial, period time.Duration, opts ...PeriodicOption) (Disposable, error) {
	return w.pinnable.SchedulePeriodically(w.t.series(task), initial, period, opts...)
}

// Dispose disposes the worker; its tasks are not pending any more.
func (w *timedWorker) Dispose() {
	w.pinnable.Dispose()
	w.waiting.close(w.t.pending)
}

// The measuring itself.

func (t *timed) execute(task Task, by *waiting, submit func(Task) error) error {
	checkTask("Execute", task)
	p := t.begin(by)
	accepted := false
	defer p.endUnless(&accepted)
	if err := submit(t.once(task, p)); err != nil {
		return err
	}
	accepted = true
	t.direct(1)
	return nil
}

func (t *timed) schedule(op string, task Task, by *waiting, count func(int64), submit func(Task) (Disposable, error)) (Disposable, error) {
	checkTask(op, task)
	p := t.begin(by)
	accepted := false
	defer p.endUnless(&accepted)
	d, err := submit(t.once(task, p))
	if err != nil {
		return nil, err
	}
	accepted = true
	count(1)
	return &measuredHandle{d, p}, nil
}

func (t *timed) scheduleAfter(task Task, delay time.Duration, by *waiting, submit func(Task, time.Duration) (Disposable, error)) (Disposable, error) {
	count := t.delayed
	if delay <= 0 {
		count = t.direct
	}
	return t.schedule("ScheduleAfter", task, by, count, func(task Task) (Disposable, error) {
		return submit(task, delay)
	})
}

// run runs a task and measures the run.
func (t *timed) run(ctx context.Context, task Task) {
	t.active(1)
	start := t.Now()
	defer func() {
		t.active(-1)
		t.completed(t.Now().Sub(start))
	}()
	task(ctx)
}

func (t *timed) once(task Task, p *pendingTask) Task {
	return withMarkOf(task, func(ctx context.Context) {
		p.end()
		t.run(ctx, task)
	})
}

func (t *timed) series(task Task) Task {
	checkTask("SchedulePeriodically", task)
	first := true // runs never overlap
	return withMarkOf(task, func(ctx context.Context) {
		if first {
			first = false
			t.initial(1)
		} else {
			t.iteration(1)
		}
		t.run(ctx, task)
	})
}

// begin counts a task as pending, unless the worker or scheduler is disposed, which will
// refuse the task.
func (t *timed) begin(by *waiting) *pendingTask {
	p := &pendingTask{by: by, gauge: t.pending}
	if by.state.Add(1)&waitingClosed != 0 {
		p.ended.Store(true)
	} else {
		t.pending(1)
	}
	return p
}

// waiting counts the pending tasks of a worker, or the direct ones, so that the disposal
// of the worker or the scheduler can take all of them off the gauge at once.
type waiting struct{ state atomic.Int64 }

// waitingClosed is the flag beside the count.
const waitingClosed = int64(1) << 62

func (w *waiting) close(gauge func(int64)) {
	if n := w.state.Or(waitingClosed); n&waitingClosed == 0 && n > 0 {
		gauge(-n)
	}
}

// pendingTask is one task until its start or withdrawal.
type pendingTask struct {
	by    *waiting
	gauge func(int64)
	ended atomic.Bool
}

// end takes the task off the gauge, once, unless close has taken it off with all others.
func (p *pendingTask) end() {
	if p.ended.CompareAndSwap(false, true) && p.by.state.Add(-1)&waitingClosed == 0 {
		p.gauge(-1)
	}
}

// endUnless is deferred around the submission, which may end the goroutine.
func (p *pendingTask) endUnless(accepted *bool) {
	if !*accepted {
		p.end()
	}
}

type measuredHandle struct {
	Disposable
	pending *pendingTask
}

// whenLost implements lossTeller.
func (h *measuredHandle) whenLost(fn func(cause error)) { tellLoss(h.Disposable, fn) }

// Dispose disposes the task; it is not pending any more.
func (h *measuredHandle) Dispose() {
	h.Disposable.Dispose()
	h.pending.end()
}
