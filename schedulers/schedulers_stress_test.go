package schedulers_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

var background = context.Background()

// program is a scheduler, workers of it, what clients and tasks do with them, and how it ends, all at random. What must hold whatever
// happens is checked on books that tasks and clients keep: a task that was accepted runs once, unless somebody has taken it back; one that
// was refused never runs; tasks of a lane run one at a time, in the order of their times; none is early; contexts end when they have to
// and not before; figures are those of the books; nothing is left.
type program struct {
	seed, id uint64
	what     string
	start    time.Time

	s        schedulers.Scheduler
	traits   traits
	pool     executors.Service // that s stands on, or nil
	source   schedulers.Scheduler
	meter    *tally
	ends     func(ctx context.Context, opts ...schedulers.DisposeOption) error
	ttl      time.Duration
	withdraw []func()

	seq, running       atomic.Int64
	runs, wrapped      atomic.Int64
	told, failed       atomic.Int64
	refusedByDecorator atomic.Int64
	toldByDecorator    atomic.Int64

	mu      sync.Mutex
	lanes   []*lane       // the first one is that of direct tasks; mu
	books   []*task       // mu
	wrong   []string      // mu
	forced  []*task       // who has disposed the scheduler by force, nil for a client; mu
	forcing time.Duration // when that was over the first time, else 0; mu
	closing time.Duration // when a disposal of any kind has begun, else 0; mu
	drops   bool          // with DropDelayed; mu
	foreign bool          // the pool was shut down by somebody else; mu
}

// traits are what schedulers differ in.
type traits struct {
	here         bool // tasks may run in the caller
	immediate    bool
	ordered      bool // workers are lanes
	lane         bool // so is the scheduler
	threads      int  // most tasks at a time, 0 for any number
	limit        int  // of each queue, 0 for none
	timed        bool
	workersTimed bool
	owns         bool // Dispose drops what waits, and cancels what runs
	loses        bool // the executor refuses and drops
	slots        bool // figures have all
}

// lane is a worker, or the scheduler itself.
type lane struct {
	id       int
	w        schedulers.Worker // nil for the scheduler; immutable
	running  atomic.Int64
	by       []*task       // who has disposed it, nil for a client; mu of the program
	disposed time.Duration // when that was over the first time, else 0; mu of the program
	tasks    []*task       // mu of the program
}

// task is what is known of a task.
type task struct {
	id      int
	lane    *lane
	method  string
	does    string
	length  time.Duration
	due     time.Duration // since the start
	delayed bool
	series  bool
	period  time.Duration
	rounds  int64 // a series does it in that run
	stops   bool  // on a failure

	began     int64 // before the submission; immutable
	submitted bool  // the submission has returned; mu of the program
	returned  int64 // when; mu of the program
	accepted  bool  // mu of the program
	refused   error // mu of the program
	handle    schedulers.Disposable
	by        []*task       // who has disposed it, nil for a client; mu of the program
	disposed  time.Duration // when that was over the first time, else 0; mu of the program
	ctx       context.Context

	starts, ends, fails atomic.Int64
}

// Run makes a task of a Handle of it.
type runner func(ctx context.Context)

func (r runner) Run(ctx context.Context) { r(ctx) }

// fail notes what is wrong.
func (p *program) fail(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failLocked(format, args...)
}

func (p *program) failLocked(format string, args ...any) {
	if len(p.wrong) < 10 {
		p.wrong = append(p.wrong, fmt.Sprintf(format, args...))
	}
}

// now is the time since the start, which is never 0.
func (p *program) now() time.Duration { return time.Since(p.start) + 1 }

// outside reports whether somebody else has disposed k, its worker or the scheduler, or is about to. The caller holds mu.
func (p *program) outside(k *task) bool {
	if p.closing > 0 && (k.series && !p.traits.slots || p.traits.here) {
		return true // a graceful disposal disposes the series of an executor, and a pool that ends what a caller runs
	}
	other := func(by *task) bool { return by != k }
	return slices.ContainsFunc(k.by, other) || slices.ContainsFunc(k.lane.by, other) || slices.ContainsFunc(p.forced, other)
}

// over returns when somebody else had disposed k, its worker, or the scheduler by force, else 0. The caller holds mu.
func (p *program) over(k *task) time.Duration {
	first := time.Duration(0)
	for _, at := range []time.Duration{k.disposed, k.lane.disposed, p.forcing} {
		if at > 0 && (first == 0 || at < first) {
			first = at
		}
	}
	return first
}

// mayBeMissing reports whether there is a reason for k not to run. The caller holds mu.
func (p *program) mayBeMissing(k *task) bool {
	return len(k.by) > 0 || len(k.lane.by) > 0 || len(p.forced) > 0 || p.drops && k.delayed || p.foreign || p.traits.loses
}

var errTask = errors.New("not today")

// begins checks what must hold when a run begins.
func (p *program) begins(k *task, n int64) {
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	wrong := func(format string, args ...any) {
		p.failLocked("task %d, run %d at %v: "+format, append([]any{k.id, n, now}, args...)...)
	}
	if n-1 != k.ends.Load() {
		wrong("it runs still")
	}
	if !k.series && n > 1 {
		wrong("it has run before")
	}
	if due := k.due + time.Duration(n-1)*max(0, k.period); now < due {
		wrong("too early, before %v", due)
	}
	if k.submitted && !k.accepted {
		wrong("it was refused")
	}
	if at := p.over(k); at > 0 && now > at {
		wrong("it was disposed at %v", at)
	}
	if k.series && p.closing > 0 && now > p.closing && !p.foreign {
		wrong("the scheduler was disposed at %v", p.closing)
	}
	if k.series && k.stops && k.fails.Load() > 0 {
		wrong("it has failed before")
	}
	if !p.traits.ordered || k.lane.w == nil && !p.traits.lane || k.series && k.period <= 0 {
		return
	}
	// Nothing of the lane may wait that comes before this one.
	due := k.due + time.Duration(n-1)*k.period
	for _, o := range k.lane.tasks {
		starts := o.starts.Load()
		if o == k || !o.accepted || len(o.by) > 0 || o.series && (o.period <= 0 || starts != o.ends.Load() || o.stops || p.closing > 0) || !o.series && starts > 0 || p.mayBeMissing(o) {
			continue
		}
		before := o.due + time.Duration(starts)*o.period
		if before < due || before == due && !o.series && !k.series && o.returned < k.began {
			wrong("due at %v, but task %d, which is due at %v, has not run", due, o.id, before)
		}
	}
}

// run is what the task does.
func (p *program) run(ctx context.Context, k *task, r *rand.Rand) {
	n := k.starts.Add(1)
	p.runs.Add(1)
	if now := p.running.Add(1); p.traits.threads > 0 && now > int64(p.traits.threads) {
		p.fail("%d tasks run at a time, of %d", now, p.traits.threads)
	}
	if now := k.lane.running.Add(1); now > 1 && p.traits.ordered && k.lane.w != nil {
		p.fail("%d tasks of worker %d run at a time", now, k.lane.id)
	}
	p.begins(k, n)
	failed := true
	defer func() {
		if failed {
			p.failed.Add(1)
			k.fails.Add(1)
		}
		k.ends.Add(1)
		k.lane.running.Add(-1)
		p.running.Add(-1)
	}()
	if schedulers.WorkerName(ctx) == "" {
		p.fail("task %d: nobody runs it", k.id)
	}
	if k.series && k.period <= 0 {
		time.Sleep(time.Millisecond)
	}
	if !k.series || n == k.rounds {
		p.do(ctx, k, r)
	}
	failed = false
}

// do is what a task does, a periodic one in one of its runs.
func (p *program) do(ctx context.Context, k *task, r *rand.Rand) {
	if r.IntN(2) == 0 {
		p.look(ctx, k)
	}
	switch k.does {
	case "sleeps":
		time.Sleep(k.length)
	case "yields":
		runtime.Gosched()
	case "panics":
		panic(errTask)
	case "goexits":
		runtime.Goexit()
	case "waits":
		p.wait(ctx, k)
	case "schedules":
		p.submit(r)
	case "disposes itself":
		p.dispose(k, k)
		p.look(ctx, k)
	case "disposes its worker":
		p.disposeLane(k.lane, k)
		p.look(ctx, k)
	case "disposes another":
		p.dispose(p.some(r), k)
	case "disposes the scheduler":
		p.force(k)
		p.look(ctx, k)
	}
}

// look looks at the context, which ends only for a disposal from outside.
func (p *program) look(ctx context.Context, k *task) {
	_ = ctx.Done() // who never asks for that need not be told
	err := ctx.Err()
	p.mu.Lock()
	defer p.mu.Unlock()
	k.ctx = ctx
	if err != nil && !p.outside(k) && !p.foreign {
		p.failLocked("task %d: its context has ended, %v, %v", k.id, err, context.Cause(ctx))
	}
}

// wait waits for the end of the context, for a while.
func (p *program) wait(ctx context.Context, k *task) {
	ended := false
	select {
	case <-ctx.Done():
		ended = true
	case <-time.After(3 * k.length):
	}
	cause := context.Cause(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	k.ctx = ctx
	switch at := p.over(k); {
	case ended && !p.outside(k) && !p.foreign:
		p.failLocked("task %d: its context has ended, %v", k.id, cause)
	case ended && !p.foreign && !p.traits.here && !errors.Is(cause, schedulers.ErrTaskDisposed):
		p.failLocked("task %d: its context has ended for %v", k.id, cause)
	case !ended && at > 0 && at < p.now() && !p.traits.immediate:
		p.failLocked("task %d: it was disposed at %v and not told until %v", k.id, at, p.now())
	}
}

// some returns a task that there is, or nil.
func (p *program) some(r *rand.Rand) *task {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.books) == 0 {
		return nil
	}
	return p.books[r.IntN(len(p.books))]
}

// dispose disposes k, if it has a handle, for the task by, or for a client.
func (p *program) dispose(k, by *task) {
	if k == nil {
		return
	}
	p.mu.Lock()
	h := k.handle
	if h != nil {
		k.by = append(k.by, by)
	}
	p.mu.Unlock()
	if h == nil {
		return
	}
	h.Dispose()
	p.mu.Lock()
	defer p.mu.Unlock()
	if k.disposed == 0 && k != by {
		k.disposed = p.now()
	}
	if !h.IsDisposed() {
		p.failLocked("task %d: it was disposed, and is not", k.id)
	}
}

// disposeLane disposes the worker of l.
func (p *program) disposeLane(l *lane, by *task) {
	if l.w == nil {
		return
	}
	p.mu.Lock()
	l.by = append(l.by, by)
	p.mu.Unlock()
	l.w.Dispose()
	if !l.w.IsDisposed() {
		p.fail("worker %d: it was disposed, and is not", l.id)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.disposed == 0 && (by == nil || by.lane != l) {
		l.disposed = p.now()
	}
}

// closes notes that a disposal begins.
func (p *program) closes() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing == 0 {
		p.closing = p.now()
	}
}

// force disposes the scheduler.
func (p *program) force(by *task) {
	p.closes()
	if p.traits.owns {
		p.mu.Lock()
		p.forced = append(p.forced, by)
		p.mu.Unlock()
	}
	if p.source != nil && by == nil && p.id%2 == 0 {
		p.source.Dispose()
		p.mu.Lock()
		p.foreign = true
		p.mu.Unlock()
	}
	p.ends(nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.traits.owns && by == nil && p.forcing == 0 {
		p.forcing = p.now()
	}
}

// close disposes the scheduler gracefully.
func (p *program) close(ctx context.Context, drops bool) error {
	p.closes()
	var opts []schedulers.DisposeOption
	if drops {
		p.mu.Lock()
		p.drops = true
		p.mu.Unlock()
		opts = append(opts, schedulers.DropDelayed())
	}
	p.mu.Lock()
	accepted := slices.Clone(p.books)
	accepted = slices.DeleteFunc(accepted, func(k *task) bool { return !k.accepted })
	p.mu.Unlock()
	err := p.ends(ctx, opts...)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range accepted {
		if len(p.forced) > 0 || p.foreign {
			return nil
		}
		if k.starts.Load() != k.ends.Load() || !k.series && k.starts.Load() == 0 && !p.mayBeMissing(k) {
			p.failLocked("a graceful disposal is over at %v, but not task %d", p.now(), k.id)
		}
	}
	return nil
}

// end ends the program, somehow.
func (p *program) end(r *rand.Rand) {
	ctx, cancel := context.WithTimeout(background, time.Duration(1+r.IntN(50))*time.Millisecond)
	defer cancel()
	switch how := r.IntN(10); {
	case how < 2:
		p.force(nil)
	case how < 4:
		_ = p.close(ctx, false)
	case how < 6:
		_ = p.close(ctx, true)
	case how == 6 && p.pool != nil:
		p.mu.Lock()
		p.foreign = true
		p.mu.Unlock()
		p.closes()
		if r.IntN(2) == 0 {
			p.pool.Shutdown()
		} else {
			p.pool.ShutdownNow()
		}
	}
}

// submit schedules a task, somewhere.
func (p *program) submit(r *rand.Rand) {
	does := [...]string{"returns", "returns", "sleeps", "sleeps", "yields", "panics", "goexits", "waits", "waits", "schedules", "schedules",
		"disposes itself", "disposes its worker", "disposes another", "disposes another", "disposes the scheduler"}
	k := &task{does: does[r.IntN(len(does))], length: time.Duration(1+r.IntN(20)) * time.Millisecond, rounds: int64(1 + r.IntN(5))}
	if k.does == "disposes the scheduler" && r.IntN(4) > 0 {
		k.does = "sleeps"
	}
	p.mu.Lock()
	k.lane = p.lanes[r.IntN(len(p.lanes))]
	p.mu.Unlock()
	methods := []string{"Execute", "Schedule", "Schedule", "ScheduleAfter", "ScheduleAfter", "SchedulePeriodically"}
	if k.lane.w == nil {
		methods = append(methods, "Handle")
	}
	k.method = methods[r.IntN(len(methods))]
	delay := time.Duration(r.IntN(20)-2) * time.Millisecond
	var opts []schedulers.PeriodicOption
	switch k.method {
	case "ScheduleAfter":
		k.delayed = delay > 0
	case "SchedulePeriodically":
		k.series, k.delayed, k.period = true, true, time.Duration(r.IntN(10)-1)*time.Millisecond
		if k.stops = r.IntN(2) == 0; k.stops {
			opts = append(opts, schedulers.StopOnError())
		}
	}
	p.mu.Lock()
	k.id = len(p.books)
	p.books = append(p.books, k)
	p.mu.Unlock()
	own := rand.New(rand.NewPCG(p.seed, p.id<<20+uint64(k.id)))
	hand := func() { p.hand(k, delay, own, opts) }
	if p.traits.here {
		racetest.Aside(func() {
			defer func() { _ = recover() }()
			hand()
		})
		return
	}
	hand()
}

// hand hands the task over.
func (p *program) hand(k *task, delay time.Duration, own *rand.Rand, opts []schedulers.PeriodicOption) {
	var l interface {
		Execute(task schedulers.Task) error
		Schedule(task schedulers.Task) (schedulers.Disposable, error)
		ScheduleAfter(task schedulers.Task, delay time.Duration) (schedulers.Disposable, error)
		SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error)
	} = p.s
	if k.lane.w != nil {
		l = k.lane.w
	}
	fn := func(ctx context.Context) { p.run(ctx, k, own) }
	p.mu.Lock()
	k.lane.tasks = append(k.lane.tasks, k)
	k.due = p.now()
	if k.delayed {
		k.due += max(0, delay)
	}
	k.began = p.seq.Add(1)
	p.mu.Unlock()
	var err error
	var d schedulers.Disposable
	switch k.method {
	case "Execute":
		err = l.Execute(fn)
	case "Schedule":
		d, err = l.Schedule(fn)
	case "ScheduleAfter":
		d, err = l.ScheduleAfter(fn, delay)
	case "SchedulePeriodically":
		d, err = l.SchedulePeriodically(fn, delay, k.period, opts...)
	case "Handle":
		h := new(schedulers.Handle)
		if err = h.Schedule(p.s, runner(fn)); err == nil {
			d = h
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	k.submitted, k.accepted, k.refused, k.handle, k.returned = true, err == nil, err, d, p.seq.Add(1)
	if err == nil {
		return
	}
	var why *schedulers.RejectedError
	timed := p.traits.timed && (k.lane.w == nil || p.traits.workersTimed)
	switch {
	case errors.Is(err, errTask):
		p.refusedByDecorator.Add(1)
	case !errors.As(err, &why) || !errors.Is(err, reactor.ErrRejected):
		p.failLocked("task %d was refused by %T %v", k.id, err, err)
	case why.Reason == schedulers.Disposed && p.closing == 0,
		why.Reason == schedulers.WorkerDisposed && len(k.lane.by) == 0 && (p.source == nil || p.closing == 0),
		why.Reason == schedulers.Capacity && (p.traits.limit == 0 || why.Pending <= why.Capacity || why.Capacity != p.traits.limit),
		why.Reason == schedulers.NotTimeCapable && (timed || !k.delayed),
		why.Reason == schedulers.ExecutorFailed && !p.traits.loses && !p.foreign && p.closing == 0:
		p.failLocked("task %d was refused at %v: %v, %d", k.id, p.now(), err, why.Reason)
	}
}

// step is one of a client.
func (p *program) step(r *rand.Rand) {
	switch r.IntN(12) {
	case 0:
		p.dispose(p.some(r), nil)
	case 1:
		p.mu.Lock()
		l := p.lanes[r.IntN(len(p.lanes))]
		p.mu.Unlock()
		p.disposeLane(l, nil)
	case 2, 3:
		p.newLane()
	case 4, 5:
		time.Sleep(time.Duration(r.IntN(10)) * time.Millisecond)
	case 6:
		p.stats()
	default:
		p.submit(r)
	}
}

func (p *program) newLane() {
	l := &lane{w: p.s.NewWorker()}
	p.mu.Lock()
	defer p.mu.Unlock()
	l.id = len(p.lanes)
	p.lanes = append(p.lanes, l)
}

// stats looks at the figures.
func (p *program) stats() {
	p.mu.Lock()
	series := 0
	for _, k := range p.books {
		if k.series {
			series++
		}
	}
	p.mu.Unlock()
	s := p.s.Stats()
	if s.Workers > s.Capacity && s.Capacity > 0 || p.traits.threads > 0 && (s.Running > p.traits.threads || p.traits.slots && s.Capacity > p.traits.threads) {
		p.fail("figures: %+v", s)
	}
	for _, sl := range s.Slots {
		// One more is on the way to a slot that does nothing, and runs of a series come back.
		if p.traits.limit > 0 && sl.Queued > p.traits.limit+1+series || sl.Queued < sl.Delayed || sl.Holders < 0 {
			p.fail("figures: %+v", sl)
		}
	}
}

// tally is a meter.
type tally struct {
	mu   sync.Mutex
	sums map[string]int64 // mu
}

func (m *tally) add(name string) func(n int64) {
	return func(n int64) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.sums[name] += n
	}
}

func (m *tally) Counter(name string, tags ...string) func(n int64) {
	return m.add(name + " " + tags[1])
}

func (m *tally) Gauge(name string, _ ...string) func(n int64) { return m.add(name) }

func (m *tally) Timer(name string, _ ...string) func(d time.Duration) {
	add := m.add(name)
	return func(time.Duration) { add(1) }
}

func (m *tally) Remove(string) {}

// bare is an executor that says nothing of what becomes of a task, and refuses some.
type bare struct {
	p     *program
	e     executors.Executor
	flaky bool
	mu    sync.Mutex
	r     *rand.Rand // mu
}

func (b *bare) Execute(ctx context.Context, task executors.Task) error {
	b.mu.Lock()
	n := b.r.IntN(12)
	b.mu.Unlock()
	switch {
	case b.flaky && n == 0:
		return errTaskOf(b.p)
	case b.flaky && n == 1:
		panic(errTask)
	}
	return b.e.Execute(ctx, task)
}

// errTaskOf is a refusal of the executor.
func errTaskOf(*program) error { return errors.New("the executor is not in the mood") }

// decorator wraps the tasks of slots, refuses some, and fails behind others.
type decorator struct {
	p  *program
	mu sync.Mutex
	r  *rand.Rand // mu
}

func (d *decorator) Decorate(_, _ string, e executors.Executor) executors.Executor {
	return executors.Func(func(ctx context.Context, task executors.Task) error {
		d.mu.Lock()
		n := d.r.IntN(12)
		d.mu.Unlock()
		switch n {
		case 0:
			return errTask
		case 1:
			panic(errTask)
		case 2, 3:
			err := e.Execute(ctx, task)
			if err != nil {
				return err
			}
			d.p.toldByDecorator.Add(1)
			if n == 2 {
				panic(errTask)
			}
			return errTask
		case 4:
			return e.Execute(ctx, task)
		}
		return e.Execute(ctx, func(ctx context.Context) { task(ctx) })
	})
}

// open makes the scheduler.
func (p *program) open(t *testing.T, r *rand.Rand) {
	decorated := r.IntN(5) == 0
	if decorated {
		require.True(t, schedulers.AddExecutorDecorator("stress", &decorator{p: p, r: rand.New(rand.NewPCG(p.seed, p.id<<20+1<<19))}))
		p.withdraw = append(p.withdraw, func() { schedulers.RemoveExecutorDecorator("stress") })
	}
	p.withdraw = append(p.withdraw,
		schedulers.OnScheduleHook("stress", func(task schedulers.Task) schedulers.Task {
			return func(ctx context.Context) {
				p.wrapped.Add(1)
				task(ctx)
			}
		}),
		schedulers.OnHandleError("stress", func(ctx context.Context, err error) {
			p.told.Add(1)
			if schedulers.WorkerName(ctx) == "" {
				p.fail("an error of nobody: %v", err)
			}
		}))
	kind := r.IntN(12)
	p.s = p.make(t, kind, r)
	p.ends = func(ctx context.Context, opts ...schedulers.DisposeOption) error {
		if ctx == nil {
			p.s.Dispose()
			return nil
		}
		return p.s.DisposeGracefully(ctx, opts...)
	}
	switch r.IntN(4) {
	case 0:
		if p.traits.immediate {
			break
		}
		p.source = p.s
		p.what = "singleWorker of " + p.what
		p.s = schedulers.SingleWorker(p.source)
		p.traits.slots, p.traits.workersTimed, p.traits.lane = false, false, p.traits.ordered
		p.traits.owns = true
		if p.traits.ordered {
			p.traits.threads = 1
		}
	case 1:
		p.what = "timed " + p.what
		p.meter = &tally{sums: map[string]int64{}}
		p.s = schedulers.Timed(p.s, p.meter, "x.")
	}
	if decorated {
		p.what += ", decorated"
	}
	p.lanes = []*lane{{}}
}

// make makes a scheduler.
func (p *program) make(t *testing.T, kind int, r *rand.Rand) schedulers.Scheduler {
	n := 1 + r.IntN(3)
	queue := []int{1, 2, 3, schedulers.Unlimited}[r.IntN(4)]
	var opts []schedulers.Option
	if r.IntN(3) == 0 {
		opts = append(opts, schedulers.WithSpin(r.IntN(5)))
	}
	made := func(s schedulers.Scheduler, err error) schedulers.Scheduler {
		require.NoError(t, err)
		return s
	}
	slots := traits{ordered: true, timed: true, workersTimed: true, owns: true, slots: true, threads: n}
	limited := func(what string) {
		p.what = fmt.Sprintf("%s of %d with %d", what, n, queue)
		p.traits = slots
		if queue != schedulers.Unlimited {
			p.traits.limit = queue
		}
	}
	switch kind {
	case 0:
		p.what = "immediate"
		p.traits = traits{here: true, immediate: true}
		return schedulers.Immediate()
	case 1:
		p.what = "single"
		p.traits = slots
		p.traits.threads = 1
		return schedulers.NewSingle("s", opts...)
	case 2, 3:
		p.what = fmt.Sprintf("parallel of %d", n)
		p.traits = slots
		return made(schedulers.NewParallel("p", n, opts...))
	case 4, 5, 6:
		limited("elastic")
		p.ttl = time.Duration(1+r.IntN(20)) * time.Millisecond
		return made(schedulers.NewBoundedElastic(n, queue, "e", append(opts, schedulers.WithTTL(p.ttl))...))
	case 7:
		limited("perTask")
		p.ttl = time.Millisecond
		return made(schedulers.NewPerTaskBoundedElastic(n, queue, "t", opts...))
	}
	log := executors.WithErrorHandler(func(context.Context, error) {})
	switch kind {
	case 8: // a pool of threads
		policy := r.IntN(3)
		room := []executors.Queue{executors.Unbounded(), executors.Bounded(1 + r.IntN(3)), executors.Direct()}[r.IntN(3)]
		most := n + r.IntN(3)
		pool, err := executors.NewThreadPool(n, most, time.Millisecond, room, log,
			executors.WithPolicy([]executors.Policy{executors.Abort, executors.CallerRuns, executors.Discard}[policy]))
		require.NoError(t, err)
		p.pool = pool
		p.what = fmt.Sprintf("service of %d to %d, policy %d", n, most, policy)
		p.traits = traits{owns: true, threads: most, loses: true}
		if policy == 1 {
			p.traits.here, p.traits.threads = true, 0
		}
		return schedulers.FromExecutorService(pool, "f")
	case 9: // an executor
		pool, err := executors.NewThreadPool(n, n, time.Millisecond, executors.Unbounded(), log)
		require.NoError(t, err)
		p.withdraw = append(p.withdraw, pool.Shutdown)
		e := &bare{p: p, e: pool, flaky: r.IntN(2) == 0, r: rand.New(rand.NewPCG(p.seed, p.id<<20+1<<18))}
		var opts []schedulers.ExecutorOption
		p.traits = traits{threads: n, loses: e.flaky}
		if p.traits.ordered = r.IntN(2) == 0; p.traits.ordered {
			opts = append(opts, schedulers.Trampoline())
		}
		p.what = fmt.Sprintf("executor of %d, flaky %t, trampoline %t", n, e.flaky, p.traits.ordered)
		return schedulers.FromExecutor(e, opts...)
	}
	pool, err := executors.NewScheduledPool(n, log)
	require.NoError(t, err)
	p.pool = pool
	p.traits = traits{owns: true, threads: n, timed: true, workersTimed: true, ordered: kind == 10}
	if kind == 10 {
		p.what = fmt.Sprintf("scheduled pool of %d", n)
		return schedulers.FromScheduledPool(pool)
	}
	p.what = fmt.Sprintf("service of a scheduled pool of %d", n)
	return schedulers.FromExecutorService(pool, "f")
}

// play runs the program in a bubble, and returns what is wrong.
func (p *program) play(t *testing.T) []string {
	r := rand.New(rand.NewPCG(p.seed, p.id))
	p.start = time.Now()
	p.open(t, r)
	programs.Crowd{Clients: 4, Steps: 15, Step: p.step, Ends: 2, Within: 60 * time.Millisecond, End: p.end}.Play(r, p.seed, p.id)
	p.goesOn()
	lanes, _ := p.known()
	for _, l := range lanes {
		if r.IntN(2) == 0 {
			p.disposeLane(l, nil)
		}
	}
	if r.IntN(2) == 0 {
		p.rests()
	}
	limit, cancel := context.WithTimeout(background, time.Hour)
	defer cancel()
	if err := p.close(limit, false); err != nil && !p.traits.immediate {
		if p.source == nil || !p.traits.loses { // a pinned worker does not hear of what the executor of its source drops
			p.fail("the scheduler does not end: %v", err)
		}
		p.s.Dispose()
	}
	if p.source != nil {
		if err := p.source.DisposeGracefully(limit); err != nil {
			p.fail("the source does not end: %v", err)
			p.source.Dispose()
		}
	}
	for _, l := range lanes {
		p.disposeLane(l, nil)
	}
	for _, undo := range slices.Backward(p.withdraw) {
		undo()
	}
	time.Sleep(time.Minute)
	synctest.Wait()
	p.check()
	if len(p.wrong) > 0 {
		p.wrong = append(p.wrong, p.String())
	}
	return p.wrong
}

// known returns the workers and the tasks that there are by now.
func (p *program) known() ([]*lane, []*task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lanes), slices.Clone(p.books)
}

// goesOn checks that the series go on that nobody has stopped.
func (p *program) goesOn() {
	_, books := p.known()
	before := map[*task]int64{}
	for _, k := range books {
		before[k] = k.starts.Load()
	}
	time.Sleep(300 * time.Millisecond)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range books {
		if k.series && k.accepted && p.closing == 0 && !p.mayBeMissing(k) && !(k.stops && k.fails.Load() > 0) && k.starts.Load() == before[k] {
			p.failLocked("task %d does not go on", k.id)
		}
	}
}

// rests checks that a scheduler without tasks and workers needs nothing.
func (p *program) rests() {
	lanes, books := p.known()
	for _, l := range lanes {
		p.disposeLane(l, nil)
	}
	for _, k := range books {
		if k.series {
			p.dispose(k, nil)
		}
	}
	time.Sleep(5 * time.Second)
	s := p.s.Stats()
	if p.s.IsDisposed() {
		return
	}
	if s.Queued+s.Delayed+s.Running+s.Busy > 0 || p.ttl > 0 && s.Workers > 0 && p.source == nil {
		p.fail("figures at rest: %+v", s)
	}
}

// check looks at the books.
func (p *program) check() {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.s.Stats()
	var runs, refused, notRun, series, untracked int64
	for _, k := range p.books {
		wrong := func(format string, args ...any) { p.failLocked("task %d: "+format, append([]any{k.id}, args...)...) }
		starts := k.starts.Load()
		runs += starts
		if starts != k.ends.Load() {
			wrong("%d runs have begun, %d have ended", starts, k.ends.Load())
		}
		if k.method == "Execute" && k.lane.w == nil {
			untracked += starts
		}
		switch {
		case !k.submitted:
			continue
		case !k.accepted:
			refused++
			if starts > 0 {
				wrong("it was refused, %v, and ran %d times", k.refused, starts)
			}
			continue
		case k.series:
			series++
		case starts == 0:
			notRun++
			if !p.mayBeMissing(k) {
				wrong("it was lost")
			}
		}
		if k.handle != nil && !k.handle.IsDisposed() && !p.traits.loses && !p.foreign {
			wrong("it is not disposed after the end")
		}
		if k.ctx != nil && k.method != "Execute" && k.ctx.Err() == nil && !p.traits.immediate {
			wrong("its context has no end")
		}
	}
	if p.runs.Load() != runs {
		p.failLocked("%d runs, %d in the books", p.runs.Load(), runs)
	}
	if w := p.wrapped.Load(); w != runs && !p.traits.immediate {
		p.failLocked("%d runs, %d through the hook", runs, w)
	}
	if p.traits.immediate {
		return
	}
	if told, failed := p.told.Load()-p.toldByDecorator.Load(), p.failed.Load(); told != failed && (!p.traits.loses && !p.foreign || told < failed) {
		p.failLocked("%d runs have failed, %d errors were told", failed, told)
	}
	if s.Queued+s.Delayed+s.Running != 0 {
		p.failLocked("figures after the end: %+v", s)
	}
	if p.source != nil && p.traits.ordered {
		runs -= untracked // the source counts them
	}
	if int64(s.Completed) != runs {
		p.failLocked("%d runs, figures: %+v", runs, s)
	}
	if p.source == nil {
		if d := int64(s.Dropped); d < notRun || d > notRun+series {
			p.failLocked("%d tasks did not run, figures: %+v", notRun, s)
		}
		if n := int64(s.Rejected); n > refused || n < refused-p.refusedByDecorator.Load() {
			p.failLocked("%d tasks were refused, figures: %+v", refused, s)
		}
	}
	for _, sl := range s.Slots {
		if sl.Holders != 0 {
			p.failLocked("holders after the end: %+v", sl)
		}
	}
	if m := p.meter; m != nil {
		const x = "x.scheduler.tasks."
		if m.sums[x+"pending"] != 0 || m.sums[x+"active"] != 0 || m.sums[x+"completed"] != runs {
			p.failLocked("%d runs, instruments: %v", runs, m.sums)
		}
	}
}

// String describes the program.
func (p *program) String() string {
	var b strings.Builder
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(&b, "program %d: %s, closing at %v, forced at %v, drops %t, foreign %t", p.id, p.what, p.closing, p.forcing, p.drops, p.foreign)
	names := func(by []*task) (list []string) {
		for _, k := range by {
			if k == nil {
				list = append(list, "a client")
			} else {
				list = append(list, fmt.Sprintf("task %d", k.id))
			}
		}
		return list
	}
	fmt.Fprintf(&b, " by %v", names(p.forced))
	for _, l := range p.lanes {
		fmt.Fprintf(&b, "\n  worker %d: disposed at %v by %v", l.id, l.disposed, names(l.by))
	}
	for _, k := range p.books {
		fmt.Fprintf(&b, "\n  task %d of worker %d: %s, %s for %v, due %v, period %v, round %d, stops %t, submitted %t, accepted %t, %v; starts %d, ends %d, fails %d; disposed at %v by %v", k.id, k.lane.id,
			k.method, k.does, k.length, k.due, k.period, k.rounds, k.stops, k.submitted, k.accepted, k.refused, k.starts.Load(), k.ends.Load(), k.fails.Load(), k.disposed, names(k.by))
	}
	return b.String()
}

// TestStressSchedulers runs random programs: REACTOR_WORKERS says how many, REACTOR_WORKERS_NUMBER which one of REACTOR_WORKERS_SEED.
func TestStressSchedulers(t *testing.T) {
	size := uint64(500)
	if os.Getenv("REACTOR_STRESS") != "" {
		size = 100_000
	}
	programs.Run(t, "REACTOR_WORKERS", size, func(seed, id uint64) (wrong []string) {
		synctest.Test(t, func(t *testing.T) { wrong = (&program{seed: seed, id: id}).play(t) })
		return wrong
	})
}
