package executors_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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
)

// poolProgram is a pool, what clients and tasks do to it, and how it ends, all at random. What must hold whatever happens is
// checked on books that tasks and clients keep: a task that was accepted runs once, or whoever has to hear of it hears that it will not; nobody
// runs two tasks at a time; every future ends; figures are consistent.
type poolProgram struct {
	*programs.Program
	what  string
	books programs.Book[poolTask]

	threads   *executors.ThreadPool    // one of the two
	scheduled *executors.ScheduledPool // the other
	most      atomic.Int64             // workers there may have been
	running   atomic.Int64             // tasks of workers
	caller    bool                     // the policy may run tasks
	drops     atomic.Bool              // a shutdown may cancel tasks that wait for their time
	befores   atomic.Int64
	afters    atomic.Int64
	ends      atomic.Int64
	mu        sync.Mutex // of what tasks say it is for
}

// poolTask is what is known of a task.
type poolTask struct {
	id     int
	method string
	does   string
	length time.Duration
	due    time.Duration // not before, since the start
	period time.Duration // 0 for one run
	delay  time.Duration // likewise, from the end of a run
	rounds int           // then it fails

	submitted bool // the submission has returned, which it does not where the policy runs a task that ends the goroutine; mu of the program
	accepted  bool // likewise
	refused   error
	future    *executors.Future[int]
	handle    *executors.Handle
	takesBack func() bool

	starts, ends, here  atomic.Int64
	returned, discarded atomic.Int64
	dropped, withdrawn  atomic.Int64
	ended               atomic.Int64 // when the last run ended, since the start
}

type bookKey struct{}
type returnedKey struct{}

// stats returns those of the pool.
func (p *poolProgram) stats() executors.Stats {
	if p.scheduled != nil {
		return p.scheduled.Stats()
	}
	return p.threads.Stats()
}

// newTask opens the book of a task.
func (p *poolProgram) newTask(r *rand.Rand, method string) *poolTask {
	does := programs.Pick(r, "returns", "returns", "returns", "sleeps", "sleeps", "yields", "panics", "goexits", "waits", "submits", "cancels", "resizes", "fails")
	k := &poolTask{method: method, does: does, length: programs.Milliseconds(r, 1, 20), rounds: 1 + r.IntN(5)}
	p.books.Enter(k, func(n int) { k.id = n })
	return k
}

// run is what the task does.
func (p *poolProgram) run(ctx context.Context, k *poolTask, r *rand.Rand) (err error) {
	if ctx.Value(returnedKey{}) != nil {
		k.returned.Add(1)
		return nil
	}
	worker := executors.WorkerName(ctx) != ""
	if worker {
		if n := p.running.Add(1); n > p.most.Load() {
			p.Fail("%d tasks run at a time, of %d workers at most", n, p.most.Load())
		}
		defer p.running.Add(-1)
	} else {
		k.here.Add(1)
	}
	n := k.starts.Add(1)
	if n-1 != k.ends.Load() {
		p.Fail("task %d runs again while it runs", k.id)
	}
	now := p.Now()
	switch due := k.due + time.Duration(n-1)*k.period; {
	case now < due:
		p.Fail("task %d runs at %v, before %v", k.id, now, due)
	case k.delay > 0 && n > 1 && now < time.Duration(k.ended.Load())+k.delay:
		p.Fail("task %d runs at %v, %v after %v", k.id, now, k.delay, time.Duration(k.ended.Load()))
	}
	defer func() {
		k.ended.Store(int64(p.Now()))
		k.ends.Add(1)
	}()
	if (k.period > 0 || k.delay > 0) && n < int64(k.rounds) {
		return nil
	}
	switch k.does {
	case "fails":
		return programs.ErrTask
	case "waits":
		if programs.Wait(ctx, 5*k.length) {
			return context.Cause(ctx)
		}
	case "submits":
		p.submit(r, false)
	case "cancels":
		p.cancel(r)
	case "resizes":
		p.resize(r)
	default:
		programs.Act(k.does, k.length)
	}
	if k.period > 0 || k.delay > 0 {
		return programs.ErrTask // it ends some time
	}
	return nil
}

// submit submits a task; who waits is no task of the pool.
func (p *poolProgram) submit(r *rand.Rand, waits bool) {
	methods := []string{"Execute", "Submit", "Track"}
	switch {
	case p.scheduled != nil:
		methods = append(methods, "ExecuteAfter", "SubmitAfter", "TrackAfter", "After", "AtFixedRate", "WithFixedDelay")
	case waits:
		methods = append(methods, "ExecuteWait", "SubmitWait")
	}
	if waits {
		methods = append(methods, "InvokeAll", "InvokeAny")
	}
	method := programs.Pick(r, methods...)
	k := p.newTask(r, method)
	own := p.Own(k.id)
	ctx := context.WithValue(background, bookKey{}, k)
	if r.IntN(4) == 0 {
		with, cancel := context.WithTimeout(ctx, programs.Milliseconds(r, 0, 29))
		ctx = with
		time.AfterFunc(time.Minute, cancel) // long after its end
	}
	delay := programs.Milliseconds(r, -2, 17)
	if strings.HasSuffix(method, "After") || method == "AtFixedRate" || method == "WithFixedDelay" {
		k.due = p.Now() + max(0, delay)
	}
	task := func(ctx context.Context) { _ = p.run(ctx, k, own) }
	compute := func(ctx context.Context) (int, error) { return k.id, p.run(ctx, k, own) }
	action := func(ctx context.Context) error { return p.run(ctx, k, own) }
	dropped := func(error) { k.dropped.Add(1) }
	var err error
	var future *executors.Future[int]
	var handle *executors.Handle
	var takesBack func() bool
	switch t, s := p.threads, p.scheduled; method {
	case "Execute":
		if s != nil {
			err = s.Execute(ctx, task)
		} else {
			err = t.Execute(ctx, task)
		}
	case "Submit":
		if s != nil {
			future, err = s.Submit(ctx, compute)
		} else {
			future, err = t.Submit(ctx, compute)
		}
	case "Track":
		if s != nil {
			takesBack, err = s.Track(ctx, task, dropped)
		} else {
			takesBack, err = t.Track(ctx, task, dropped)
		}
	case "ExecuteWait":
		err = t.ExecuteWait(ctx, task)
	case "SubmitWait":
		future, err = t.SubmitWait(ctx, compute)
	case "ExecuteAfter":
		takesBack, err = s.ExecuteAfter(ctx, delay, task)
	case "SubmitAfter":
		future, err = s.SubmitAfter(ctx, delay, compute)
	case "TrackAfter":
		takesBack, err = s.TrackAfter(ctx, delay, task, dropped)
	case "After":
		handle, err = s.After(delay, action)
	case "AtFixedRate":
		k.period = k.length
		handle, err = s.AtFixedRate(delay, k.period, action, executors.Missed(r.IntN(3)))
	case "WithFixedDelay":
		k.delay = k.length
		handle, err = s.WithFixedDelay(delay, k.delay, action)
	case "InvokeAll", "InvokeAny":
		p.invoke(ctx, k, method, r)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	k.submitted, k.accepted, k.refused = true, err == nil, err
	k.future, k.handle, k.takesBack = future, handle, takesBack
}

// invoke runs several functions, which count as one task that may run as often.
func (p *poolProgram) invoke(ctx context.Context, k *poolTask, method string, r *rand.Rand) {
	n := r.IntN(5)
	var runs atomic.Int64
	fns := make([]func(context.Context) (int, error), n)
	for i := range fns {
		length, fails := programs.Milliseconds(r, 0, 9), r.IntN(3) == 0
		fns[i] = func(ctx context.Context) (int, error) {
			if ctx.Value(returnedKey{}) != nil {
				return 0, nil
			}
			runs.Add(1)
			programs.Wait(ctx, length)
			if fails {
				return 0, programs.ErrTask
			}
			return i, nil
		}
	}
	var all *executors.ThreadPool
	if method == "InvokeAny" {
		var err error
		var v int
		if p.scheduled != nil {
			v, err = p.scheduled.InvokeAny(ctx, fns)
		} else {
			all = p.threads
			v, err = all.InvokeAny(ctx, fns)
		}
		if err == nil && (v < 0 || v >= n || runs.Load() == 0) {
			p.Fail("invokeAny of %d returned %d after %d runs", n, v, runs.Load())
		}
		return
	}
	var futures []*executors.Future[int]
	var err error
	if p.scheduled != nil {
		futures, err = p.scheduled.InvokeAll(ctx, fns)
	} else {
		futures, err = p.threads.InvokeAll(ctx, fns)
	}
	if err == nil && len(futures) != n {
		p.Fail("invokeAll of %d returned %d futures", n, len(futures))
	}
	for i, f := range futures {
		if !f.IsDone() {
			p.Fail("future %d of invokeAll is not done", i)
		} else if v, err := f.Get(background); err == nil && v != i {
			p.Fail("future %d of invokeAll has %d", i, v)
		}
	}
}

// cancel takes a task back, somehow.
func (p *poolProgram) cancel(r *rand.Rand) {
	k := p.books.Some(r)
	if k == nil {
		return
	}
	p.mu.Lock()
	future, handle, takesBack := k.future, k.handle, k.takesBack
	p.mu.Unlock()
	if future != nil {
		handle = &future.Handle
	}
	switch {
	case takesBack != nil:
		if takesBack() {
			k.withdrawn.Add(1)
		}
	case handle != nil && r.IntN(3) == 0:
		if p.scheduled != nil {
			p.scheduled.Remove(handle)
		} else {
			p.threads.Remove(handle)
		}
	case handle != nil:
		handle.Cancel(programs.Pick(r, nil, programs.ErrTask))
	}
}

// resize changes the size of the pool, somehow.
func (p *poolProgram) resize(r *rand.Rand) {
	if p.scheduled != nil {
		_ = p.scheduled.SetCore(r.IntN(4))
		switch r.IntN(8) {
		case 0:
			p.drops.Store(true)
			p.scheduled.SetDropDelayed(r.IntN(2) == 0)
		case 1:
			p.scheduled.SetKeepPeriodic(r.IntN(2) == 0)
		case 2:
			p.scheduled.PrestartAll()
		}
		return
	}
	switch r.IntN(5) {
	case 0, 1:
		core := r.IntN(4)
		most := max(1, core+r.IntN(4))
		for n := p.most.Load(); n < int64(most) && !p.most.CompareAndSwap(n, int64(most)); n = p.most.Load() {
		}
		_ = p.threads.Resize(core, most)
	case 2:
		_ = p.threads.AllowCoreTimeout(r.IntN(2) == 0)
	case 3:
		_ = p.threads.SetKeepAlive(programs.Milliseconds(r, 0, 9))
	case 4:
		p.threads.PrestartOne()
	}
}

// end shuts the pool down, somehow.
func (p *poolProgram) end(r *rand.Rand) {
	ctx, cancel := context.WithTimeout(background, programs.Milliseconds(r, 0, 49))
	defer cancel()
	var left []executors.Task
	switch how := r.IntN(3); {
	case how == 0 && p.scheduled != nil:
		p.scheduled.Shutdown()
	case how == 0:
		p.threads.Shutdown()
	case how == 1 && p.scheduled != nil:
		left = p.scheduled.ShutdownNow()
	case how == 1:
		left = p.threads.ShutdownNow()
	case p.scheduled != nil:
		_ = p.scheduled.AwaitTermination(ctx)
		left = p.scheduled.ShutdownNow()
	default:
		_ = p.threads.AwaitTermination(ctx)
		left = p.threads.ShutdownNow()
	}
	for _, task := range left {
		task(context.WithValue(background, returnedKey{}, true))
	}
}

// open makes the pool.
func (p *poolProgram) open(t *testing.T, r *rand.Rand) {
	hooks := executors.Hooks{Terminated: func() { p.ends.Add(1) }}
	if r.IntN(2) == 0 {
		hooks.Before = func(ctx context.Context) context.Context { p.befores.Add(1); return ctx }
		hooks.After = func(context.Context, error) { p.afters.Add(1) }
	}
	opts := []executors.Option{executors.WithHooks(hooks), executors.WithErrorHandler(func(ctx context.Context, err error) {
		if k, ok := ctx.Value(bookKey{}).(*poolTask); ok && errors.Is(err, executors.ErrDiscarded) {
			k.discarded.Add(1)
		}
	})}
	if r.IntN(4) == 0 {
		opts = append(opts, executors.WithDecorator(func(task executors.Task) executors.Task {
			return func(ctx context.Context) { task(ctx) }
		}))
	}
	if r.IntN(3) == 0 {
		p.what = "scheduled"
		if r.IntN(2) == 0 {
			opts = append(opts, executors.DropDelayed())
			p.drops.Store(true)
		}
		if r.IntN(4) == 0 {
			opts = append(opts, executors.KeepPeriodic())
		}
		var err error
		core := r.IntN(4)
		p.what = fmt.Sprintf("scheduled, core %d", core)
		p.most.Store(4)
		p.scheduled, err = executors.NewScheduledPool(core, opts...)
		require.NoError(t, err)
		return
	}
	policies := []string{"abort", "caller runs", "discard", "discard oldest"}
	policy := r.IntN(4)
	p.caller = policy == 1
	opts = append(opts, executors.WithPolicy([]executors.Policy{executors.Abort, executors.CallerRuns, executors.Discard, executors.DiscardOldest}[policy]))
	core := r.IntN(4)
	most := max(1, core+r.IntN(4))
	room := 1 + r.IntN(4)
	queue := r.IntN(4)
	p.what = fmt.Sprintf("%s, core %d, most %d, %s of %d", policies[policy], core, most, []string{"unbounded", "bounded", "direct", "priority"}[queue], room)
	p.most.Store(int64(most))
	var err error
	p.threads, err = executors.NewThreadPool(core, most, programs.Milliseconds(r, 0, 9), []executors.Queue{
		executors.Unbounded(), executors.Bounded(room), executors.Direct(), executors.Priority(room, func(ctx context.Context) int {
			if k, ok := ctx.Value(bookKey{}).(*poolTask); ok {
				return k.id % 3
			}
			return 0
		}),
	}[queue], opts...)
	require.NoError(t, err)
}

// step is one of a client.
func (p *poolProgram) step(r *rand.Rand) {
	switch r.IntN(10) {
	case 0:
		p.cancel(r)
	case 1:
		p.resize(r)
	case 2, 3:
		time.Sleep(programs.Milliseconds(r, 0, 9))
	case 4:
		s := p.stats()
		if s.Submitted != s.Completed+uint64(s.Active)+uint64(s.Queued)+s.Discarded+s.Cancelled {
			p.Fail("figures: %+v", s)
		}
	default:
		racetest.Aside(func() { p.submit(r, true) }) // which may run a task that ends the goroutine
	}
}

// play runs the program in a bubble, and returns what is wrong.
func (p *poolProgram) play(t *testing.T) []string {
	p.open(t, p.Rand)
	programs.Crowd{Clients: 4, Steps: 15, Step: p.step, Ends: 2, Within: 60 * time.Millisecond, End: p.end}.Play(p.Rand, p.Seed, p.Number)
	limit, cancel := context.WithTimeout(background, time.Hour)
	defer cancel()
	if p.scheduled != nil {
		p.scheduled.Shutdown()
		p.scheduled.SetKeepPeriodic(false)
		require.NoError(t, p.scheduled.AwaitTermination(limit), "%v", p)
	} else {
		p.threads.Shutdown()
		require.NoError(t, p.threads.AwaitTermination(limit), "%v", p)
	}
	synctest.Wait()
	p.check()
	time.Sleep(2 * time.Minute) // the contexts end
	return p.Wrong(p)
}

// check looks at the books.
func (p *poolProgram) check() {
	s := p.stats()
	if s.Active+s.Queued+s.Workers+s.Delayed != 0 || s.Submitted != s.Completed+s.Discarded+s.Cancelled {
		p.Fail("figures after the end: %+v", s)
	}
	if n := p.ends.Load(); n != 1 {
		p.Fail("Terminated was called %d times", n)
	}
	if b, a := p.befores.Load(), p.afters.Load(); b != a {
		p.Fail("Before was called %d times, After %d times", b, a)
	}
	told, invoked := int64(0), false
	for _, k := range p.books.All() {
		told += k.discarded.Load()
		if k.future != nil && k.future.Err() == executors.ErrDiscarded {
			told++
		}
		invoked = invoked || !k.submitted
	}
	if !invoked && told != int64(s.Discarded) {
		p.Fail("%d tasks were discarded, of which %d were told", s.Discarded, told)
	}
	for _, k := range p.books.All() {
		if !k.submitted {
			continue
		}
		wrong := p.About("task %d: ", k.id)
		starts, returned, discarded, dropped, withdrawn := k.starts.Load(), k.returned.Load(), k.discarded.Load(), k.dropped.Load(), k.withdrawn.Load()
		if starts != k.ends.Load() {
			wrong("%d runs have begun, %d have ended", starts, k.ends.Load())
		}
		if k.here.Load() > 0 && !p.caller {
			wrong("it ran on no worker")
		}
		once := starts
		if k.period > 0 || k.delay > 0 {
			once = min(1, starts)
			if starts > int64(k.rounds) {
				wrong("%d runs", starts)
			}
		} else if starts > 1 {
			wrong("%d runs", starts)
		}
		if !k.accepted {
			if starts+returned+discarded+dropped > 0 {
				wrong("it was refused, %v, and ran %d times, returned %d, discarded %d, dropped %d", k.refused, starts, returned, discarded, dropped)
			}
			continue
		}
		switch {
		case k.future != nil || k.handle != nil:
			h := k.handle
			if k.future != nil {
				h = &k.future.Handle
			}
			if !h.IsDone() {
				wrong("it has no end")
				continue
			}
			select {
			case <-h.Finished():
			default:
				wrong("it is not over")
			}
			err := h.Err()
			switch {
			case discarded > 0 || dropped > 0:
				wrong("others were told as well")
			case err == nil && starts != 1 && k.period+k.delay == 0:
				wrong("it has a result, and ran %d times", starts)
			case err == nil && k.period+k.delay > 0:
				wrong("a periodic task ended with success")
			case errors.Is(err, executors.ErrDiscarded) && starts > 0:
				wrong("it was discarded, and ran")
			case errors.Is(err, reactor.ErrGoexit) != (k.does == "goexits" && starts > 0) && !errors.Is(err, executors.ErrCancelled) && k.does != "submits":
				wrong("it does %s, and its end is %v", k.does, err)
			case err == nil && k.does == "fails":
				wrong("its error is lost")
			}
			if k.period+k.delay == 0 && starts+returned > 1 {
				wrong("it ran %d times, and was returned %d times", starts, returned)
			}
			if starts+returned == 0 && err == nil {
				wrong("it was lost")
			}
		case k.method == "Track" || k.method == "TrackAfter":
			if once+dropped+withdrawn != 1 {
				wrong("it ran %d times, was withdrawn %d times, and its drop was told %d times", starts, withdrawn, dropped)
			}
			if returned > dropped {
				wrong("it was returned %d times, and its drop was told %d times", returned, dropped)
			}
		default:
			if n := once + returned + discarded + withdrawn; n != 1 && (n != 0 || k.method != "ExecuteAfter" || !p.drops.Load()) {
				wrong("it ran %d times, was returned %d times, discarded %d times, withdrawn %d times", starts, returned, discarded, withdrawn)
			}
		}
	}
}

// String describes the program.
func (p *poolProgram) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %d: %s, %v", p.Number, p.what, p.stats())
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.books.All() {
		fmt.Fprintf(&b, "\n  task %d: %s, %s for %v, due %v, accepted %t, %v; starts %d, ends %d, here %d, returned %d, discarded %d, dropped %d, withdrawn %d", k.id, k.method, k.does, k.length, k.due,
			k.accepted, k.refused, k.starts.Load(), k.ends.Load(), k.here.Load(), k.returned.Load(), k.discarded.Load(), k.dropped.Load(), k.withdrawn.Load())
		if k.future != nil {
			fmt.Fprintf(&b, "; %v", k.future.Err())
		}
		if k.handle != nil {
			fmt.Fprintf(&b, "; %v", k.handle.Err())
		}
	}
	return b.String()
}

// TestStressPools runs random programs: REACTOR_POOLS says how many, REACTOR_POOLS_NUMBER which one of REACTOR_POOLS_SEED.
func TestStressPools(t *testing.T) {
	programs.InBubbles(t, "REACTOR_POOLS", bubble, func(t *testing.T, p *programs.Program) []string { return (&poolProgram{Program: p}).play(t) })
}
