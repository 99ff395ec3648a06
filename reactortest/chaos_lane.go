package reactortest

import (
	"container/heap"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/goreactor/reactor/schedulers"
)

// chaosEngine is what a lane runs on: a scheduler, or a worker of one.
type chaosEngine interface {
	Schedule(task schedulers.Task) (schedulers.Disposable, error)
	ScheduleAfter(task schedulers.Task, delay time.Duration) (schedulers.Disposable, error)
}

// chaosLane keeps the tasks of a worker, or one task without a worker.
//
// The tasks wait here, in their order, and for each of them there is a turn on the scheduler
// behind: due with the task, or late. A turn that comes runs the first task that waits, whosever
// turn it is. So the order stays whatever the turns do; and as the first task is due no later
// than the one that the turn belonged to, none runs early.
type chaosLane struct {
	chaos  *ChaosScheduler   // immutable
	engine chaosEngine       // immutable
	worker schedulers.Worker // nil for a task without a worker; immutable
	number uint64            // immutable

	mu      sync.Mutex
	queue   chaosQueue      // tasks that wait; guarded by mu
	running *chaosTask      // guarded by mu
	seq     uint64          // tasks and runs so far; guarded by mu
	live    int             // tasks that have not ended; guarded by mu
	closed  bool            // guarded by mu
	waiters []chan struct{} // closed when live is 0; guarded by mu
}

var _ schedulers.Worker = (*chaosLane)(nil)

// chaosTask is a handle on a task. All fields without a word are immutable once it is submitted.
type chaosTask struct {
	lane        *chaosLane
	task        schedulers.Task
	periodic    bool
	stopOnError bool
	period      time.Duration
	first       time.Time // when it is due for the first time

	due      time.Time  // guarded by lane.mu
	seq      uint64     // guarded by lane.mu
	runs     int64      // of a periodic task; guarded by lane.mu
	turn     *chaosTurn // its own, or the one that runs it; guarded by lane.mu
	accepted bool       // it has been in the queue; guarded by lane.mu
	index    int        // in the queue, -1 outside; guarded by lane.mu
	disposed bool       // guarded by lane.mu
	over     bool       // guarded by lane.mu
}

// chaosTurn is a task of the scheduler behind.
type chaosTurn struct {
	lane   *chaosLane            // immutable
	task   *chaosTask            // nil if it is not needed any more; guarded by lane.mu
	handle schedulers.Disposable // nil until it is known; guarded by lane.mu
	taken  bool                  // it has come; guarded by lane.mu
	dead   bool                  // to be disposed as soon as the handle is known; guarded by lane.mu
}

func periodicTask(task schedulers.Task, period time.Duration, opts []schedulers.PeriodicOption) *chaosTask {
	return &chaosTask{task: task, periodic: true, period: period, stopOnError: schedulers.StopsOnError(opts...)}
}

// submit lets t wait for its turn.
func (l *chaosLane) submit(op string, t *chaosTask, delay time.Duration) (schedulers.Disposable, error) {
	if t.task == nil {
		panic("reactortest: " + op + ": task is nil")
	}
	t.task = schedulers.OnSchedule(t.task)
	t.lane, t.index = l, -1
	delay = max(delay, 0)
	now := l.chaos.Now() // before anything is noted: the scheduler behind may be somebody else's, and panic
	if l.worker == nil {
		l.chaos.register(l) // before the look at closing, so that a disposal does not miss it
	}
	l.mu.Lock()
	l.seq++
	r := chaosDraw(chaosDraw(l.chaos.seed, l.number), l.seq)
	err := l.refusal(r)
	if err != nil {
		if l.worker == nil {
			l.chaos.forget(l)
		}
		l.mu.Unlock()
		return nil, err
	}
	t.first = now.Add(delay)
	t.due, t.seq = t.first, l.seq
	l.live++
	turn := l.turnFor(t)
	l.mu.Unlock()
	late := l.chaos.lateness(r)
	accepted := false
	defer l.refused(turn, t, &accepted) // also if the scheduler behind panics, or ends the goroutine
	err = turn.announce(addTime(delay, late))
	if late > 0 && delay == 0 && errors.Is(err, schedulers.ErrNotTimeCapable) {
		err = turn.announce(0)
	}
	if accepted = err == nil; !accepted {
		return nil, err
	}
	return t, nil
}

// refusal is why a task can't be had now, or nil. The caller holds mu.
func (l *chaosLane) refusal(r uint64) error {
	switch {
	case l.closed && l.worker != nil:
		return &schedulers.RejectedError{Reason: schedulers.WorkerDisposed}
	case l.closed || l.chaos.closing.Load():
		return &schedulers.RejectedError{Reason: schedulers.Disposed}
	}
	return l.chaos.refusal(r)
}

// turnFor gives t a turn that has yet to be announced. The caller holds mu.
func (l *chaosLane) turnFor(t *chaosTask) *chaosTurn {
	turn := &chaosTurn{lane: l, task: t}
	t.turn, t.accepted = turn, false
	return turn
}

// announce asks the scheduler behind for the turn. The task counts as waiting once that has
// accepted it.
func (c *chaosTurn) announce(delay time.Duration) error {
	var h schedulers.Disposable
	var err error
	run := schedulers.Undecorated(c.run)
	if delay == 0 {
		h, err = c.lane.engine.Schedule(run)
	} else {
		h, err = c.lane.engine.ScheduleAfter(run, delay)
	}
	if err != nil {
		return err
	}
	l := c.lane
	l.mu.Lock()
	c.handle = h
	if !c.taken && c.task != nil && !c.task.accepted {
		l.accept(c.task)
	}
	dead := c.dead
	l.mu.Unlock()
	if dead {
		h.Dispose()
	}
	return nil
}

// accept puts t into the queue, or drops it if it came too late. The caller holds mu.
func (l *chaosLane) accept(t *chaosTask) {
	t.accepted = true
	if t.disposed || l.closed || t.periodic && l.chaos.closing.Load() {
		l.withdraw(t)
		return
	}
	heap.Push(&l.queue, t)
}

// withdraw ends a task that does not run, with its turn, and returns the handle that is to
// be disposed after mu, which the caller holds, is released; it may be nil.
func (l *chaosLane) withdraw(t *chaosTask) schedulers.Disposable {
	if t.index >= 0 {
		heap.Remove(&l.queue, t.index)
	}
	t.disposed = true
	turn := t.turn
	turn.task, turn.dead = nil, true
	l.finish(t)
	return turn.handle
}

// finish counts t as over. The caller holds mu.
func (l *chaosLane) finish(t *chaosTask) {
	if t.over {
		return
	}
	t.over = true
	if l.live--; l.live == 0 {
		l.rest()
	}
}

// rest tells who waits for it that nothing is left. The caller holds mu.
func (l *chaosLane) rest() {
	for _, w := range l.waiters {
		close(w)
	}
	l.waiters = nil
	if l.closed || l.worker == nil {
		l.chaos.forget(l)
	}
}

// run is the turn: it runs the first task that waits.
func (c *chaosTurn) run(ctx context.Context) {
	l := c.lane
	l.mu.Lock()
	c.taken = true
	own := c.task
	if own != nil && !own.accepted {
		l.accept(own)
	}
	if c.task == nil {
		l.mu.Unlock()
		return
	}
	first := heap.Pop(&l.queue).(*chaosTask)
	own.turn, first.turn.task = first.turn, own // which may be the same
	first.turn, c.task = c, first
	l.running = first
	l.mu.Unlock()
	clean := false
	defer func() { l.ended(first, clean) }()
	first.task(ctx)
	clean = true
}

// ended takes note that a run of t has, and prepares the next one of a periodic task. What it
// threw goes on to the scheduler behind.
func (l *chaosLane) ended(t *chaosTask, clean bool) {
	l.mu.Lock()
	l.running = nil
	t.runs++
	if !t.periodic || t.disposed || l.closed || l.chaos.closing.Load() || !clean && t.stopOnError || t.period > 0 && t.runs > int64(never/t.period) {
		l.finish(t)
		l.mu.Unlock()
		return
	}
	now := l.chaos.Now()
	if t.due = now; t.period > 0 {
		t.due = t.first.Add(time.Duration(t.runs) * t.period)
	}
	l.seq++
	t.seq = l.seq
	late := l.chaos.lateness(chaosDraw(chaosDraw(l.chaos.seed, l.number), l.seq))
	turn := l.turnFor(t)
	wait := addTime(max(t.due.Sub(now), 0), late)
	l.mu.Unlock()
	if turn.announce(wait) != nil {
		l.mu.Lock()
		t.disposed = true
		l.finish(t)
		l.mu.Unlock()
	}
}

// Dispose takes the task out of the queue, or cancels its context while it runs, unless the task
// itself is the caller.
func (t *chaosTask) Dispose() {
	l := t.lane
	l.mu.Lock()
	if t.over || t.disposed {
		l.mu.Unlock()
		return
	}
	var h schedulers.Disposable
	if l.running == t {
		t.disposed, t.turn.dead = true, true
		h = t.turn.handle
	} else {
		h = l.withdraw(t)
	}
	l.mu.Unlock()
	if h != nil {
		h.Dispose()
	}
}

// IsDisposed reports whether the task has ended or was disposed.
func (t *chaosTask) IsDisposed() bool {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.over || t.disposed
}

// Execute runs task after those before it.
func (l *chaosLane) Execute(task schedulers.Task) error {
	_, err := l.submit("Execute", &chaosTask{task: task}, 0)
	return err
}

// Schedule is Execute with a handle.
func (l *chaosLane) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	return l.submit("Schedule", &chaosTask{task: task}, 0)
}

// ScheduleAfter runs task when delay has passed, or later.
func (l *chaosLane) ScheduleAfter(task schedulers.Task, delay time.Duration) (schedulers.Disposable, error) {
	return l.submit("ScheduleAfter", &chaosTask{task: task}, delay)
}

// SchedulePeriodically runs task at a fixed rate, each run on time or late.
func (l *chaosLane) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	return l.submit("SchedulePeriodically", periodicTask(task, period, opts), initial)
}

// Dispose drops what is queued and cancels the context of the running task.
func (l *chaosLane) Dispose() { l.close() }

// IsDisposed reports whether Dispose was called.
func (l *chaosLane) IsDisposed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

func (l *chaosLane) close() {
	l.mu.Lock()
	l.closed = true
	handles := l.dropIf(func(*chaosTask) bool { return true })
	if t := l.running; t != nil && l.worker == nil {
		t.disposed, t.turn.dead = true, true
		handles = append(handles, t.turn.handle)
	}
	if l.live == 0 {
		l.rest()
	}
	l.mu.Unlock()
	disposeAll(handles)
	if l.worker != nil {
		l.worker.Dispose()
	}
}

// end lets the tasks run that are not periodic.
func (l *chaosLane) end(dropDelayed bool) {
	l.mu.Lock()
	now := l.chaos.Now()
	handles := l.dropIf(func(t *chaosTask) bool { return t.periodic || dropDelayed && t.due.After(now) })
	l.mu.Unlock()
	disposeAll(handles)
}

// dropIf withdraws tasks that wait. The caller holds mu.
func (l *chaosLane) dropIf(match func(*chaosTask) bool) (handles []schedulers.Disposable) {
	for _, t := range append(chaosQueue(nil), l.queue...) { // removals move the others about
		if match(t) {
			handles = append(handles, l.withdraw(t))
		}
	}
	return handles
}

func disposeAll(handles []schedulers.Disposable) {
	for _, h := range handles {
		if h != nil {
			h.Dispose()
		}
	}
}

// idle returns what is closed when no task is left.
func (l *chaosLane) idle() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := make(chan struct{})
	if l.live == 0 {
		close(w)
	} else {
		l.waiters = append(l.waiters, w)
	}
	return w
}

// chaosQueue is ordered by due time, then by submission.
type chaosQueue []*chaosTask

func (q chaosQueue) Len() int { return len(q) }
func (q chaosQueue) Less(i, j int) bool {
	return q[i].due.Before(q[j].due) || q[i].due.Equal(q[j].due) && q[i].seq < q[j].seq
}
func (q chaosQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}
func (q *chaosQueue) Push(x any) {
	t := x.(*chaosTask)
	t.index = len(*q)
	*q = append(*q, t)
}
func (q *chaosQueue) Pop() any {
	old := *q
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	t.index = -1
	return t
}
