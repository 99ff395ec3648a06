package reactortest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goreactor/reactor/internal/nosync"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// ErrInjected is among the causes of a refusal that a [ChaosScheduler] has made at random. It
// tells such a refusal from a refusal by the scheduler behind it.
var ErrInjected = errors.New("reactortest: refused by a ChaosScheduler")

// ChaosScheduler is a scheduler that does what every scheduler may do but an idle one never
// does: it starts tasks late, at random, and so in another order than that of their submission,
// and it refuses some of them if [ChaosRejections] says so. It keeps what a scheduler promises:
//
//   - the tasks of a worker run one at a time, in the order of their due times and of submission
//     where those are equal; only those of different workers, and those without a worker, change
//     places;
//   - no task starts before it is due;
//   - a refusal is a [*schedulers.RejectedError] that matches [schedulers.ErrRejected], besides
//     [schedulers.ErrCapacity] or [schedulers.ErrUnavailable], and here also [ErrInjected]; a
//     refused task leaves no trace.
//
// Tasks run on the goroutines of the scheduler behind it: a parallel one of its own, or what
// [ChaosOver] names, a [VirtualTime] for example. On a clock that stands still, a late task
// runs when the clock is moved. It works in a [Bubble], and in any other of testing/synctest,
// if it is made there.
//
// Its decisions depend on the seed, on the number of the worker, in the order of creation, and
// on the number of the task within that worker. So on a virtual clock a run can be repeated
// exactly; on real goroutines it can be repeated as far as they do the same again.
type ChaosScheduler struct {
	inner   schedulers.Scheduler // immutable
	owned   bool                 // inner was made here; immutable
	seed    uint64               // immutable
	seeded  bool                 // by ChaosSeed; immutable
	late    uint64               // percent of the tasks; immutable
	most    time.Duration        // by which a task is late; immutable
	refuses uint64               // percent of the tasks; immutable

	closing  atomic.Bool   // refuses everything
	made     atomic.Uint64 // lanes so far
	injected atomic.Uint64 // refusals drawn
	delayed  atomic.Uint64 // tasks that were made late

	shards [16]chaosShard // the lanes, by number
}

// chaosShard is some of the lanes. There are several shards, so that the lock of one does not
// order all tasks for the race detector, which would hide what is to be found.
type chaosShard struct {
	mu    sync.Mutex
	lanes map[*chaosLane]struct{} // guarded by mu
}

var _ schedulers.Scheduler = (*ChaosScheduler)(nil)

// ChaosOption adjusts a [ChaosScheduler] that is being made.
type ChaosOption func(*ChaosScheduler)

// ChaosOver lets the tasks run on s, which still belongs to the test: the ChaosScheduler ends
// with the test, but s does not. Without this option the tasks run on a parallel scheduler of
// four workers.
func ChaosOver(s schedulers.Scheduler) ChaosOption {
	if s == nil {
		panic("reactortest: ChaosOver: the scheduler is nil")
	}
	return func(c *ChaosScheduler) { c.inner, c.owned = s, false }
}

// ChaosSeed repeats the decisions of a scheduler whose Seed was seed, whatever the environment
// says.
func ChaosSeed(seed uint64) ChaosOption {
	return func(c *ChaosScheduler) { c.seed, c.seeded = seed, true }
}

// ChaosDelays makes percent of the tasks late by up to most; by default half of the tasks are
// late by up to a millisecond. Short delays are drawn more often than long ones.
func ChaosDelays(percent int, most time.Duration) ChaosOption {
	checkPercent("ChaosDelays", percent)
	if most < 0 {
		panic("reactortest: ChaosDelays: " + most.String() + " is negative")
	}
	return func(c *ChaosScheduler) { c.late, c.most = uint64(percent), most }
}

// ChaosRejections refuses percent of the tasks. The default is 0, because a pipeline fails, and
// should fail, when one of its tasks is refused.
func ChaosRejections(percent int) ChaosOption {
	checkPercent("ChaosRejections", percent)
	return func(c *ChaosScheduler) { c.refuses = uint64(percent) }
}

func checkPercent(option string, percent int) {
	if percent < 0 || percent > 100 {
		panic(fmt.Sprintf("reactortest: %s: %d is not between 0 and 100", option, percent))
	}
}

// chaosSeeds are the seeds of the tests that have made a ChaosScheduler.
var chaosSeeds struct {
	sync.Mutex
	of map[testing.TB]*chaosSeries
}

// chaosSeries makes the seeds of one test: all of them from one, which a failure prints.
type chaosSeries struct {
	seed uint64
	made uint64
}

// NewChaosScheduler returns a scheduler for the test or benchmark t. If t fails, the seed is
// printed, unless it is that of [ChaosSeed]:
//
//	reactortest: REACTOR_CHAOS_SEED=1234 repeats what the ChaosSchedulers of this test decided
//
// Set that variable to repeat the decisions. When t ends, queued tasks are dropped and running
// tasks are waited for; t fails if one of them does not end within five seconds. No goroutine
// and no timer is left.
func NewChaosScheduler(t testing.TB, opts ...ChaosOption) *ChaosScheduler {
	t.Helper()
	c := &ChaosScheduler{owned: true, late: 50, most: time.Millisecond}
	for _, o := range opts {
		if o == nil {
			panic("reactortest: NewChaosScheduler: an option is nil")
		}
		o(c)
	}
	if !c.seeded { // else there is nothing to print: the test has the seed
		c.seed = seedFor(t)
	}
	if c.inner == nil {
		inner, err := schedulers.NewParallel("chaos", 4)
		if err != nil {
			t.Fatalf("reactortest: NewChaosScheduler: %v", err)
		}
		c.inner = inner
	}
	for i := range c.shards {
		c.shards[i].lanes = map[*chaosLane]struct{}{}
	}
	t.Cleanup(func() {
		t.Helper()
		c.Dispose()
		ctx, cancel := context.WithTimeout(context.Background(), defaultPatience)
		defer cancel()
		if err := c.DisposeGracefully(ctx); err != nil {
			t.Errorf("reactortest: a task on a ChaosScheduler has not ended %v after the test", defaultPatience)
		}
	})
	return c
}

// seedFor returns the seed of the next scheduler of t.
func seedFor(t testing.TB) uint64 {
	t.Helper()
	chaosSeeds.Lock()
	defer chaosSeeds.Unlock()
	series := chaosSeeds.of[t]
	if series == nil {
		series = &chaosSeries{seed: racetest.SeedFrom(racetest.ChaosVariable)}
		if chaosSeeds.of == nil {
			chaosSeeds.of = map[testing.TB]*chaosSeries{}
		}
		chaosSeeds.of[t] = series
		t.Cleanup(func() {
			t.Helper()
			chaosSeeds.Lock()
			delete(chaosSeeds.of, t)
			chaosSeeds.Unlock()
			if t.Failed() {
				t.Logf("reactortest: %s=%d repeats what the ChaosSchedulers of this test decided", racetest.ChaosVariable, series.seed)
			}
		})
	}
	series.made++
	if series.made == 1 {
		return series.seed
	}
	return chaosDraw(series.seed, series.made)
}

// chaosDraw returns the n-th number of the sequence that begins with seed: that of splitmix64,
// which needs no state that goroutines would have to share.
func chaosDraw(seed, n uint64) uint64 {
	z := seed + n*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// refusal is the error for a task that is refused at random, or nil.
func (c *ChaosScheduler) refusal(r uint64) error {
	if r%100 >= c.refuses {
		return nil
	}
	count(&c.injected)
	if r>>32&1 == 0 {
		return &schedulers.RejectedError{Reason: schedulers.Capacity, Pending: 1, Cause: ErrInjected}
	}
	return &schedulers.RejectedError{Reason: schedulers.ExecutorFailed, Cause: ErrInjected}
}

// lateness is by how much a task is late.
func (c *ChaosScheduler) lateness(r uint64) time.Duration {
	r = chaosDraw(r, 1)
	if r%100 >= c.late || c.most == 0 {
		return 0
	}
	count(&c.delayed)
	r = chaosDraw(r, 1)
	up := max(1, c.most>>(r%10)) // short ones more often
	return 1 + time.Duration(r>>8%uint64(up))
}

// count adds one, unseen by the race detector: it would order all tasks that pass here.
func count(n *atomic.Uint64) uint64 {
	nosync.Begin()
	defer nosync.End()
	return n.Add(1)
}

// Seed returns the seed that [ChaosSeed] repeats.
func (c *ChaosScheduler) Seed() uint64 { return c.seed }

// Injected returns how many tasks were made late and how many were refused so far.
func (c *ChaosScheduler) Injected() (late, refused uint64) {
	return c.delayed.Load(), c.injected.Load()
}

// String returns for example "chaos(virtualTime)".
func (c *ChaosScheduler) String() string { return fmt.Sprintf("chaos(%v)", c.inner) }

// Execute runs task soon.
func (c *ChaosScheduler) Execute(task schedulers.Task) error {
	_, err := c.direct().submit("Execute", &chaosTask{task: task}, 0)
	return err
}

// Schedule is Execute with a handle.
func (c *ChaosScheduler) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	return c.direct().submit("Schedule", &chaosTask{task: task}, 0)
}

// ScheduleAfter runs task when delay has passed, or later.
func (c *ChaosScheduler) ScheduleAfter(task schedulers.Task, delay time.Duration) (schedulers.Disposable, error) {
	return c.direct().submit("ScheduleAfter", &chaosTask{task: task}, delay)
}

// SchedulePeriodically runs task at a fixed rate, each run on time or late.
func (c *ChaosScheduler) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	return c.direct().submit("SchedulePeriodically", periodicTask(task, period, opts), initial)
}

// NewWorker returns a lane of its own, on a worker of the scheduler behind.
func (c *ChaosScheduler) NewWorker() schedulers.Worker {
	w := c.inner.NewWorker()
	l := c.lane(w)
	l.worker = w
	c.register(l)
	return l
}

// direct returns a lane for one task without a worker.
func (c *ChaosScheduler) direct() *chaosLane { return c.lane(c.inner) }

func (c *ChaosScheduler) lane(e chaosEngine) *chaosLane {
	return &chaosLane{chaos: c, engine: e, number: count(&c.made)}
}

func (c *ChaosScheduler) register(l *chaosLane) {
	s := &c.shards[l.number%uint64(len(c.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lanes[l] = struct{}{}
}

func (c *ChaosScheduler) forget(l *chaosLane) {
	s := &c.shards[l.number%uint64(len(c.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lanes, l)
}

// all returns the lanes that are there now.
func (c *ChaosScheduler) all() (lanes []*chaosLane) {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for l := range s.lanes {
			lanes = append(lanes, l)
		}
		s.mu.Unlock()
	}
	return lanes
}

// Now returns the time of the scheduler behind.
func (c *ChaosScheduler) Now() time.Time { return c.inner.Now() }

// Dispose refuses new tasks, drops the queued ones and cancels the contexts of the running ones.
// The scheduler behind is disposed if it was made here.
func (c *ChaosScheduler) Dispose() {
	c.closing.Store(true)
	for _, l := range c.all() {
		l.close()
	}
	if c.owned {
		c.inner.Dispose()
	}
}

// DisposeGracefully refuses new tasks, ends periodic ones and waits until all others have run.
func (c *ChaosScheduler) DisposeGracefully(ctx context.Context, opts ...schedulers.DisposeOption) error {
	if ctx == nil {
		return errNoContext // and nothing is disposed
	}
	c.closing.Store(true)
	dropDelayed := schedulers.DropsDelayed(opts...)
	lanes := c.all()
	for _, l := range lanes {
		l.end(dropDelayed)
	}
	for _, l := range lanes {
		select {
		case <-l.idle():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	c.Dispose()
	return nil
}

// IsDisposed reports whether a disposal has begun, here or behind.
func (c *ChaosScheduler) IsDisposed() bool { return c.closing.Load() || c.inner.IsDisposed() }

// Stats returns the figures of the scheduler behind; its refusals and the random ones are added
// up.
func (c *ChaosScheduler) Stats() schedulers.Stats {
	st := c.inner.Stats()
	st.Rejected += c.injected.Load()
	st.Disposed = c.IsDisposed()
	return st
}
