package schedulers

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
)

// elastic is a scheduler whose slots come and go: at most cap of them, each with a
// bounded queue. Which slot a worker or a direct task gets is decided in pick.go;
// this file is the scheduler around it.
//
// Locks are taken in the order elastic.mu, slot.mu. Only who holds elastic.mu may hold slot.mu of
// two slots.
type elastic struct {
	name  string
	kind  string
	text  string // string form
	queue int    // tasks per slot
	ttl   time.Duration
	looks int
	fresh bool // a goroutine for every task, no idle slots
	clock Clock
	base  time.Time
	count *atomic.Int64
	life  lifecycle

	rejected atomic.Uint64 // tasks refused without a slot

	_ [24]byte // what follows is written with every pick, and is two cache lines

	mu       sync.Mutex
	max      int  // slots; immutable
	closed   bool // mu
	busy     busySlots
	idle     []*slot // in the order in which they became idle; mu
	crowd    crowdedSlots
	evictor  func() bool // stops the armed timer, nil if there is none; mu
	evictAt  int64       // when the timer fires; mu
	refusing *slot       // see refusingSlot, nil until it is needed; mu
	past     SlotStats   // sums of the slots that were given up; mu
}

// NewBoundedElastic returns a scheduler for tasks that may block: at most max
// slots, made when needed and given up after they were idle for the TTL
// ([WithTTL]), each with at most queue tasks that wait ([Unlimited] for no limit).
// It is an error if max, queue or the TTL is not positive. Dispose the scheduler
// when it is no longer needed.
//
// A worker or a direct task gets an idle slot if there is one, the most recently
// used first; otherwise a new slot if there may be more; otherwise the slot with
// the fewest holders. A holder is a worker that is not disposed or a direct task
// that has not ended. A slot whose last holder left while its task still runs is
// the last choice.
//
// A direct task without a delay that waits behind another one may move to a slot that has become
// idle meanwhile.
func NewBoundedElastic(max, queue int, name string, opts ...Option) (Scheduler, error) {
	return currentFactory().NewBoundedElastic(max, queue, name, opts...)
}

func newBoundedElastic(max, queue int, name string, opts []Option) (Scheduler, error) {
	const op = "NewBoundedElastic"
	set := newSettings(op, opts)
	e, err := newElastic(op, max, queue, name, set)
	if err != nil {
		return nil, err
	}
	e.kind = "boundedElastic"
	e.count = &elasticCount
	e.text = fmt.Sprintf("boundedElastic(%q,maxThreads=%d,maxTaskQueuedPerThread=%s,ttl=%s)",
		name, max, queueText(queue), ttlText(set.ttl))
	return e, nil
}

func newElastic(op string, max, queue int, name string, set settings) (*elastic, error) {
	switch {
	case max <= 0:
		return nil, fmt.Errorf("schedulers: %s: max > 0 required but it was %d: %w", op, max, reactor.ErrIllegalArgument)
	case queue <= 0:
		return nil, fmt.Errorf("schedulers: %s: queue > 0 required but it was %d: %w", op, queue, reactor.ErrIllegalArgument)
	case set.ttl <= 0:
		return nil, fmt.Errorf("schedulers: %s: TTL > 0 required but it was %s: %w", op, set.ttl, reactor.ErrIllegalArgument)
	}
	return &elastic{
		name:  name,
		max:   max,
		queue: queue,
		ttl:   set.ttl,
		looks: set.looks,
		clock: set.clock,
		base:  set.clock.Now(),
	}, nil
}

func queueText(queue int) string {
	if queue == Unlimited {
		return "unbounded"
	}
	return fmt.Sprint(queue)
}

// ttlText writes whole seconds, or milliseconds below one.
func ttlText(ttl time.Duration) string {
	if ttl < time.Second {
		return fmt.Sprintf("%dms", ttl.Milliseconds())
	}
	return fmt.Sprintf("%ds", ttl/time.Second)
}

func (e *elastic) now() int64 {
	if e.clock == (systemClock{}) {
		return int64(time.Since(e.base)) // half the price
	}
	return int64(e.clock.Now().Sub(e.base))
}

// direct picks a slot for a direct task, or reports that there is none.
func (e *elastic) direct() (*slot, error) {
	s := e.pick(true)
	if s == nil {
		e.rejected.Add(1)
		return nil, errDisposed
	}
	return s, nil
}

// settle gives the slot back if it refused the task it was picked for.
func (e *elastic) settle(s *slot, d Disposable, err error) (Disposable, error) {
	if err != nil {
		e.release(s)
		return nil, err
	}
	return d, nil
}

// Execute runs task on a slot that is picked for it.
func (e *elastic) Execute(task Task) error {
	checkTask("Execute", task)
	s, err := e.direct()
	if err != nil {
		return err
	}
	if err := s.execute(task, nil); err != nil {
		e.release(s)
		return err
	}
	return nil
}

// Schedule runs task on a slot that is picked for it.
func (e *elastic) Schedule(task Task) (Disposable, error) {
	checkTask("Schedule", task)
	s, err := e.direct()
	if err != nil {
		return nil, err
	}
	d, err := s.schedule(task, nil)
	return e.settle(s, d, err)
}

// ScheduleAfter runs task after delay on a slot that is picked now.
func (e *elastic) ScheduleAfter(task Task, delay time.Duration) (Disposable, error) {
	checkTask("ScheduleAfter", task)
	s, err := e.direct()
	if err != nil {
		return nil, err
	}
	d, err := s.scheduleAfter(task, delay, nil)
	return e.settle(s, d, err)
}

// SchedulePeriodically runs task again and again on a slot that is picked now.
func (e *elastic) SchedulePeriodically(task Task, initial, period time.Duration, opts ...PeriodicOption) (Disposable, error) {
	checkTask("SchedulePeriodically", task)
	set := newPeriodicSettings(opts) // before a slot is held
	s, err := e.direct()
	if err != nil {
		return nil, err
	}
	d, err := s.schedulePeriodically(task, initial, period, set, nil)
	return e.settle(s, d, err)
}

// NewWorker returns a lane in a slot that is picked for it.
func (e *elastic) NewWorker() Worker {
	if s := e.pick(false); s != nil {
		return newWorker(s)
	}
	return newWorker(e.refusingSlot())
}

// refusingSlot returns the slot of workers that are asked for when the scheduler is
// disposed: it refuses all tasks.
func (e *elastic) refusingSlot() *slot {
	made := newSlot(slotConfig{kind: e.kind, name: e.name + "-disposed", limit: e.queue, clock: e.clock})
	made.decorate(e.text)
	made.kill()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.refusing == nil {
		e.refusing = made
	}
	return e.refusing
}

// Now returns the time of the clock.
func (e *elastic) Now() time.Time { return e.clock.Now() }

// NeverPanics tells operators that nothing but the clock does, if it is one of the user.
func (*elastic) NeverPanics() bool { return true }

// OnSystemClock reports whether time is that of the system.
func (e *elastic) OnSystemClock() bool { return e.clock == (systemClock{}) }

// closeAll refuses new slots and returns those that exist.
func (e *elastic) closeAll() []*slot {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	if e.evictor != nil {
		e.evictor()
		e.evictor = nil
	}
	return append(e.busy.all(), e.idle...)
}

// Dispose stops all slots.
func (e *elastic) Dispose() {
	slots := e.closeAll()
	e.life.close()
	for _, s := range slots {
		s.kill()
	}
}

// DisposeGracefully lets all slots run out.
func (e *elastic) DisposeGracefully(ctx context.Context, opts ...DisposeOption) error {
	if ctx == nil {
		return errNoContext // and nothing is disposed
	}
	d := newDisposeSettings(opts)
	slots := e.closeAll()
	e.life.close()
	for _, s := range slots {
		s.close(d.dropDelayed)
	}
	return e.life.wait(ctx)
}

// IsDisposed reports whether a disposal has begun.
func (e *elastic) IsDisposed() bool { return e.life.isClosed() }

// String returns for example
// "boundedElastic(\"io\",maxThreads=20,maxTaskQueuedPerThread=100000,ttl=60s)".
func (e *elastic) String() string { return e.text }

// Stats returns a snapshot.
func (e *elastic) Stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	st := Stats{
		Kind:          e.kind,
		Name:          e.text,
		Disposed:      e.closed,
		Capacity:      e.max,
		QueueCapacity: e.queue,
		Completed:     e.past.Completed,
		Dropped:       e.past.Dropped,
		Rejected:      e.past.Rejected + e.rejected.Load(),
	}
	for _, s := range e.busy.all() {
		st.add(s.stats())
	}
	for _, s := range e.idle {
		st.add(s.stats())
	}
	if e.refusing != nil {
		st.Rejected += e.refusing.stats().Rejected
	}
	st.Busy, st.Idle = len(e.busy.heap), len(e.idle)
	st.Remaining = remaining(e.queue, st.Workers, st.Queued)
	return st
}
