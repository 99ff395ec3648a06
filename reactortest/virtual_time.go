package reactortest

import (
	"container/heap"
	"context"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/stall"
	"github.com/goreactor/reactor/schedulers"
)

// VirtualTime is a scheduler with a clock that stands still until the test moves
// it. Its tasks run on the goroutine that moves the clock, or that schedules while
// nothing runs, one at a time:
//
//   - in the order of the times they are due, and of their submission where those
//     are equal;
//   - tasks without a delay come before every timed one and run at once, inside
//     the call that schedules them, if no task runs; what a task schedules is
//     queued and runs after it, never inside it;
//   - a task with a delay ≤ 0 is due now: it runs behind the tasks without a delay,
//     and behind the tasks that were scheduled for now before it; as long as the
//     clock has not moved, tasks without a delay count among the latter, as in
//     Reactor;
//   - a periodic task takes a new place in that order after each of its runs, and ends
//     before a run that is due later than the clock can show, 292 years after its beginning.
//
// If nobody moves the clock for 20 s while a task waits for it and somebody waits for a
// stream, that is reported to the hook for dropped errors, with [reactor.ErrStalled], the
// time when the next task is due, and the call that moves the clock to that time.
//
// The clock begins at the Unix epoch, so that Now().UnixMilli() is the number of
// milliseconds passed. All methods may be called from any goroutine. When several
// move the clock at once, one of them runs everything and the others may return
// before it has; no step gets lost.
//
// A panic of a task goes to the handlers of [schedulers.OnHandleError]. A task that
// ends its goroutine, as a failing assertion does, also ends the call that moved
// the clock; queued tasks stay, and the next call that moves the clock runs them.
type VirtualTime struct {
	*lane // the tasks of the scheduler itself
	clock clock
}

// VirtualTimeOption adjusts a [VirtualTime] that is being made.
type VirtualTimeOption func(*clock)

// DeferAdvance makes steps of the clock wait while no task is queued; they are made
// when a task is queued. So a test can move the clock before the pipeline under
// test has scheduled anything.
func DeferAdvance() VirtualTimeOption { return func(c *clock) { c.deferring = true } }

// HandleErrors passes the panics of tasks to fn instead of the handlers of the
// process.
func HandleErrors(fn func(ctx context.Context, err error)) VirtualTimeOption {
	return func(c *clock) { c.failed = fn }
}

// NewVirtualTime returns a clock that stands at the Unix epoch.
func NewVirtualTime(opts ...VirtualTimeOption) *VirtualTime {
	v := &VirtualTime{}
	v.clock.failed = schedulers.HandleError
	for _, o := range opts {
		if o == nil {
			panic("reactortest: NewVirtualTime: an option is nil")
		}
		o(&v.clock)
	}
	v.lane = &lane{clock: &v.clock}
	v.clock.born = time.Now()
	runtime.AddCleanup(v, func(remove func()) { remove() }, stall.Add(&v.clock))
	return v
}

// AdvanceBy moves the clock forward by d ≥ 0 and runs every task that becomes
// due, each at its time. Called from within a task it moves the clock once the
// tasks that are due now have run.
func (v *VirtualTime) AdvanceBy(d time.Duration) {
	if d < 0 {
		panic("reactortest: AdvanceBy: the clock can't go back by " + (-d).String())
	}
	c := &v.clock
	c.mu.Lock()
	c.ahead = addTime(c.ahead, d)
	c.mu.Unlock()
	c.drain()
}

// AdvanceTo moves the clock to t, as [VirtualTime.AdvanceBy] does; if t has passed,
// it does nothing.
func (v *VirtualTime) AdvanceTo(t time.Time) {
	c := &v.clock
	c.mu.Lock()
	// Where the clock gets to in any case, also from within a task, or while somebody else moves it.
	reached := addTime(max(c.now, c.target), c.ahead)
	if to := t.Sub(epoch); to > reached { // Sub saturates
		c.ahead = addTime(c.ahead, to-reached)
	}
	c.mu.Unlock()
	c.drain()
}

// Now returns the time of the clock; inside a task, that is the time when the task was due.
func (v *VirtualTime) Now() time.Time { return v.clock.time() }

// Pending returns the number of tasks that wait, periodic ones once each.
func (v *VirtualTime) Pending() int {
	v.clock.mu.Lock()
	defer v.clock.mu.Unlock()
	return len(v.clock.queue)
}

// Scheduled returns the number of tasks that were ever scheduled; every run of a
// periodic task counts.
func (v *VirtualTime) Scheduled() uint64 {
	v.clock.mu.Lock()
	defer v.clock.mu.Unlock()
	return v.clock.seq
}

// String returns "virtualTime".
func (v *VirtualTime) String() string { return "virtualTime" }

var epoch = time.Unix(0, 0).UTC()

// clock is the queue and the loop, shared by all lanes.
type clock struct {
	deferring bool                         // immutable
	failed    func(context.Context, error) // immutable

	mu       sync.Mutex
	queue    taskHeap      // guarded by mu
	now      time.Duration // since the epoch; guarded by mu
	ahead    time.Duration // steps not made yet; guarded by mu
	target   time.Duration // where the step leads that is being made; guarded by mu
	draining bool          // somebody runs tasks; guarded by mu
	runner   uintptr       // the goroutine that does; guarded by mu
	running  *virtualTask  // guarded by mu
	seq      uint64        // tasks scheduled ever; guarded by mu
	ended    uint64        // runs that have ended; guarded by mu
	dropped  uint64        // tasks removed before their start; guarded by mu
	rejected uint64        // tasks refused; guarded by mu
	waiters  []waiter      // graceful disposals; guarded by mu
	born     time.Time     // on the clock of whoever made it; immutable
}

// waiter waits until a lane has nothing left.
type waiter struct {
	lane *lane
	done chan struct{}
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draining {
		return epoch.Add(c.now)
	}
	return epoch.Add(addTime(c.now, c.ahead))
}

// drain runs what is due, unless somebody does so already.
func (c *clock) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draining {
		return
	}
	c.draining = true
	c.runner = goid.Current()
	// Also when a task ends the goroutine: run has taken the lock back then.
	defer func() { c.draining = false }()
	for c.due(c.now) || c.ahead > 0 && (!c.deferring || len(c.queue) > 0) {
		target := addTime(c.now, c.ahead)
		c.ahead, c.target = 0, target
		for c.due(target) {
			t := heap.Pop(&c.queue).(*virtualTask)
			t.leaveLane()
			// Tasks without a delay have the key 0 and run now, whenever that is.
			c.now = max(c.now, t.key)
			c.run(t, target)
		}
		c.now = target
	}
}

func (c *clock) due(at time.Duration) bool {
	return len(c.queue) > 0 && c.queue[0].key <= at
}

// run runs t, holding mu before and after, but not meanwhile.
func (c *clock) run(t *virtualTask, target time.Duration) {
	ctx, cancel := context.WithCancelCause(context.Background())
	t.cancel = cancel
	c.running = t
	c.mu.Unlock()
	failed := false
	returns := false // to who moves the clock: no Goexit, nor a panic of the handler, is under way
	defer func() {
		cancel(nil)
		c.mu.Lock()
		c.running, t.cancel = nil, nil
		c.ended++
		c.again(t, failed)
		c.tellWaiters()
		if !returns { // what is left of this step is made up for later
			c.ahead, c.target = addTime(c.ahead, target-c.now), c.now
		}
	}()
	defer func() {
		if returns {
			return
		}
		if r := recover(); r != nil {
			failed = true
			c.failed(ctx, failure.Recovered(r))
			returns = true
		}
	}()
	t.task(ctx)
	returns = true
}

// again queues the next run of a periodic task, or ends t. The caller holds mu.
func (c *clock) again(t *virtualTask, failed bool) {
	if !t.periodic || t.ended || t.lane.closed() || failed && t.stopOnError {
		t.ended = true
		return
	}
	t.runs++
	if t.period > 0 && t.runs > int64((math.MaxInt64-t.first)/t.period) { // the clock does not get there
		t.ended = true
		return
	}
	t.key = t.first + time.Duration(t.runs)*max(t.period, 0)
	c.push(t)
}

// push gives t the last place among those of its key. The caller holds mu.
func (c *clock) push(t *virtualTask) {
	c.seq++
	t.seq = c.seq
	heap.Push(&c.queue, t)
	t.joinLane()
}

// drop takes t out of the queue. The caller holds mu.
func (c *clock) drop(t *virtualTask) {
	if t.index >= 0 {
		heap.Remove(&c.queue, t.index)
		t.leaveLane()
		c.dropped++
	}
	t.ended = true
}

// stop disposes t, which may be running. The caller holds mu and calls what it
// gets after releasing it.
func (c *clock) stop(t *virtualTask) context.CancelCauseFunc {
	c.drop(t)
	if t.cancel != nil && c.runner != goid.Current() {
		return t.cancel
	}
	return noCancel
}

var noCancel context.CancelCauseFunc = func(error) {}

// tellWaiters ends the graceful disposals that have nothing left to wait for. The
// caller holds mu.
func (c *clock) tellWaiters() {
	for i := 0; i < len(c.waiters); {
		w := c.waiters[i]
		if c.busy(w.lane) {
			i++
			continue
		}
		close(w.done)
		c.waiters = append(c.waiters[:i], c.waiters[i+1:]...)
	}
}

// busy reports whether a task of l or below it waits or runs. The caller holds mu.
func (c *clock) busy(l *lane) bool {
	return l.tasks.waiting > 0 || c.running != nil && c.running.lane.within(l)
}

func addTime(a, b time.Duration) time.Duration {
	if s := a + b; s >= a {
		return s
	}
	return math.MaxInt64
}

// virtualTask is a handle on a task. All fields without a word are immutable.
type virtualTask struct {
	lane        *lane
	task        schedulers.Task
	periodic    bool
	stopOnError bool
	period      time.Duration
	first       time.Duration // when a periodic task is due first
	runs        int64         // of a periodic task; guarded by clock.mu

	key    time.Duration // when it is due, 0 for as soon as possible; guarded by clock.mu
	seq    uint64        // guarded by clock.mu
	before *virtualTask  // neighbours among those of its lane that wait; guarded by clock.mu
	after  *virtualTask
	index  int                     // in the heap, -1 outside; guarded by clock.mu
	ended  bool                    // has run for the last time or was disposed; guarded by clock.mu
	cancel context.CancelCauseFunc // while it runs; guarded by clock.mu
}

// Dispose takes the task out of the queue, or cancels its context while it runs,
// unless the task itself is the caller.
func (t *virtualTask) Dispose() {
	c := t.lane.clock
	c.mu.Lock()
	cancel := c.stop(t)
	c.tellWaiters()
	c.mu.Unlock()
	cancel(schedulers.ErrTaskDisposed)
}

// IsDisposed reports whether the task has run, for a periodic one whether the
// series has ended.
func (t *virtualTask) IsDisposed() bool {
	c := t.lane.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	return t.ended
}

// taskHeap is ordered by key, then by submission.
type taskHeap []*virtualTask

func (h taskHeap) Len() int { return len(h) }
func (h taskHeap) Less(i, j int) bool {
	return h[i].key < h[j].key || h[i].key == h[j].key && h[i].seq < h[j].seq
}
func (h taskHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *taskHeap) Push(x any) {
	t := x.(*virtualTask)
	t.index = len(*h)
	*h = append(*h, t)
}
func (h *taskHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	t.index = -1
	return t
}
