package schedulers_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/schedulers"
)

// promptScript does one thing after the other to a scheduler, at times that are like no others. What must hold: a run begins when it is
// due, unless what could run it has something else to do until then; and a graceful disposal returns in the moment in which the last
// task is over.
type promptScript struct {
	*programs.Program
	what    string
	s       schedulers.Scheduler
	source  schedulers.Scheduler // of a SingleWorker, or nil
	threads int                  // that run whatever there is, 0 if each task has one that it waits for
	lanes   bool                 // the tasks of a worker wait for each other
	workers []schedulers.Worker
	tasks   []*promptTask
	lines   []string
	called  time.Duration // when the graceful disposal began, 0 for not yet
	took    time.Duration // the last disposal of a task or a worker
	gone    bool

	mu       sync.Mutex
	runs     []promptRun   // mu
	returned time.Duration // when the graceful disposal was over, 0 for not yet; mu
}

type promptTask struct {
	id, lane int // the worker, -1 for none
	due      time.Duration
	period   time.Duration // negative for one run
	length   time.Duration
	waits    bool
	ends     string
	handle   schedulers.Disposable
}

type promptRun struct {
	task       *promptTask
	due        time.Duration
	start, end time.Duration
}

// open makes the scheduler.
func (p *promptScript) open(t *testing.T) {
	r := p.Rand
	n := 1 + r.IntN(3)
	must := func(s schedulers.Scheduler, err error) schedulers.Scheduler {
		require.NoError(t, err)
		return s
	}
	quiet := executors.WithErrorHandler(func(context.Context, error) {})
	threads := func() *executors.ThreadPool {
		pool, err := executors.NewThreadPool(n, n, time.Millisecond, executors.Unbounded(), quiet)
		require.NoError(t, err)
		return pool
	}
	timers := func() *executors.ScheduledPool {
		pool, err := executors.NewScheduledPool(n, quiet)
		require.NoError(t, err)
		return pool
	}
	p.lanes = true
	kind := programs.Pick(r, "single", "parallel", "elastic", "per task", "threads", "trampoline", "service", "pool")
	switch kind {
	case "single":
		p.s = schedulers.NewSingle("s")
	case "parallel":
		p.s = must(schedulers.NewParallel("s", n))
	case "elastic":
		p.s = must(schedulers.NewBoundedElastic(n, 1000, "s", schedulers.WithTTL(time.Duration(1+r.IntN(30))*time.Millisecond)))
	case "per task":
		p.s = must(schedulers.NewPerTaskBoundedElastic(n, 1000, "s"))
	case "threads":
		p.s, p.threads, p.lanes = schedulers.FromExecutorService(threads(), ""), n, false
	case "trampoline":
		pool := threads()
		p.s, p.threads = schedulers.FromExecutor(pool, schedulers.Trampoline()), n
		time.AfterFunc(time.Hour, func() { pool.ShutdownNow() })
	case "service":
		p.s, p.threads, p.lanes = schedulers.FromExecutorService(timers(), ""), n, false
	case "pool":
		p.s, p.threads = schedulers.FromScheduledPool(timers()), n
	}
	p.what = fmt.Sprintf("%s of %d", kind, n)
	if r.IntN(3) == 0 {
		p.what += ", pinned"
		p.source, p.s = p.s, schedulers.SingleWorker(p.s)
	}
}

func (p *promptScript) some(most time.Duration) time.Duration {
	return time.Duration(1 + p.Rand.Int64N(int64(most)))
}

// submit submits a task.
func (p *promptScript) submit() {
	r := p.Rand
	k := &promptTask{id: len(p.tasks), lane: -1, due: p.Now(), period: -1, length: 100*time.Microsecond + p.some(10*time.Millisecond)}
	k.ends = programs.Pick(r, "returns", "returns", "panics", "goexits")
	k.waits = r.IntN(3) == 0
	var to interface {
		Schedule(schedulers.Task) (schedulers.Disposable, error)
		ScheduleAfter(schedulers.Task, time.Duration) (schedulers.Disposable, error)
		SchedulePeriodically(schedulers.Task, time.Duration, time.Duration, ...schedulers.PeriodicOption) (schedulers.Disposable, error)
	} = p.s
	if len(p.workers) > 0 && r.IntN(2) == 0 {
		k.lane = r.IntN(len(p.workers))
		to = p.workers[k.lane]
	}
	delay := p.some(30 * time.Millisecond)
	due := k.due
	var err error
	switch r.IntN(3) {
	case 0:
		k.handle, err = to.Schedule(func(ctx context.Context) { p.run(ctx, k) })
	case 1:
		due += delay
		k.due = due
		k.handle, err = to.ScheduleAfter(func(ctx context.Context) { p.run(ctx, k) }, delay)
	case 2:
		due += delay
		k.due = due
		k.period = programs.Pick(r, 0, p.some(20*time.Millisecond), p.some(20*time.Millisecond))
		k.handle, err = to.SchedulePeriodically(func(ctx context.Context) { p.run(ctx, k) }, delay, k.period)
	}
	if err == nil {
		p.tasks = append(p.tasks, k)
		p.lines = append(p.lines, fmt.Sprintf("%v: task %d of worker %d: due %v, period %v, %v, waits %t, %s", p.Now(), k.id, k.lane, due, k.period, k.length, k.waits, k.ends))
	}
}

// run is what k does.
func (p *promptScript) run(ctx context.Context, k *promptTask) {
	own := promptRun{task: k, due: k.due, start: p.Now()}
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		own.end = p.Now()
		if k.period > 0 {
			k.due += k.period
		} else {
			k.due = own.end
		}
		p.runs = append(p.runs, own)
	}()
	if k.waits {
		programs.Wait(ctx, k.length)
	} else {
		time.Sleep(k.length)
	}
	programs.Act(k.ends, 0)
}

// step does something.
func (p *promptScript) step(r *rand.Rand) {
	note := func(format string, args ...any) {
		p.lines = append(p.lines, fmt.Sprintf("%v: ", p.Now())+fmt.Sprintf(format, args...))
	}
	switch k := r.IntN(24); {
	case k < 12:
		p.submit()
	case k < 18 && len(p.tasks) > 0:
		t := programs.Pick(r, p.tasks...)
		note("dispose task %d", t.id)
		t.handle.Dispose()
		p.took = p.Now()
	case k < 20:
		p.workers = append(p.workers, p.s.NewWorker())
	case k == 20 && len(p.workers) > 0:
		n := r.IntN(len(p.workers))
		note("dispose worker %d", n)
		p.workers[n].Dispose()
		p.took = p.Now()
	case k == 21:
		p.close()
	}
}

// close disposes the scheduler gracefully, once.
func (p *promptScript) close() {
	if p.gone {
		return
	}
	p.gone, p.called = true, p.Now()
	var opts []schedulers.DisposeOption
	if p.Rand.IntN(2) == 0 {
		opts = append(opts, schedulers.DropDelayed())
	}
	p.lines = append(p.lines, fmt.Sprintf("%v: close", p.called))
	go func() {
		err := p.s.DisposeGracefully(background, opts...)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.returned = p.Now()
		if err != nil {
			p.Fail("the disposal fails: %v", err)
		}
	}()
}

// play plays the script, and returns what is wrong.
func (p *promptScript) play(t *testing.T) []string {
	undo := schedulers.OnHandleError("prompt", func(context.Context, error) {})
	defer undo()
	p.open(t)
	for range 5 + p.Rand.IntN(40) {
		pass(p.some(programs.Pick(p.Rand, time.Millisecond, 4*time.Millisecond, 15*time.Millisecond)))
		p.step(p.Rand)
		synctest.Wait()
	}
	p.close()
	pass(time.Minute)
	p.check()
	for _, w := range p.workers {
		w.Dispose()
	}
	p.s.Dispose()
	if p.source != nil {
		p.source.Dispose()
	}
	time.Sleep(2 * time.Hour)
	return p.Wrong(p)
}

// check looks at what has happened.
func (p *promptScript) check() {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := time.Duration(0)
	for _, r := range p.runs {
		last = max(last, r.end)
		p.checkLate(r)
	}
	if p.returned < last || p.returned > max(p.called, last, p.took) {
		p.Fail("a graceful disposal at %v was over at %v, the last run at %v, the last disposal at %v", p.called, p.returned, last, p.took)
	}
}

// checkLate checks that there is a reason for a run to be late.
func (p *promptScript) checkLate(late promptRun) {
	if late.start < late.due {
		p.Fail("task %d begins at %v, before %v", late.task.id, late.start, late.due)
	}
	times := []time.Duration{late.due}
	for _, r := range p.runs {
		for _, at := range []time.Duration{r.start, r.end} {
			if at > late.due && at < late.start {
				times = append(times, at)
			}
		}
	}
	if late.start == late.due {
		return
	}
	for _, at := range times {
		others, same := 0, false
		for _, r := range p.runs {
			if r.start <= at && at < r.end {
				others++
				same = same || r.task == late.task || p.source != nil || p.lanes && late.task.lane >= 0 && r.task.lane == late.task.lane || p.threads == 0
			}
		}
		if !same && (p.threads == 0 || others < p.threads) {
			p.Fail("task %d of worker %d, due at %v, begins at %v, and at %v nothing was in its way", late.task.id, late.task.lane, late.due, late.start, at)
			return
		}
	}
}

// String describes the script.
func (p *promptScript) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "script %d: %s\n  %s", p.Number, p.what, strings.Join(p.lines, "\n  "))
	slices.SortFunc(p.runs, func(a, b promptRun) int { return int(a.start - b.start) })
	for _, r := range p.runs {
		fmt.Fprintf(&b, "\n  run of task %d: due %v, %v to %v", r.task.id, r.due, r.start, r.end)
	}
	return b.String()
}

// pass lets time pass, and everything happen that is due.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// TestPromptness plays random scripts: REACTOR_WORKERS says how many, REACTOR_WORKERS_NUMBER which one of REACTOR_WORKERS_SEED.
func TestPromptness(t *testing.T) {
	programs.InBubbles(t, "REACTOR_WORKERS", synctest.Test, func(t *testing.T, p *programs.Program) []string {
		return (&promptScript{Program: p}).play(t)
	})
}
