package executors

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// ScheduledPool runs tasks after a delay, and again and again: java.util.concurrent's
// ScheduledThreadPoolExecutor with the manners of Go.
//
// Core workers run the due tasks in the order of their due times, and in the order
// of submission where the due times are equal. A delay ≤ 0 means no delay. A due
// time is fixed at the submission by the monotonic clock: changes of the wall clock
// don't move it. The queue has no limit; a cancelled task leaves it at once.
//
// With one worker a slow task delays all others; the lag of [WithMeter] shows it.
//
// All methods may be called by any goroutine. A pool is made by [NewScheduledPool]; the zero one refuses every task.
type ScheduledPool struct{ pool *ThreadPool }

var (
	_ TimedTracker = (*ScheduledPool)(nil)
	_ Tracker      = (*ThreadPool)(nil)
	_ Service      = (*ThreadPool)(nil)
)

// timedSettings are those of a ScheduledPool alone.
type timedSettings struct {
	dropDelayed  bool
	keepPeriodic bool
}

// DropDelayed says that Shutdown cancels tasks whose time has not come; by default
// they are still run. The cancellation of a task without a handle, see
// [ScheduledPool.ExecuteAfter], is reported to nobody. It changes nothing for a
// [ThreadPool].
func DropDelayed() Option {
	return func(s *settings) error { s.timed.dropDelayed = true; return nil }
}

// KeepPeriodic says that periodic tasks go on after Shutdown, until they are
// cancelled; by default they are cancelled, after the run under way. It changes
// nothing for a [ThreadPool].
func KeepPeriodic() Option {
	return func(s *settings) error { s.timed.keepPeriodic = true; return nil }
}

// keepAliveOnDemand is how long the worker of a pool without core workers stays.
const keepAliveOnDemand = 10 * time.Millisecond

// NewScheduledPool returns a pool of core workers; each submission starts a worker
// until there are core of them. With core = 0 a worker is started when there are
// tasks. The error names the argument that can't be used. A policy is asked only
// after a shutdown, because the queue is never full.
func NewScheduledPool(core int, opts ...Option) (*ScheduledPool, error) {
	set, err := newSettings("scheduled", opts)
	if err := errors.Join(checkSizes(core, math.MaxInt), err); err != nil {
		return nil, err
	}
	p := newPool(core, math.MaxInt, keepAliveOnDemand, set)
	p.scheduled = &schedule{runDelayed: !set.timed.dropDelayed, keepPeriodic: set.timed.keepPeriodic}
	p.queue, p.capacity = p.scheduled, Unlimited
	return &ScheduledPool{p}, nil
}

// Missed says what a task at a fixed rate does about runs that it missed because a
// run took too long, or because the machine was asleep. A run that waits for a worker
// is late, but not missed.
type Missed uint8

// What to do about missed runs.
const (
	MissedAll  Missed = iota // run them all, back to back, as Java does
	MissedOne                // run once for all of them, then at the next regular time
	MissedSkip               // leave them out, run at the next regular time
)

// check refuses what is none of them.
func (m Missed) check() error {
	if m > MissedSkip {
		return fmt.Errorf("executors: AtFixedRate: unknown Missed %d: %w", m, errArgument)
	}
	return nil
}

// apply makes a Missed a PeriodicOption.
func (m Missed) apply(s *series) { s.missed = m }

// PeriodicOption adjusts [ScheduledPool.AtFixedRate]. There is one kind: [Missed].
type PeriodicOption interface{ apply(s *series) }

// Execute runs task as soon as possible, behind the tasks that are due already.
func (p *ScheduledPool) Execute(ctx context.Context, task Task) error {
	_, err := p.ExecuteAfter(ctx, 0, task)
	return err
}

// ExecuteAfter runs task after delay. The returned function takes the task back, and
// reports whether it did so before the start.
func (p *ScheduledPool) ExecuteAfter(ctx context.Context, delay time.Duration, task Task) (withdraw func() bool, err error) {
	e, err := p.pool.entryFor(ctx, task)
	if err != nil {
		return nil, err
	}
	h := &Handle{essential: true, pool: p.pool, body: &tracked{ctx: ctx, task: e.fn}}
	if !p.pool.plant(h, delay) {
		// The policy may drop it, unlike a task of a scheduler.
		if err := p.pool.reject(e, refusedStopped, nil); err != nil {
			return nil, err
		}
	}
	return h.cancelQueued, nil
}

// Track is [ThreadPool.Track].
func (p *ScheduledPool) Track(ctx context.Context, task Task, dropped func(cause error)) (withdraw func() bool, err error) {
	return p.TrackAfter(ctx, 0, task, dropped)
}

// TrackAfter is [ThreadPool.Track] with a delay.
func (p *ScheduledPool) TrackAfter(ctx context.Context, delay time.Duration, task Task, dropped func(cause error)) (withdraw func() bool, err error) {
	h, err := p.pool.track(ctx, task, dropped)
	if err != nil {
		return nil, err
	}
	if err := p.pool.plantOrReject(h, delay); err != nil {
		return nil, err
	}
	return h.cancelQueued, nil
}

// After runs fn once, after delay.
func (p *ScheduledPool) After(delay time.Duration, fn func(ctx context.Context) error) (*Handle, error) {
	return p.plantNew(delay, fn, nil)
}

// AtFixedRate runs fn after initial and then every period, measured from start to
// start: run k is due at initial + k·period, whenever the other runs really
// started. Runs never overlap. A run that takes longer than the period delays the
// runs after it; [Missed] says how those are made up for.
//
// An error or panic of fn ends the series and is the outcome of the handle; a series
// never ends with success. It refuses period ≤ 0.
func (p *ScheduledPool) AtFixedRate(initial, period time.Duration, fn func(ctx context.Context) error, opts ...PeriodicOption) (*Handle, error) {
	if period <= 0 {
		return nil, fmt.Errorf("executors: AtFixedRate: period > 0 required but it was %v: %w", period, errArgument)
	}
	s := &series{period: period}
	for _, o := range opts {
		if o == nil {
			return nil, fmt.Errorf("executors: AtFixedRate: an option is nil: %w", errArgument)
		}
		o.apply(s)
	}
	if err := s.missed.check(); err != nil {
		return nil, err
	}
	return p.plantNew(initial, fn, s)
}

// WithFixedDelay is [ScheduledPool.AtFixedRate], except that delay is measured from
// the end of a run to the start of the next one.
func (p *ScheduledPool) WithFixedDelay(initial, delay time.Duration, fn func(ctx context.Context) error) (*Handle, error) {
	if delay <= 0 {
		return nil, fmt.Errorf("executors: WithFixedDelay: delay > 0 required but it was %v: %w", delay, errArgument)
	}
	return p.plantNew(initial, fn, &series{delay: delay})
}

func (p *ScheduledPool) plantNew(delay time.Duration, fn func(ctx context.Context) error, s *series) (*Handle, error) {
	switch {
	case !p.pool.made():
		return nil, errNotMade
	case fn == nil:
		return nil, ErrNilTask
	}
	h := new(Handle)
	h.init(p.pool, action(fn))
	if s != nil {
		h.periodic = true
		h.more.Store(&extra{series: s})
	}
	if err := p.pool.plantOrReject(h, delay); err != nil {
		return nil, err
	}
	return h, nil
}

// Submit is [ScheduledPool.SubmitAfter] without a delay.
func (p *ScheduledPool) Submit[T any](ctx context.Context, fn func(ctx context.Context) (T, error)) (*Future[T], error) {
	return p.SubmitAfter(ctx, 0, fn)
}

// SubmitAfter runs fn once, after delay, and returns a future for its result. The end
// of ctx cancels the task.
func (p *ScheduledPool) SubmitAfter[T any](ctx context.Context, delay time.Duration, fn func(ctx context.Context) (T, error)) (*Future[T], error) {
	f, err := newFuture(ctx, p.pool, fn)
	if err != nil {
		return nil, err
	}
	if err := p.pool.plantOrReject(&f.Handle, delay); err != nil {
		return nil, err
	}
	f.watch(ctx)
	return f, nil
}

// Remove is [ThreadPool.Remove]. It reports whether the task was in the queue, where
// it waits for its time; a periodic task waits there between its runs too, and its
// series ends.
func (p *ScheduledPool) Remove(h *Handle) bool { return p.pool.Remove(h) }

// Purge is [ThreadPool.Purge].
func (p *ScheduledPool) Purge() int { return p.pool.Purge() }

// SetDropDelayed changes [DropDelayed]; after a shutdown it takes effect at once.
func (p *ScheduledPool) SetDropDelayed(drop bool) {
	p.setPolicy(func(q *schedule) { q.runDelayed = !drop })
}

// SetKeepPeriodic changes [KeepPeriodic]; after a shutdown it takes effect at once.
func (p *ScheduledPool) SetKeepPeriodic(keep bool) {
	p.setPolicy(func(q *schedule) { q.keepPeriodic = keep })
}

func (p *ScheduledPool) setPolicy(set func(q *schedule)) {
	if !p.pool.made() {
		return // it has no tasks
	}
	p.pool.mu.Lock()
	set(p.pool.scheduled)
	shut := p.pool.state == poolShutdown
	p.pool.mu.Unlock()
	if shut {
		p.pool.Shutdown()
	}
}

// SetCore is [ThreadPool.SetCore].
func (p *ScheduledPool) SetCore(n int) error { return p.pool.SetCore(n) }

// PrestartAll is [ThreadPool.PrestartAll].
func (p *ScheduledPool) PrestartAll() int { return p.pool.PrestartAll() }

// Shutdown makes the pool refuse new tasks. Tasks that wait for their time are still
// run, unless [DropDelayed] is given; periodic tasks are cancelled, unless
// [KeepPeriodic] is given. It does not wait, and may be called again.
func (p *ScheduledPool) Shutdown() { p.pool.Shutdown() }

// ShutdownNow is [ThreadPool.ShutdownNow]; what it returns is ordered by due time.
func (p *ScheduledPool) ShutdownNow() []Task { return p.pool.ShutdownNow() }

// AwaitTermination is [ThreadPool.AwaitTermination].
func (p *ScheduledPool) AwaitTermination(ctx context.Context) error {
	return p.pool.AwaitTermination(ctx)
}

// Close is [ThreadPool.Close].
func (p *ScheduledPool) Close(ctx context.Context) error { return p.pool.Close(ctx) }

// IsShutdown reports whether the pool accepts no more tasks, see [ThreadPool.IsShutdown].
func (p *ScheduledPool) IsShutdown() bool { return p.pool.IsShutdown() }

// IsTerminated reports whether the last task has ended, see [ThreadPool.IsTerminated].
func (p *ScheduledPool) IsTerminated() bool { return p.pool.IsTerminated() }

// Stats returns a snapshot.
func (p *ScheduledPool) Stats() Stats { return p.pool.Stats() }

// Now returns the time of the pool's clock, which is the system's unless [WithClock] says otherwise.
func (p *ScheduledPool) Now() time.Time {
	if !p.pool.made() {
		return systemClock{}.Now()
	}
	return p.pool.clock.Now()
}

// String returns for example "scheduled pool \"timers\"".
func (p *ScheduledPool) String() string { return fmt.Sprintf("scheduled pool %q", p.Stats().Name) }
