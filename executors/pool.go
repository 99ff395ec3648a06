package executors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/logged"
)

// errArgument is wrapped by the errors of constructors and setters.
var errArgument = reactor.ErrIllegalArgument

// ThreadPool runs tasks on a number of goroutines, its workers, that grows and
// shrinks with the load. It is java.util.concurrent.ThreadPoolExecutor with the
// manners of Go. A task that is submitted is
//
//  1. given to a new worker while there are fewer than the core size, else
//  2. given to a worker that has nothing to do, or put into the queue, else
//  3. given to a new worker while there are fewer than the maximum, else
//  4. left to the rejection policy.
//
// So the pool grows beyond its core size only when the queue is full, and a task that
// finds the queue full overtakes the tasks in it. With an unbounded queue the maximum
// never matters.
//
// A worker survives the panics of its tasks. A worker that has had nothing to do for
// the keep-alive time leaves if there are more workers than the core size; there is
// no difference between core workers and others.
//
// Every task that was accepted ends: it is run, or its future fails because it
// was cancelled, discarded or withdrawn by [ThreadPool.ShutdownNow], which returns
// it.
//
// All methods may be called by any goroutine. A task must not wait for the end of
// its own pool, nor for a task that can only run after itself. A pool is made by
// [NewThreadPool]; the zero one refuses every task.
type ThreadPool struct {
	name      string
	clock     Clock
	base      time.Time // times are nanoseconds since then
	policy    Policy
	hooks     Hooks
	onError   func(ctx context.Context, err error)
	spawn     func(worker string, run func()) error // nil for the go statement
	decorate  func(Task) Task                       // nil for none
	rank      func(context.Context) int             // nil for none
	measure   *instruments                          // nil for none
	capacity  int
	ctx       context.Context // ends with ShutdownNow, or behind the last task, also of those that submitters run
	stop      context.CancelCauseFunc
	stopping  chan struct{} // closed when the pool takes no more tasks
	done      chan struct{} // closed when it is terminated
	scheduled *schedule     // of a ScheduledPool, else nil
	line      *segments     // the queue, if workers take from it without mu, else nil; immutable
	bare      bool          // there is a line, and neither a meter nor a hook around tasks; immutable

	_ [64]byte // what is above is read with every task, what follows is written with every submission

	mu                   sync.Mutex
	state                poolState     // mu
	core, most           int           // mu
	keepAlive            time.Duration // mu
	coreTimeOut          bool          // core workers may leave too; mu
	queue                taskQueue     // mu
	workers              int           // mu
	goroutines           int           // workers, and those that were counted out and have not ended; mu
	names                int           // workers ever; mu
	unstarted            int           // workers whose goroutine does not run yet, if spawn starts it; mu
	largest              int           // workers that were started, at most; mu
	idle                 []*worker     // waiting for a task, the one that waits longest first; mu
	active               int           // workers with a task; mu
	callers              int           // submitters that run a task; mu
	submitted, completed uint64        // mu
	cancelled, discarded uint64        // mu
	rejected, callerRuns uint64        // mu
	waiters              waiters       // submitters that wait for room; mu
	stopReaper           func() bool   // nil if no timer is armed; mu

	_       [64]byte
	looking atomic.Int32 // workers in look that have found nothing yet; changed by the workers, read by who submits
}

// poolState only ever rises.
type poolState uint8

const (
	poolRunning poolState = iota
	poolShutdown
	poolStop
	poolTidying
	poolTerminated
)

// String returns for example "running".
func (s poolState) String() string {
	return [...]string{"running", "shutdown", "stop", "tidying", "terminated"}[s]
}

var poolCount atomic.Int64

// NewThreadPool returns a pool of core to most workers; it has no worker yet.
// keepAlive is how long a worker may be idle before it leaves. The error names the
// argument that can't be used: core < 0, most ≤ 0, most < core, keepAlive < 0, a
// nil queue or option.
func NewThreadPool(core, most int, keepAlive time.Duration, queue Queue, opts ...Option) (*ThreadPool, error) {
	var errs []error
	if queue == nil {
		errs = append(errs, fmt.Errorf("executors: the queue is nil: %w", errArgument))
	}
	if keepAlive < 0 {
		errs = append(errs, fmt.Errorf("executors: keepAlive ≥ 0 required but it was %v: %w", keepAlive, errArgument))
	}
	errs = append(errs, checkSizes(core, most))
	set, err := newSettings("pool", opts)
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	p := newPool(core, most, keepAlive, set)
	p.capacity, p.queue = queue.Capacity(), queue.newQueue()
	if p.capacity > 0 {
		if p.line, _ = p.queue.(*segments); p.line != nil {
			p.line.timed = p.measure != nil
			p.bare = p.measure == nil && p.hooks.Before == nil && p.hooks.After == nil
		}
	}
	if q, ok := queue.(priority); ok {
		p.rank = q.rank
	}
	return p, nil
}

// made reports whether a constructor has made the pool.
func (p *ThreadPool) made() bool { return p != nil && p.done != nil }

func checkSizes(core, most int) error {
	switch {
	case core < 0:
		return fmt.Errorf("executors: core ≥ 0 required but it was %d: %w", core, errArgument)
	case most <= 0:
		return fmt.Errorf("executors: most > 0 required but it was %d: %w", most, errArgument)
	case most < core:
		return fmt.Errorf("executors: most ≥ core required but they were %d and %d: %w", most, core, errArgument)
	}
	return nil
}

func newPool(core, most int, keepAlive time.Duration, set *settings) *ThreadPool {
	p := &ThreadPool{
		name:      set.name,
		clock:     set.clock,
		base:      set.clock.Now().Add(-1), // so that no time is 0
		policy:    set.policy,
		hooks:     set.hooks,
		onError:   set.onError,
		spawn:     set.spawn,
		decorate:  set.decorate,
		core:      core,
		most:      most,
		keepAlive: keepAlive,
		stopping:  make(chan struct{}),
		done:      make(chan struct{}),
	}
	p.measure = newInstruments(p, set)
	p.ctx, p.stop = context.WithCancelCause(context.Background())
	return p
}

// settings are what the options set.
type settings struct {
	name     string
	clock    Clock
	policy   Policy
	hooks    Hooks
	onError  func(ctx context.Context, err error)
	spawn    func(worker string, run func()) error
	decorate func(Task) Task
	meter    Meter
	prefix   string
	tags     []string
	others   *atomic.Int32 // see instruments
	timed    timedSettings
}

// Option adjusts a [ThreadPool] or a [ScheduledPool].
type Option func(*settings) error

func newSettings(kind string, opts []Option) (*settings, error) {
	s := &settings{clock: systemClock{}, policy: Abort, onError: logError}
	var errs []error
	for _, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("executors: an option is nil: %w", errArgument))
			continue
		}
		errs = append(errs, o(s))
	}
	if s.name == "" {
		s.name = fmt.Sprintf("%s-%d", kind, poolCount.Add(1))
	}
	return s, errors.Join(errs...)
}

// notNil is the error of an option whose argument is nil.
func notNil(option, what string, isNil bool) error {
	if !isNil {
		return nil
	}
	return fmt.Errorf("executors: %s: %s is nil: %w", option, what, errArgument)
}

// WithName names the pool and its workers, "name-1" and so on; by default pools are
// numbered.
func WithName(name string) Option {
	return func(s *settings) error { s.name = name; return nil }
}

// WithPolicy says what happens to tasks that the pool can't take; by default
// [Abort].
func WithPolicy(policy Policy) Option {
	return func(s *settings) error {
		s.policy = policy
		fn, is := policy.(PolicyFunc)
		return notNil("WithPolicy", "policy", policy == nil || is && fn == nil)
	}
}

// Hooks are called around every run, on the worker. A panic of a hook is treated as
// a panic of the task.
type Hooks struct {
	// Before is called before the task and may return another context for it,
	// derived from ctx. If it panics, the task is not run but counts as
	// completed, and After is not called; a task of [ThreadPool.Track], and so
	// of a scheduler, is run all the same.
	Before func(ctx context.Context) context.Context
	// After is called when the task was run, with the error or panic that ended
	// it, even if that also goes to a future.
	After func(ctx context.Context, err error)
	// Terminated is called once, when the last worker has left, and before waiting
	// calls of AwaitTermination return.
	Terminated func()
}

// WithHooks installs h.
func WithHooks(h Hooks) Option {
	return func(s *settings) error { s.hooks = h; return nil }
}

// WithErrorHandler installs a function that gets the errors that nobody else would
// get: a [*reactor.PanicError] or [reactor.ErrGoexit] of a task without a future,
// [ErrDiscarded] for such a task that a policy dropped, and panics of hooks. ctx is
// the context of the task. By default they are logged.
func WithErrorHandler(handler func(ctx context.Context, err error)) Option {
	return func(s *settings) error {
		s.onError = handler
		return notNil("WithErrorHandler", "handler", handler == nil)
	}
}

// WithDecorator wraps every task when it is submitted, once, on the goroutine of the
// submitter. Several decorators are applied in their order, the first one innermost.
// A nil result keeps the task. Any other result must call the task; if it does not,
// the future of the task fails with [ErrDiscarded], and a task of [ThreadPool.Track]
// is dropped.
func WithDecorator(decorate func(task Task) Task) Option {
	return func(s *settings) error {
		if inner := s.decorate; inner != nil && decorate != nil {
			s.decorate = func(t Task) Task {
				if wrapped := inner(t); wrapped != nil {
					t = wrapped
				}
				if wrapped := decorate(t); wrapped != nil {
					t = wrapped
				}
				return t
			}
		} else {
			s.decorate = decorate
		}
		return notNil("WithDecorator", "decorate", decorate == nil)
	}
}

// WithSpawn replaces the go statement that starts a worker. spawn must call run on
// a goroutine of its own. If spawn returns an error, the worker counts as never
// started, and the task that needed it is queued if another worker can take it,
// and otherwise refused. If spawn ends the goroutine of the submitter, the
// submission leaves no trace.
//
// Tasks of a [ScheduledPool] wait in its queue in any case, and are never refused for
// lack of a worker: if the pool would have no worker, a go statement starts one. A
// [ThreadPool] also starts a worker with a go statement if tasks wait in its queue
// for a worker that spawn has refused.
func WithSpawn(spawn func(worker string, run func()) error) Option {
	return func(s *settings) error {
		s.spawn = spawn
		return notNil("WithSpawn", "spawn", spawn == nil)
	}
}

// WithClock replaces the system's clock for keep-alive times and delays.
func WithClock(clock Clock) Option {
	return func(s *settings) error {
		s.clock = clock
		return notNil("WithClock", "clock", clock == nil)
	}
}

// WithMeter reports to m, under "prefix.executor." and with tags, pairs of key and
// value:
//
//	submitted   counter of accepted tasks
//	rejected    counter of refused ones
//	queued      gauge of tasks that wait
//	active      gauge of tasks that run
//	lag         timer of the way from acceptance, or due time, to start
//	completed   timer of runs
//
// When the pool has terminated, the instruments are removed by their names (see
// [Meter]), and so also the instruments of other pools with the same prefix. Give
// different prefixes to pools that don't end together.
func WithMeter(m Meter, prefix string, tags ...string) Option {
	tags = slices.Clone(tags)
	return func(s *settings) error {
		if len(tags)%2 != 0 {
			return fmt.Errorf("executors: WithMeter: tags are pairs of key and value, got %d strings: %w", len(tags), errArgument)
		}
		s.meter, s.prefix, s.tags = m, prefix, tags
		return notNil("WithMeter", "meter", m == nil)
	}
}

// logError is the handler of pools without one. What a policy drops is dropped on
// purpose and logged for those who look closely.
func logError(ctx context.Context, err error) {
	level := slog.LevelError
	if errors.Is(err, ErrDiscarded) {
		level = slog.LevelDebug
	}
	attrs := []any{"worker", WorkerName(ctx), "error", err}
	if p, ok := errors.AsType[*reactor.PanicError](err); ok {
		attrs = append(attrs, "stack", string(p.Stack))
	}
	logged.Safely(func() { slog.Log(context.Background(), level, "executors: task failed", attrs...) })
}

// report calls the error handler of the user. A panic of the handler is logged.
func (p *ThreadPool) report(ctx context.Context, err error) {
	defer func() {
		if r := recover(); r != nil {
			logged.Safely(func() { slog.Error("executors: error handler panicked", "panic", r, "error", err) })
		}
	}()
	p.onError(ctx, err)
}

// lock locks mu, and shuts the gate for workers, which take tasks without mu: until unlock,
// the queue and all counts stand still and are exact. Who only adds a task needs mu
// alone.
func (p *ThreadPool) lock() {
	p.mu.Lock()
	p.freeze()
}

// freeze is the second half of lock, for a caller that holds mu.
func (p *ThreadPool) freeze() {
	if p.line != nil {
		// A worker that has claimed a task has completed the one before it.
		p.completed += p.line.freeze()
	}
}

// unlock opens the gate and unlocks mu. The gate stays shut where a worker has more to do than
// to run the next task: where a submitter waits for room, or there are too many workers.
func (p *ThreadPool) unlock() {
	if p.line != nil && p.waiters.first == nil && p.workers <= p.most {
		p.line.thaw()
	}
	p.mu.Unlock()
}

// now is the time of the pool's clock, in nanoseconds since base.
func (p *ThreadPool) now() int64 {
	if p.clock == (systemClock{}) {
		return int64(time.Since(p.base)) // half the price
	}
	return int64(p.clock.Now().Sub(p.base))
}

// String returns for example "pool \"io\"".
func (p *ThreadPool) String() string { return fmt.Sprintf("pool %q", p.name) }
