package schedulers_test

// What clients submit in a random program (programs_test.go), and what tasks do. A new method goes into submit and hand, something new to
// do into tasks and do.

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// tasks are what a task does. What is there twice is twice as likely.
var tasks = []string{
	"returns", "returns", "sleeps", "sleeps", "yields", "panics", "goexits", "waits", "waits", "schedules", "schedules",
	"disposes itself", "disposes its worker", "disposes another", "disposes another", "disposes the scheduler",
}

// submit schedules a task, somewhere.
func (p *program) submit(r *rand.Rand) {
	k := &task{does: programs.Pick(r, tasks...), length: programs.Milliseconds(r, 1, 20), rounds: int64(1 + r.IntN(5))}
	if k.does == "disposes the scheduler" && r.IntN(4) > 0 {
		k.does = "sleeps"
	}
	k.lane = p.lanes.Some(r)
	methods := []string{"Execute", "Schedule", "Schedule", "ScheduleAfter", "ScheduleAfter", "SchedulePeriodically"}
	if k.lane.w == nil {
		methods = append(methods, "Handle")
	}
	k.method = programs.Pick(r, methods...)
	delay := programs.Milliseconds(r, -2, 17)
	var opts []schedulers.PeriodicOption
	switch k.method {
	case "ScheduleAfter":
		k.delayed = delay > 0
	case "SchedulePeriodically":
		k.series, k.delayed, k.period = true, true, programs.Milliseconds(r, -1, 8)
		if k.stops = r.IntN(2) == 0; k.stops {
			opts = append(opts, schedulers.StopOnError())
		}
	}
	p.books.Enter(k, func(n int) { k.id = n })
	hand := func() { p.hand(k, delay, p.Own(k.id), opts) }
	if p.traits.here {
		racetest.Aside(func() {
			defer func() { _ = recover() }()
			hand()
		})
		return
	}
	hand()
}

// taker is what a task is handed to: a scheduler, or a worker.
type taker interface {
	Execute(task schedulers.Task) error
	Schedule(task schedulers.Task) (schedulers.Disposable, error)
	ScheduleAfter(task schedulers.Task, delay time.Duration) (schedulers.Disposable, error)
	SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error)
}

// runner makes a task of a Handle of a function.
type runner func(ctx context.Context)

func (r runner) Run(ctx context.Context) { r(ctx) }

// hand hands the task over.
func (p *program) hand(k *task, delay time.Duration, own *rand.Rand, opts []schedulers.PeriodicOption) {
	var to taker = p.s
	if k.lane.w != nil {
		to = k.lane.w
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
		err = to.Execute(fn)
	case "Schedule":
		d, err = to.Schedule(fn)
	case "ScheduleAfter":
		d, err = to.ScheduleAfter(fn, delay)
	case "SchedulePeriodically":
		d, err = to.SchedulePeriodically(fn, delay, k.period, opts...)
	case "Handle":
		h := new(schedulers.Handle)
		if err = h.Schedule(p.s, runner(fn)); err == nil {
			d = h
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	k.submitted, k.accepted, k.refused, k.handle, k.returned = true, err == nil, err, d, p.seq.Add(1)
	if err != nil {
		p.refused(k, err)
	}
}

// run is a run of the task.
func (p *program) run(ctx context.Context, k *task, r *rand.Rand) {
	n := k.starts.Add(1)
	p.runs.Add(1)
	if now := p.running.Add(1); p.traits.threads > 0 && now > int64(p.traits.threads) {
		p.Fail("%d tasks run at a time, of %d", now, p.traits.threads)
	}
	if now := k.lane.running.Add(1); now > 1 && p.traits.ordered && k.lane.w != nil {
		p.Fail("%d tasks of worker %d run at a time", now, k.lane.id)
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
		p.Fail("task %d: nobody runs it", k.id)
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
	case "waits":
		p.waited(ctx, k, programs.Wait(ctx, 3*k.length))
	case "schedules":
		p.submit(r)
	case "disposes itself":
		p.dispose(k, k)
		p.look(ctx, k)
	case "disposes its worker":
		p.disposeLane(k.lane, k)
		p.look(ctx, k)
	case "disposes another":
		p.dispose(p.books.Some(r), k)
	case "disposes the scheduler":
		p.force(k)
		p.look(ctx, k)
	default:
		programs.Act(k.does, k.length)
	}
}
