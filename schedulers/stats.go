package schedulers

import "math"

// Unlimited is the capacity of a queue without a limit.
const Unlimited = math.MaxInt

// Stats is a snapshot of a scheduler. Its figures are taken slot by slot while
// tasks go on, so the sums may be off by a few tasks.
type Stats struct {
	Kind     string // "immediate", "single", "parallel", "boundedElastic", "executor", …
	Name     string // name as in the string form, for example "parallel(8,\"parallel\")"
	Parent   string // what it stands on, for a pinned worker or a wrapper; else ""
	Disposed bool   // a disposal has begun

	Workers  int // slots that exist
	Busy     int // slots with a worker or a task
	Idle     int // slots without either
	Capacity int // slots that may exist; 0 if there are none

	Queued        int    // tasks accepted and not started, delayed ones included
	Delayed       int    // tasks among them that wait for their time
	Running       int    // tasks that run now
	Completed     uint64 // runs that have ended
	Dropped       uint64 // tasks withdrawn or dropped before their start
	Rejected      uint64 // tasks refused
	QueueCapacity int    // what one slot may queue, [Unlimited] without a limit
	Remaining     int    // what the existing slots may still queue, [Unlimited] without a limit

	Slots []SlotStats // each slot by itself
}

// SlotStats is a snapshot of one slot: a serial lane with a queue.
type SlotStats struct {
	Name      string // the worker's name as tasks see it
	Holders   int    // workers not disposed and direct tasks not ended; bounded elastic only
	Queued    int    // tasks accepted and not started, delayed ones included
	Delayed   int    // tasks among them that wait for their time
	Running   bool   // a task runs now
	Completed uint64 // runs that have ended
	Dropped   uint64 // tasks withdrawn or dropped before their start
	Rejected  uint64 // tasks refused
}

// add sums up slots.
func (st *Stats) add(sl SlotStats) {
	st.Slots = append(st.Slots, sl)
	st.Workers++
	st.Queued += sl.Queued
	st.Delayed += sl.Delayed
	st.Completed += sl.Completed
	st.Dropped += sl.Dropped
	st.Rejected += sl.Rejected
	if sl.Running {
		st.Running++
	}
	if sl.Running || sl.Queued > 0 || sl.Holders > 0 {
		st.Busy++
	} else {
		st.Idle++
	}
}

// remaining is capacity·slots − queued without overflow.
func remaining(capacity, slots, queued int) int {
	if capacity == Unlimited {
		return Unlimited
	}
	if slots > 0 && capacity > Unlimited/slots {
		return Unlimited
	}
	return max(0, capacity*slots-queued)
}
