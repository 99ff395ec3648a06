package keylock_test

// What must hold of all calls of a random program (programs_test.go) together when all is over: figures and instruments are those of the
// books, nothing is left, and who came first was served first.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/keylock"
)

// sums are those of the books.
type sums struct {
	granted, timeouts, full, reentrant, closed, skipped uint64
	unsure                                              uint64 // what may have been counted beyond that
}

// check looks at the books.
func (p *program) check() {
	s := p.figures()
	if p.clock != nil && p.clock.live.Load() != 0 && !p.endsOut {
		p.Fail("%d timers are set", p.clock.live.Load())
	}
	var n sums
	for _, c := range p.calls.All() {
		p.checkCall(c)
		n.add(c)
	}
	if p.endsOut {
		return
	}
	if p.meter != nil {
		p.checkMeter(s)
	}
	p.checkFigures(s, n)
	if p.ordered {
		p.checkOrder()
	}
}

// figures returns the sum of those of all managers, where nothing may be left.
func (p *program) figures() (s keylock.Stats) {
	for _, m := range p.managers {
		t := m.Stats()
		if t.Keys+t.Holders+t.Waiters+t.Late != 0 {
			p.Fail("figures after the end: %+v", t)
		}
		s.Acquired += t.Acquired
		s.WaitTimeouts += t.WaitTimeouts
		s.LeasesExpired += t.LeasesExpired
		s.LeasesLost += t.LeasesLost
		s.Overruns += t.Overruns
		s.QueueFull += t.QueueFull
		s.Reentrant += t.Reentrant
		s.Panics += t.Panics
		s.Closed += t.Closed
		s.Skipped += t.Skipped
	}
	return s
}

// checkMeter compares the instruments with the figures.
func (p *program) checkMeter(s keylock.Stats) {
	for name, n := range map[string]uint64{
		"keys": 0, "holders": 0, "waiters": 0, "late": 0, "acquired": s.Acquired, "wait": s.Acquired, "hold": s.Acquired, "wait_timeout": s.WaitTimeouts,
		"lease_expired": s.LeasesExpired, "lease_lost": s.LeasesLost, "overrun": s.Overruns, "overrun_time": s.Overruns, "queue_full": s.QueueFull,
		"reentrant": s.Reentrant, "panic": s.Panics, "closed": s.Closed, "skipped": s.Skipped,
	} {
		if got := p.meter.sums[name]; got != int64(n) {
			p.Fail("the meter has %d %s, and the figures say %d", got, name, n)
		}
	}
}

// add adds a call to the sums.
func (n *sums) add(c *call) {
	runs, borrows := c.runs.Load(), c.again && c.same
	for _, v := range c.visits {
		if !v.borrowed {
			n.granted++
		}
	}
	if c.method == "Job" && !borrows {
		n.granted += uint64(runs)
	}
	if c.cancelled.Load() || c.ctx.Err() != nil || borrows || c.method == "DoAll" || runs == 0 && errors.Is(c.err, keylock.ErrLeaseExpired) || errors.Is(c.err, reactor.ErrRejected) {
		n.unsure += 3
	}
	var e *keylock.Error
	switch {
	case c.skipped:
		n.timeouts++
		n.skipped++
	case c.err == keylock.ErrWaitTimeout: // of TryAcquire, which does not say why
		n.unsure++
	case !errors.As(c.err, &e) || e.Token != 0 || runs > 0 || c.ctx.Err() != nil && c.err == context.Cause(c.ctx):
		// What a call of its own has returned through the function counts there.
	case e.Kind == keylock.ErrWaitTimeout:
		n.timeouts++
	case e.Kind == keylock.ErrQueueFull:
		n.full++
	case e.Kind == keylock.ErrReentrant:
		n.reentrant++
	case e.Kind == keylock.ErrLocksClosed:
		n.closed++
	}
}

// checkFigures compares the figures with the books.
func (p *program) checkFigures(s keylock.Stats, n sums) {
	about := func(what string, counted, seen uint64) {
		if counted < seen || counted > seen+n.unsure {
			p.Fail("%d %s are counted, %d were seen, and %d are not sure", counted, what, seen, n.unsure)
		}
	}
	about("grants", s.Acquired, n.granted)
	about("time-outs", s.WaitTimeouts, n.timeouts)
	about("full queues", s.QueueFull, n.full)
	about("reentrances", s.Reentrant, n.reentrant)
	about("refusals", s.Closed, n.closed)
	if s.Skipped != n.skipped {
		p.Fail("%d skipped, %d seen", s.Skipped, n.skipped)
	}
}

// served returns when the call has got the key, if that is known.
func (c *call) served() (at time.Duration, known bool) {
	if len(c.visits) == 1 && !c.visits[0].borrowed && c.on != "single" && c.method != "DoAll" {
		return c.visits[0].from, true
	}
	return 0, false
}

// checkOrder looks at who came first: time stands still in a bubble as long as anybody can go on.
func (p *program) checkOrder() {
	calls := p.calls.All()
	for _, a := range calls {
		if a.method == "DoAll" || a.method == "Job" || a.on == "single" {
			continue
		}
		from, got := a.served()
		for _, b := range calls {
			was, ok := b.served()
			if b.key != a.key || !ok || b.asked <= a.asked {
				continue
			}
			if got && was < from && a.method != "Grant" {
				p.Fail("call %d came at %v and was served at %v, call %d at %v and %v", a.id, a.asked, from, b.id, b.asked, was)
			}
			if !got && a.over && a.runs.Load() == 0 && !a.cancelled.Load() && was < a.at && a.wait != 0 && errors.Is(a.err, keylock.ErrWaitTimeout) {
				p.Fail("call %d came at %v and has waited until %v, call %d at %v and was served at %v", a.id, a.asked, a.at, b.id, b.asked, was)
			}
		}
	}
}

// String describes the program.
func (p *program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %d:%s", p.Number, p.what)
	for _, m := range p.managers {
		fmt.Fprintf(&b, "\n  %+v", m.Stats())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls.All() {
		fmt.Fprintf(&b, "\n  call %d: %s of %s on %q, %s for %v, asked %v, waits %v, lease %v, %v, grace %v, within %t, again %t, limits %t; runs %d, outcomes %d, cancelled %t, over %t at %v: %v", c.id, c.method, c.key, c.on, c.does, c.length, c.asked,
			c.wait, c.lease, c.policy, c.grace, c.within, c.again, c.limits, c.runs.Load(), c.outcomes.Load(), c.cancelled.Load(), c.over, c.at, c.err)
		for _, v := range c.visits {
			fmt.Fprintf(&b, "\n    %s token %d borrowed %t from %v until %v, due %v, ended %v: %v", v.key, v.token, v.borrowed, v.from, v.until, v.due, time.Duration(v.ended.Load()), v.cause)
		}
	}
	return b.String()
}
