package operators

import "time"

// An inner publisher on a worker tells of its runs if no function of the user stands between two elements, see
// runTaker: the drain is taken once for many of them.

// holdTime is how long a run keeps the drain while others have something to deliver, in nanoseconds. What
// they can queue is soon full, and then each of them has to be started again: that must be worth it.
const holdTime = 50_000

// heldClock is a clock in nanoseconds.
func heldClock() int64 { return int64(time.Since(heldBase)) }

var heldBase = time.Now()

// nextHeld delivers an element of a run during which the drain is taken, with unbounded demand.
// Elements that other publishers have had to queue meanwhile come after a batch, unless the batch
// has taken next to no time.
func (in *flatMapInner[R]) nextHeld(v R) {
	m := in.m
	if m.stop.Load() {
		defer in.leaveHeld() // also if the hook ends the goroutine
		m.drop(v)
		return
	}
	in.call.Next(m.PushDown, v)
	if in.consumed++; in.consumed >= m.batch {
		in.replace(0)
		if m.drain.Pending() && heldClock()-m.heldSince > holdTime {
			in.leaveHeld()
		}
	}
}

func (in *flatMapInner[R]) beginRun() { in.run = true }

func (in *flatMapInner[R]) endRun() {
	in.run = false
	in.leaveHeld()
}

// leaveHeld gives the drain to others, if it is held.
func (in *flatMapInner[R]) leaveHeld() {
	if in.held {
		in.held = false
		in.m.leave(0)
	}
}
