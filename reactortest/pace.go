package reactortest

import (
	"fmt"
	"testing/synctest"
	"time"
)

// pace is how a test lets time pass: by moving a virtual clock, in a bubble of
// testing/synctest, or by waiting.
type pace struct {
	clock  *VirtualTime // nil if there is none
	bubble bool
}

// paceOf returns the pace of a test that uses clock, or nil for none. One that is
// installed for the whole process counts as used.
func paceOf(clock *VirtualTime) pace {
	if clock == nil {
		clock = InstalledVirtualTime()
	}
	return pace{clock: clock, bubble: clock == nil && settle()}
}

// settle waits until everything else in the bubble of the caller has come to rest,
// and reports false if the caller is in none.
func settle() (bubble bool) {
	defer func() {
		if recover() != nil {
			bubble = false // Wait panics outside of bubbles; it has no other way of telling
		}
	}()
	synctest.Wait()
	return true
}

// name says whose time the times in a report are.
func (p pace) name() string {
	switch {
	case p.clock != nil:
		return "virtual time"
	case p.bubble:
		return "time of the bubble"
	}
	return "time"
}

func (p pace) now() time.Time {
	if p.clock != nil {
		return p.clock.Now()
	}
	return time.Now()
}

// pass lets d go by, and what is due then happen.
func (p pace) pass(d time.Duration) {
	switch {
	case p.clock != nil:
		p.clock.AdvanceBy(d)
	case p.bubble:
		time.Sleep(d)
		synctest.Wait()
	default:
		time.Sleep(d)
	}
}

// tooLong says why d can't go by: it would take longer than the test may. Who forgets to say whose clock it is about would
// find out when all tests are killed.
func (p pace) tooLong(d time.Duration, t any) string {
	limited, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok || p.clock != nil || p.bubble {
		return ""
	}
	if end, ok := limited.Deadline(); ok && time.Until(end) < d {
		return fmt.Sprintf("would wait for %v on the wall clock, and the test has to end in %v: with OnClock, WithVirtualTime or Bubble "+
			"time passes at once", d, time.Until(end).Round(time.Second))
	}
	return ""
}

// passUntil lets d go by. It calls before when everything has happened that
// happens before the end of d, but not yet what happens at its end. On the wall
// clock there is no such moment: before is called at the end.
func (p pace) passUntil(d time.Duration, before func()) {
	if d <= 0 || p.clock == nil && !p.bubble {
		p.pass(max(d, 0))
		before()
		return
	}
	p.pass(d - 1)
	before()
	p.pass(1)
}
