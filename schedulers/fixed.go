package schedulers

import (
	"context"
	"sync/atomic"
	"time"
)

// fixed is a scheduler with a fixed number of slots that take turns: single and
// parallel.
type fixed struct {
	kind  string
	name  string // string form
	clock Clock
	slots []*slot
	turn  atomic.Uint32 // the next slot, modulo their number
	life  lifecycle
}

// newFixed makes n slots called prefix-1, prefix-2, …, going on from count.
func newFixed(kind, name, prefix string, n int, count *atomic.Int64, set settings) *fixed {
	f := &fixed{kind: kind, name: name, clock: set.clock, slots: make([]*slot, n)}
	for i := range f.slots {
		f.life.born()
		f.slots[i] = newSlot(slotConfig{
			kind:        kind,
			name:        numbered(prefix, count),
			nonBlocking: true,
			limit:       Unlimited,
			looks:       set.looks,
			clock:       set.clock,
			ended:       f.life.gone,
		})
		f.slots[i].decorate(name)
	}
	return f
}

// next returns the slot whose turn it is.
func (f *fixed) next() *slot {
	n := uint32(len(f.slots))
	if n == 1 {
		return f.slots[0]
	}
	turn := f.turn.Add(1) - 1
	if n&(n-1) == 0 {
		return f.slots[turn&(n-1)] // without a division, for which all that follows would wait
	}
	return f.slots[turn%n]
}

// Execute runs task on the next slot.
func (f *fixed) Execute(task Task) error { return f.next().execute(task, nil) }

// Schedule runs task on the next slot.
func (f *fixed) Schedule(task Task) (Disposable, error) { return f.next().schedule(task, nil) }

// ScheduleAfter runs task on the next slot after delay.
func (f *fixed) ScheduleAfter(task Task, delay time.Duration) (Disposable, error) {
	return f.next().scheduleAfter(task, delay, nil)
}

// SchedulePeriodically runs task on the next slot again and again.
func (f *fixed) SchedulePeriodically(task Task, initial, period time.Duration, opts ...PeriodicOption) (Disposable, error) {
	return f.next().schedulePeriodically(task, initial, period, newPeriodicSettings(opts), nil)
}

// NewWorker returns a lane in the next slot.
func (f *fixed) NewWorker() Worker { return newWorker(f.next()) }

// Now returns the time of the clock.
func (f *fixed) Now() time.Time { return f.clock.Now() }

// NeverPanics tells operators that nothing but the clock does, if it is one of the user.
func (*fixed) NeverPanics() bool { return true }

// OnSystemClock reports whether time is that of the system.
func (f *fixed) OnSystemClock() bool { return f.clock == (systemClock{}) }

// Dispose stops all slots.
func (f *fixed) Dispose() {
	f.life.close()
	for _, s := range f.slots {
		s.kill()
	}
}

// DisposeGracefully lets all slots run out.
func (f *fixed) DisposeGracefully(ctx context.Context, opts ...DisposeOption) error {
	if ctx == nil {
		return errNoContext // and nothing is disposed
	}
	d := newDisposeSettings(opts)
	f.life.close()
	for _, s := range f.slots {
		s.close(d.dropDelayed)
	}
	return f.life.wait(ctx)
}

// IsDisposed reports whether a disposal has begun.
func (f *fixed) IsDisposed() bool { return f.life.isClosed() }

// Stats returns a snapshot.
func (f *fixed) Stats() Stats {
	st := Stats{
		Kind:          f.kind,
		Name:          f.name,
		Disposed:      f.IsDisposed(),
		Capacity:      len(f.slots),
		QueueCapacity: Unlimited,
		Remaining:     Unlimited,
	}
	for _, s := range f.slots {
		st.add(s.stats())
	}
	return st
}

// String returns for example "single(\"io\")" or "parallel(4,\"parallel\")".
func (f *fixed) String() string { return f.name }
