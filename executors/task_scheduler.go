package executors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/logged"
)

// ErrNeverFires: the trigger of a job has no time for it.
var ErrNeverFires = errors.New("the trigger never fires")

// TaskScheduler runs jobs at instants, on triggers, at fixed rates and with fixed
// delays: Spring's TaskScheduler with the manners of Go.
//
// It goes by a wall clock, which may jump: instants, triggers, rates and delays are
// compared with that clock. After a jump, or after the machine was asleep, it takes
// up to 30 seconds to notice (see [RearmEvery]). However much was missed by then, a
// job fires once, unless its trigger makes up for missed runs, as cron.Fixed and
// fixed rates do.
//
// By default jobs run on the workers of a [ScheduledPool]. It has one worker unless
// [PoolSize] says otherwise; with one worker a slow job delays all others.
// [GoroutinePerRun] starts a goroutine for every run instead.
//
// The failure of a run is logged, and a repeating job goes on all the same. See
// [OnJobError].
//
// A scheduler is made by [NewTaskScheduler]; the zero one refuses every job.
type TaskScheduler struct {
	pool    *ScheduledPool
	runs    *ThreadPool      // for runs, nil if they run on the workers of pool
	now     func() time.Time // the wall clock, a function of the user; its times have no monotonic reading
	rearm   time.Duration
	onError func(job *Job, err error) error // nil for the default
	wait    bool
	patient time.Duration

	mu    sync.Mutex
	jobs  map[*Job]uint64 // jobs that are not over, numbered in the order in which they were added; mu
	added uint64          // how many jobs were added; mu
}

type schedulerSettings struct {
	size    int
	pool    []Option
	now     func() time.Time
	rearm   time.Duration
	onError func(job *Job, err error) error
	perRun  bool
	wait    bool
	patient time.Duration
}

// SchedulerOption adjusts a [TaskScheduler].
type SchedulerOption func(*schedulerSettings) error

// PoolSize sets the number of workers; by default 1.
func PoolSize(n int) SchedulerOption {
	return func(s *schedulerSettings) error {
		s.size = n
		if n <= 0 {
			return fmt.Errorf("executors: PoolSize: n > 0 required but it was %d: %w", n, errArgument)
		}
		return nil
	}
}

// PoolOptions are options for the pools that the scheduler makes: name, hooks,
// decorators, meter, clock. A policy has no effect here: a job that its pool refuses
// ends. With [GoroutinePerRun] there are two pools with the same options: one waits
// for the times of jobs, the other one, with "-run" at the end of its name, runs
// them; each of them calls Terminated. For hooks, decorators and the meter, each look
// at the clock is a task too. The failure of a job is not a failure of its task: see
// [OnJobError].
func PoolOptions(opts ...Option) SchedulerOption {
	return func(s *schedulerSettings) error { s.pool = append(s.pool, opts...); return nil }
}

// WallClock replaces the clock that instants and triggers are compared with; by
// default that is the clock of the pool, which by default is the system's. The wall
// clock may jump; a monotonic reading in its times is ignored. Waits of the scheduler
// and the durations of runs are measured by the clock of the pool.
func WallClock(now func() time.Time) SchedulerOption {
	return func(s *schedulerSettings) error {
		s.now = now
		return notNil("WallClock", "now", now == nil)
	}
}

// RearmEvery sets how long the scheduler waits at most before it looks at the clock
// again; by default 30 seconds.
func RearmEvery(d time.Duration) SchedulerOption {
	return func(s *schedulerSettings) error {
		s.rearm = d
		if d <= 0 {
			return fmt.Errorf("executors: RearmEvery: d > 0 required but it was %v: %w", d, errArgument)
		}
		return nil
	}
}

// OnJobError installs a function that is called with the error, or the
// [*reactor.PanicError], of a failed run, and replaces the default. If it returns
// nil, the failure is dealt with: a repeating job goes on, and the outcome of a
// run-once job is success. If it returns an error, the job ends with that error.
//
// The default logs the error, unless the job was asked to stop and the run returns
// the cause of its context, or context.Canceled. After logging, a repeating job goes
// on, and a job that runs once ends with the error.
func OnJobError(handle func(job *Job, err error) error) SchedulerOption {
	return func(s *schedulerSettings) error {
		s.onError = handle
		return notNil("OnJobError", "handle", handle == nil)
	}
}

// GoroutinePerRun makes every run of a job start on a goroutine of its own, so that
// no job delays another. The job's [Overlap] says what happens when a run is due
// while the run before it has not ended.
func GoroutinePerRun() SchedulerOption {
	return func(s *schedulerSettings) error { s.perRun = true; return nil }
}

// WaitOnShutdown makes [TaskScheduler.Shutdown] let runs under way come to their end,
// and wait for them for up to d; with 0 it does not wait. Runs that wait for their
// time are cancelled in any case. By default a shutdown also ends the contexts of
// runs under way.
func WaitOnShutdown(d time.Duration) SchedulerOption {
	return func(s *schedulerSettings) error {
		s.wait, s.patient = true, d
		if d < 0 {
			return fmt.Errorf("executors: WaitOnShutdown: d ≥ 0 required but it was %v: %w", d, errArgument)
		}
		return nil
	}
}

// NewTaskScheduler returns a scheduler without jobs. The error names the option
// that can't be used.
func NewTaskScheduler(opts ...SchedulerOption) (*TaskScheduler, error) {
	set := schedulerSettings{size: 1, rearm: 30 * time.Second}
	var errs []error
	for _, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("executors: an option is nil: %w", errArgument))
			continue
		}
		errs = append(errs, o(&set))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	// What the pools refuse is for the jobs, which end, and not for a policy that may run it here.
	set.pool = append(set.pool, WithPolicy(Abort))
	if set.perRun {
		set.pool = append(set.pool, withAnother())
	}
	pool, err := NewScheduledPool(set.size, append([]Option{DropDelayed(), withoutGoexit}, set.pool...)...)
	if err != nil {
		return nil, err
	}
	s := &TaskScheduler{
		pool: pool, rearm: set.rearm, onError: set.onError, wait: set.wait, patient: set.patient,
		jobs: map[*Job]uint64{},
	}
	if set.now == nil {
		set.now = pool.Now
	}
	// Times with a monotonic reading would be compared by that, which stands still
	// while the machine sleeps.
	s.now = func() time.Time { return set.now().Round(0) }
	if set.perRun {
		opts := append([]Option{withoutGoexit}, append(set.pool, WithName(pool.pool.name+"-run"))...)
		s.runs, err = NewThreadPool(0, 1<<30, time.Second, Direct(), opts...)
	}
	return s, err
}

// withAnother is for two pools that share their instruments: the pool that ends last removes them.
func withAnother() Option {
	others := new(atomic.Int32)
	others.Store(1)
	return func(s *settings) error { s.others = others; return nil }
}

// withoutGoexit sets the error handler of the scheduler's pools, which leaves out Goexit. A job
// recovers the panics of its function; a Goexit, of which the job was told as well, goes on to the pool.
func withoutGoexit(s *settings) error {
	s.onError = func(ctx context.Context, err error) {
		if !errors.Is(err, reactor.ErrGoexit) {
			logError(ctx, err)
		}
	}
	return nil
}

// made reports whether NewTaskScheduler has made the scheduler.
func (s *TaskScheduler) made() bool { return s.pool != nil }

// Now returns the time that instants and triggers are compared with.
func (s *TaskScheduler) Now() time.Time {
	if !s.made() {
		return systemClock{}.Now().Round(0)
	}
	return s.now()
}

// Jobs returns the jobs that are not over, in the order in which they were added: for
// example to export the [Job.Stats] of all of them, or to end some. A job that is
// over keeps its figures.
func (s *TaskScheduler) Jobs() []*Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Keys(s.jobs), func(a, b *Job) int { return cmp.Compare(s.jobs[a], s.jobs[b]) })
}

// Stats returns a snapshot of the pool that waits for the times of jobs, and runs
// them unless [GoroutinePerRun] says otherwise. Each look at the clock, see [RearmEvery],
// is a task of that pool like any other; [Job.Stats] counts runs.
func (s *TaskScheduler) Stats() Stats {
	if !s.made() {
		return Stats{State: "not made"}
	}
	return s.pool.Stats()
}

// Shutdown makes the scheduler refuse new jobs and cancels the existing ones: their
// contexts end, and their outcome is a [*CancelError]. It does not wait, unless
// [WaitOnShutdown] is given: then the error says that the time was not enough, and
// names the jobs that still run.
func (s *TaskScheduler) Shutdown() error {
	switch {
	case !s.made():
		return nil // it has no jobs
	case !s.wait:
		s.ShutdownNow()
		return nil
	case s.patient == 0:
		s.pool.Shutdown()
		if s.runs != nil {
			s.runs.Shutdown()
		}
		return nil
	}
	jobs := s.Jobs() // the shutdown drops them
	s.pool.Shutdown()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	defer s.pool.pool.clock.AfterFunc(s.patient, func() { cancel(context.DeadlineExceeded) })()
	if err := s.AwaitTermination(ctx); err != nil {
		// The cause is a deadline of this function: without more words the reader would look for a context of the caller.
		return fmt.Errorf("executors: Shutdown: %v%s: %w", s, stillRunning(jobs), err)
	}
	return nil
}

// ShutdownNow makes the scheduler refuse new jobs and cancels the existing ones. It
// does not wait.
func (s *TaskScheduler) ShutdownNow() {
	if !s.made() {
		return // it has no jobs
	}
	s.pool.Shutdown() // from here on there are no more jobs than are known
	jobs := slices.DeleteFunc(s.Jobs(), func(j *Job) bool { return !j.finish(becauseOfShutdown) })
	for _, j := range jobs { // when all have ended: the end of a run lets the next job begin
		j.cancel(becauseOfShutdown) // before its run can return
	}
	s.pool.ShutdownNow()
	if s.runs != nil {
		s.runs.ShutdownNow()
	}
}

// keep notes a job that is not over.
func (s *TaskScheduler) keep(j *Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.added++
	s.jobs[j] = s.added
}

// drop removes a job that keep has noted.
func (s *TaskScheduler) drop(j *Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.jobs, j)
}

// AwaitTermination waits after a shutdown until nothing runs any more; if ctx ends
// first, it returns the cause of ctx.
func (s *TaskScheduler) AwaitTermination(ctx context.Context) error {
	if !s.made() {
		return errNoScheduler
	}
	if err := s.pool.AwaitTermination(ctx); err != nil || s.runs == nil {
		return err
	}
	s.runs.Shutdown()
	return s.runs.AwaitTermination(ctx)
}

// Close shuts the scheduler down and waits for the runs under way until ctx ends,
// whatever time [WaitOnShutdown] gives them. If ctx ends first, it shuts the
// scheduler down by force and returns without waiting further; the error has the
// cause of ctx and names the jobs that still run.
func (s *TaskScheduler) Close(ctx context.Context) error {
	switch {
	case !s.made():
		return errNoScheduler
	case ctx == nil:
		return errNoContext // and nothing is shut down
	}
	jobs := s.Jobs() // ShutdownNow drops them
	if s.wait {
		s.pool.Shutdown()
	} else {
		s.ShutdownNow()
	}
	err := s.AwaitTermination(ctx)
	if err != nil {
		err = fmt.Errorf("executors: Close: %v%s: %w", s, stillRunning(jobs), err)
		s.ShutdownNow()
	}
	return err
}

// stillRunning says which of the jobs run, in alphabetical order, if there are any.
func stillRunning(jobs []*Job) string {
	var names []string
	for _, j := range jobs {
		if j.Stats().Running > 0 {
			names = append(names, strconv.Quote(j.Name()))
		}
	}
	if names == nil {
		return ""
	}
	slices.Sort(names)
	return ": still running: " + strings.Join(names, ", ")
}

// IsShutdown reports whether the scheduler takes no more jobs.
func (s *TaskScheduler) IsShutdown() bool { return s.made() && s.pool.IsShutdown() }

// At runs fn once, at the instant at, or at once if that is past.
func (s *TaskScheduler) At(at time.Time, fn func(ctx context.Context) error, opts ...JobOption) (*Job, error) {
	return s.add(once(at), fn, opts, false)
}

// On runs fn whenever trigger says. If trigger has no time at all, the error is
// [ErrNeverFires].
func (s *TaskScheduler) On(trigger Trigger, fn func(ctx context.Context) error, opts ...JobOption) (*Job, error) {
	if trigger == nil {
		return nil, fmt.Errorf("executors: On: trigger is nil: %w", errArgument)
	}
	return s.add(trigger, fn, opts, true)
}

// AtFixedRate runs fn now, or at [StartAt], and then every period. A start in the
// past counts as now: no run is missed because of it. Runs that the job misses later
// are made up for, unless an option of [Missed] says otherwise. It refuses period ≤
// 0.
func (s *TaskScheduler) AtFixedRate(period time.Duration, fn func(ctx context.Context) error, opts ...JobOption) (*Job, error) {
	if period <= 0 {
		return nil, fmt.Errorf("executors: AtFixedRate: period > 0 required but it was %v: %w", period, errArgument)
	}
	return s.add(&repeat{period: period, rate: true}, fn, opts, true)
}

// WithFixedDelay runs fn now, or at [StartAt], and then delay after the end of each
// run. It refuses delay ≤ 0.
func (s *TaskScheduler) WithFixedDelay(delay time.Duration, fn func(ctx context.Context) error, opts ...JobOption) (*Job, error) {
	if delay <= 0 {
		return nil, fmt.Errorf("executors: WithFixedDelay: delay > 0 required but it was %v: %w", delay, errArgument)
	}
	return s.add(&repeat{period: delay}, fn, opts, true)
}

// once is a trigger that fires at one instant.
type once time.Time

func (o once) Next(c TriggerContext) (time.Time, bool) {
	return time.Time(o), c.LastScheduled.IsZero()
}

// repeat is the trigger of fixed rates and delays.
type repeat struct {
	start  time.Time // zero for now
	period time.Duration
	rate   bool
	missed Missed
}

func (r *repeat) Next(c TriggerContext) (time.Time, bool) {
	switch {
	case c.LastScheduled.IsZero():
		if r.start.After(c.Now) {
			return r.start, true
		}
		return c.Now, true
	case !r.rate:
		return c.LastEnd.Add(r.period), true
	}
	return r.from(c.LastScheduled.Add(r.period), c.Now), true
}

// from returns the time of the next run, which is next with MissedAll, or if none was missed: with MissedOne the last regular time up to
// now, with MissedSkip the first one from now on, in either case not before next.
func (r *repeat) from(next, now time.Time) time.Time {
	if r.missed == MissedAll {
		return next
	}
	// A clock may jump further than the 292 years that a Duration can say: then this takes more than one step.
	for late := now.Sub(next); late >= r.period; late = now.Sub(next) {
		next = next.Add(late / r.period * r.period)
	}
	if r.missed == MissedSkip && next.Before(now) {
		next = next.Add(r.period)
	}
	return next
}

// logJobError is what happens to failures without a handler.
func logJobError(job *Job, err error) {
	attrs := []any{"job", job.Name(), "error", err}
	if p, ok := errors.AsType[*reactor.PanicError](err); ok {
		attrs = append(attrs, "stack", string(p.Stack))
	}
	logged.Safely(func() { slog.Error("executors: job failed", attrs...) })
}
