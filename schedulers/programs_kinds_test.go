package schedulers_test

// The schedulers of a random program (programs_test.go). A new kind is a function in kinds, with its traits.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/schedulers"
)

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

// draw is what is drawn for a scheduler of any kind.
type draw struct {
	t     *testing.T
	r     *rand.Rand
	n     int // threads
	queue int
	opts  []schedulers.Option
}

// kinds make a scheduler. What is there twice is twice as likely.
var kinds = []func(p *program, d draw) schedulers.Scheduler{
	immediate, single, parallel, parallel, elastic, elastic, elastic, perTask, ofThreads, ofExecutor, ofScheduledPool, ofScheduledService,
}

// slotted says what the schedulers made of slots promise.
func (p *program) slotted(threads int, what string, args ...any) {
	p.what = fmt.Sprintf(what, args...)
	p.traits = traits{ordered: true, timed: true, workersTimed: true, owns: true, slots: true, threads: threads}
}

// limited does so for those with a limit of what may wait.
func (p *program) limited(d draw, what string) {
	p.slotted(d.n, "%s of %d with %d", what, d.n, d.queue)
	if d.queue != schedulers.Unlimited {
		p.traits.limit = d.queue
	}
}

func immediate(p *program, _ draw) schedulers.Scheduler {
	p.what = "immediate"
	p.traits = traits{here: true, immediate: true}
	return schedulers.Immediate()
}

func single(p *program, d draw) schedulers.Scheduler {
	p.slotted(1, "single")
	return schedulers.NewSingle("s", d.opts...)
}

func parallel(p *program, d draw) schedulers.Scheduler {
	p.slotted(d.n, "parallel of %d", d.n)
	s, err := schedulers.NewParallel("p", d.n, d.opts...)
	require.NoError(d.t, err)
	return s
}

func elastic(p *program, d draw) schedulers.Scheduler {
	p.limited(d, "elastic")
	p.ttl = programs.Milliseconds(d.r, 1, 20)
	s, err := schedulers.NewBoundedElastic(d.n, d.queue, "e", append(d.opts, schedulers.WithTTL(p.ttl))...)
	require.NoError(d.t, err)
	return s
}

func perTask(p *program, d draw) schedulers.Scheduler {
	p.limited(d, "perTask")
	p.ttl = time.Millisecond
	s, err := schedulers.NewPerTaskBoundedElastic(d.n, d.queue, "t", d.opts...)
	require.NoError(d.t, err)
	return s
}

// silent has failures of tasks told to nobody by a pool.
var silent = executors.WithErrorHandler(func(context.Context, error) {})

func ofThreads(p *program, d draw) schedulers.Scheduler {
	policy := d.r.IntN(3)
	room := programs.Pick(d.r, executors.Unbounded(), executors.Bounded(1+d.r.IntN(3)), executors.Direct())
	most := d.n + d.r.IntN(3)
	pool, err := executors.NewThreadPool(d.n, most, time.Millisecond, room, silent,
		executors.WithPolicy([]executors.Policy{executors.Abort, executors.CallerRuns, executors.Discard}[policy]))
	require.NoError(d.t, err)
	p.pool = pool
	p.what = fmt.Sprintf("service of %d to %d, policy %d", d.n, most, policy)
	p.traits = traits{owns: true, threads: most, loses: true}
	if policy == 1 {
		p.traits.here, p.traits.threads = true, 0
	}
	return schedulers.FromExecutorService(pool, "f")
}

func ofExecutor(p *program, d draw) schedulers.Scheduler {
	pool, err := executors.NewThreadPool(d.n, d.n, time.Millisecond, executors.Unbounded(), silent)
	require.NoError(d.t, err)
	p.withdraw = append(p.withdraw, pool.Shutdown)
	e := &bare{chance: chance{r: p.Own(1 << 18)}, e: pool, flaky: d.r.IntN(2) == 0}
	var opts []schedulers.ExecutorOption
	p.traits = traits{threads: d.n, loses: e.flaky}
	if p.traits.ordered = d.r.IntN(2) == 0; p.traits.ordered {
		opts = append(opts, schedulers.Trampoline())
	}
	p.what = fmt.Sprintf("executor of %d, flaky %t, trampoline %t", d.n, e.flaky, p.traits.ordered)
	return schedulers.FromExecutor(e, opts...)
}

// scheduledPool makes what the next two stand on.
func (p *program) scheduledPool(d draw, what string) *executors.ScheduledPool {
	pool, err := executors.NewScheduledPool(d.n, silent)
	require.NoError(d.t, err)
	p.pool = pool
	p.what = fmt.Sprintf("%s of %d", what, d.n)
	p.traits = traits{owns: true, threads: d.n, timed: true, workersTimed: true}
	return pool
}

func ofScheduledPool(p *program, d draw) schedulers.Scheduler {
	pool := p.scheduledPool(d, "scheduled pool")
	p.traits.ordered = true
	return schedulers.FromScheduledPool(pool)
}

func ofScheduledService(p *program, d draw) schedulers.Scheduler {
	return schedulers.FromExecutorService(p.scheduledPool(d, "service of a scheduled pool"), "f")
}

// open makes the scheduler, with what is around it.
func (p *program) open(t *testing.T) {
	r := p.Rand
	decorated := r.IntN(5) == 0
	if decorated {
		require.True(t, schedulers.AddExecutorDecorator("stress", &decorator{chance: chance{r: p.Own(1 << 19)}, p: p}))
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
				p.Fail("an error of nobody: %v", err)
			}
		}))
	makes := programs.Pick(r, kinds...)
	d := draw{t: t, r: r, n: 1 + r.IntN(3), queue: programs.Pick(r, 1, 2, 3, schedulers.Unlimited)}
	if r.IntN(3) == 0 {
		d.opts = append(d.opts, schedulers.WithSpin(r.IntN(5)))
	}
	p.s = makes(p, d)
	switch r.IntN(4) {
	case 0:
		p.pin()
	case 1:
		p.what = "timed " + p.what
		p.meter = &tally{sums: map[string]int64{}}
		p.s = schedulers.Timed(p.s, p.meter, "x.")
	}
	if decorated {
		p.what += ", decorated"
	}
	p.newLane(nil)
}

// pin puts a SingleWorker in the place of the scheduler, which becomes its source.
func (p *program) pin() {
	if p.traits.immediate {
		return
	}
	p.source = p.s
	p.what = "singleWorker of " + p.what
	p.s = schedulers.SingleWorker(p.source)
	p.traits.slots, p.traits.workersTimed, p.traits.lane = false, false, p.traits.ordered
	p.traits.owns = true
	if p.traits.ordered {
		p.traits.threads = 1
	}
}
