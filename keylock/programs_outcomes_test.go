package keylock_test

// What must hold of each call of a random program (programs_test.go) when all is over: one run and one outcome, waits and leases that end at
// their time, and errors that say what happened.

import (
	"context"
	"errors"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/keylock"
)

// streams reports whether the call is one of a stream.
func (c *call) streams() bool { return c.method == "Mono" || c.method == "Flux" || c.method == "Grant" }

// wrong returns what notes that something is wrong with the call.
func (p *program) wrong(c *call) func(format string, args ...any) { return p.About("call %d: ", c.id) }

// checkCall looks at the book of a call.
func (p *program) checkCall(c *call) {
	p.checkRuns(c)
	for _, v := range c.visits {
		p.checkVisit(c, v)
	}
	if !c.over || p.endsOut {
		return
	}
	p.checkError(c)
	if p.stores || c.method != "Do" || c.runs.Load() != 1 || len(c.visits) != 1 || c.visits[0].borrowed {
		return
	}
	switch c.does {
	case "nests", "extends", "releases":
	default:
		p.checkEnd(c, c.visits[0])
	}
	p.checkFailure(c, c.visits[0])
}

// checkRuns looks at how often the call ran, and at the outcomes of a stream.
func (p *program) checkRuns(c *call) {
	wrong := p.wrong(c)
	if n := c.runs.Load(); n > 1 {
		wrong("%d runs", n)
	}
	if !c.streams() {
		return
	}
	n, most := c.outcomes.Load(), int64(1)
	if c.method == "Grant" && c.ctx.Err() != nil { // which may have been told behind the lease
		most = 2
	}
	if n > most || n == 0 && !c.cancelled.Load() && !p.endsOut && c.does != "goexits" && c.does != "yields" {
		wrong("%d outcomes", n)
	}
}

// checkVisit looks at how a visit has ended.
func (p *program) checkVisit(c *call, v *visit) {
	wrong := p.wrong(c)
	if !v.left {
		wrong("it has never left %s", v.key)
	}
	if v.token == 0 && !v.stream {
		wrong("no token")
	}
	if v.stream || v.borrowed || p.stores || p.endsOut || v.due == 0 || v.extended.Load() {
		return
	}
	ended := time.Duration(v.ended.Load())
	var e *keylock.Error
	if errors.Is(v.cause, keylock.ErrLeaseExpired) && c.method != "DoAll" && errors.As(v.cause, &e) && e.Token == v.token && ended != v.due {
		wrong("its context ended at %v, and its lease at %v", ended, v.due)
	}
	if v.until > v.due && (v.cause == nil || ended > v.due) {
		wrong("it was inside until %v, its lease ended at %v, and its context at %v", v.until, v.due, ended)
	}
}

// checkError looks at what the call says.
func (p *program) checkError(c *call) {
	wrong, waited := p.wrong(c), c.at-c.asked
	runs := c.runs.Load()
	var e *keylock.Error
	isErr := errors.As(c.err, &e)
	switch {
	case c.err == nil && runs == 0 && c.method != "Job" && !(c.streams() && c.cancelled.Load()):
		wrong("success without a grant")
	case c.err == nil || runs > 0 || c.err == keylock.ErrWaitTimeout:
	case isErr && e.Kind == keylock.ErrWaitTimeout:
		if c.wait == keylock.Forever {
			wrong("a time-out of a wait for ever")
		}
		if !p.stores && (waited != c.wait && c.method != "DoAll" || waited > c.wait) {
			wrong("the wait of %v has ended after %v: %v", c.wait, waited, c.err)
		}
	case isErr && e.Kind == keylock.ErrQueueFull:
		if !c.limits || waited != 0 && c.method != "DoAll" {
			wrong("it says that the queue is full")
		}
	case isErr && e.Kind == keylock.ErrLocksClosed:
		if !p.closing.Load() {
			wrong("it says that the manager is closed")
		}
	case isErr && e.Kind == keylock.ErrReentrant:
		if !c.within {
			wrong("it says that the caller holds the key")
		}
	case isErr && e.Kind == keylock.ErrLeaseExpired:
		if c.lease == 0 && !c.within {
			wrong("it says that the lease has expired")
		}
	case c.ctx.Err() != nil && errors.Is(c.err, context.Cause(c.ctx)):
	case c.within:
	case p.stores:
	default:
		wrong("unexpected: %v", c.err)
	}
}

// checkEnd looks at when Do has returned, and whether it says that the lease has expired.
func (p *program) checkEnd(c *call, v *visit) {
	wrong, lapsed := p.wrong(c), errors.Is(c.err, keylock.ErrLeaseExpired)
	if v.due == 0 {
		if lapsed && !c.within && v.ended.Load() > int64(v.from) { // else it was over when the function began
			wrong("its lease has no end, and the error is %v", c.err)
		}
		return
	}
	if v.until > v.due && !lapsed || v.until < v.due && lapsed && !c.within && c.on != "single" {
		wrong("inside until %v, due %v, and the error is %v", v.until, v.due, c.err)
	}
	if c.policy == keylock.ReleaseOnExpiry && c.on != "immediate" && c.at > max(v.due+c.grace, v.from) {
		wrong("due %v, grace %v, and it returned at %v", v.due, c.grace, c.at)
	}
}

// checkFailure looks at what became of an error, or a panic, in Do.
func (p *program) checkFailure(c *call, v *visit) {
	wrong, lapsed := p.wrong(c), errors.Is(c.err, keylock.ErrLeaseExpired)
	switch {
	case c.does == "fails" && (v.due == 0 || v.until <= v.due) && !errors.Is(c.err, programs.ErrTask) && !lapsed:
		wrong("its error is lost: %v", c.err)
	case c.does == "panics" && !lapsed && !errors.As(c.err, new(*reactor.PanicError)):
		wrong("its panic is lost: %v", c.err)
	}
}
