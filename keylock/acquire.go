package keylock

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// callOf returns what a call goes by.
func (m *Manager) callOf(op, key string, opts []CallOption) (call, error) {
	if m.clocks == nil {
		return call{}, notMade(op, key)
	}
	c := m.call
	for _, o := range opts {
		err := o.apply(&c)
		if err == nil {
			err = o.refusedBy(op)
		}
		if err != nil {
			why, _ := strings.CutSuffix(err.Error(), ": "+reactor.ErrIllegalArgument.Error()) // the Kind says that
			return c, illegal(op, key, "%s", why)
		}
	}
	return c, nil
}

// newHold returns a hold for a call that waits on its goroutine, with what it needs.
func (m *Manager) newHold(c *call) *hold {
	if c.lease == 0 && m.backend == nil && m.measure == nil && m.onSlow == nil {
		return new(hold)
	}
	h := new(struct {
		hold
		extra
	})
	h.hold.extra = &h.extra
	return &h.hold
}

// setUp makes h a call for key that has not asked yet.
func (m *Manager) setUp(h *hold, ctx context.Context, op method, key string, c *call) {
	h.s, h.clk, h.parent, h.op = m.shardOf(key), m.clocks.current(), ctx, op
	h.policy, h.once = c.policy, c.wait == 0
	h.since.Store(noTime)
	if h.extra != nil {
		h.extra.lease, h.extra.due, h.extra.record = c.lease, forever, forever
	}
}

// arrival is what asking for a key led to.
type arrival int

const (
	gotIt  arrival = iota // the hold has the key, its timers are not set yet
	queued                // it waits
	failed
)

// ask takes the key if it is free and nobody waits for it, or else puts h into the
// queue. It tells nobody what it has decided, and does not count a failure: refused does.
func (h *hold) ask(key string, c *call) (arrival, *Error) {
	m, s := h.s.m, h.s
	now := int64(noTime)
	if h.extra != nil {
		now = h.clk.now()
		h.since.Store(now)
	}
	s.lock()
	if s.closed {
		s.unlock()
		return failed, &Error{Op: h.op.String(), Kind: ErrLocksClosed, Key: key}
	}
	e := s.place(key)
	h.e = e
	switch {
	case e.holder == nil: // with Barging, and only then, somebody may wait for it nevertheless
		if m.backend != nil {
			h.prepare()
		}
		s.grant(e, h)
		if m.backend == nil {
			h.start(now)
			s.unlock()
			return gotIt, nil
		}
		s.unlock()
		h.compete()
		return queued, nil
	case c.wait == 0:
		h.state = refused // a cancellation that comes before anybody is told finds nothing to give up
		detail, cause := "it is held, and the call does not wait", e.unheard()
		s.unlock()
		if cause != nil {
			detail = "no answer from the backend to a call of this process"
		}
		return failed, &Error{Op: h.op.String(), Kind: ErrWaitTimeout, Key: key, Detail: detail, Cause: cause}
	case int(e.waiters) >= c.waiters:
		n := int(e.waiters)
		h.state = refused
		s.unlock()
		return failed, &Error{Op: h.op.String(), Kind: ErrQueueFull, Key: key, Detail: strconv.Itoa(n) + " wait already"}
	}
	h.prepare()
	e.push(h)
	s.waiting++
	s.unlock()
	return queued, nil
}

// refused counts a failure of ask and returns it.
func (m *Manager) refused(err *Error) error {
	switch err.Kind {
	case ErrLocksClosed:
		return m.count(closedCount, err)
	case ErrQueueFull:
		return m.count(queueFullCount, err)
	}
	return m.count(waitTimeoutCount, err)
}

// prepare makes what a hold needs that has to wait.
func (h *hold) prepare() {
	h.counted = h.waiter() != nil
	if !h.counted {
		h.ready = make(chan struct{}, 1)
	}
}

// giveUp ends the wait and reports whether that was in time: then the key will not be
// granted to h any more. If that was too late, h has the key, or somebody else has ended
// the wait.
func (h *hold) giveUp() bool { return h.giveUpAnd(nil) }

// giveUpAnd is giveUp that calls tell last, if it was in time, even if the meter has ended the goroutine by then.
func (h *hold) giveUpAnd(tell func()) bool {
	var next *hold
	var watch bool
	h.s.lock()
	was := h.state
	switch was {
	case waiting:
		h.s.leave(h)
		if h.e.holder == nil { // with Barging: the key is free, and perhaps only h was told so
			if next = h.e.first(); next == nil {
				watch = h.s.rest(h.e, h.clk)
			}
		}
	case contending: // its session passes the key on
	default:
		h.s.unlock()
		return false
	}
	h.state = refused
	h.s.unlock()
	if tell != nil {
		defer tell()
	}
	if was == contending {
		h.session.stop()
	}
	if next != nil {
		next.nudge()
	}
	if watch {
		h.s.watch(h.clk)
	}
	h.s.m.measure.keys(h.s)
	h.s.m.settled()
	return true
}

// abandon ends a wait from which the caller will return with an error of its own, and
// gives the key back if it was granted in the meantime.
func (h *hold) abandon() {
	if !h.giveUp() {
		h.release()
	}
}

// waitAtMost lets the wait end after d.
func (h *hold) waitAtMost(d time.Duration) error {
	if d <= 0 {
		return nil // forever, or for one answer of the backend
	}
	t, err := h.clk.timer(d, h.waitOver)
	if err != nil {
		return h.noTimer(err)
	}
	stop := t.stop
	h.s.lock()
	if h.state == waiting || h.state == contending {
		h.stopWait, stop = stop, nil
	}
	h.s.unlock()
	if stop != nil {
		stop()
	}
	return nil
}

// noTimer is the error of a call whose clock refuses timers.
func (h *hold) noTimer(err error) error {
	return &Error{Op: h.op.String(), Kind: reactor.ErrRejected, Key: h.e.key, Detail: "no timer", Cause: err}
}

// waitOver is the task of the timer of the wait, on a goroutine of the clock.
func (h *hold) waitOver(context.Context) {
	h.giveUpAnd(h.tooLate)
}

// tooLate tells the caller that its wait was too long. Only who has ended the wait calls it.
func (h *hold) tooLate() {
	err := &Error{Op: h.op.String(), Kind: ErrWaitTimeout, Key: h.e.key, Cause: h.unheard()}
	defer h.refuse(err) // also if the meter or the clock ends the goroutine
	defer h.s.m.add(waitTimeoutCount)
	err.Waited = time.Duration(h.clk.now() - h.since.Load())
}

// unheard returns why it is not known whether somebody has the key that h waits for, or nil.
func (h *hold) unheard() error {
	if session := h.backed(); session != nil {
		if unheard := session.unheard.Load(); unheard != nil {
			return *unheard
		}
		return nil
	}
	h.s.lock()
	defer h.s.unlock()
	return h.e.unheard()
}

// refuse tells the caller why it will not get the key. Only who has ended the wait
// calls it.
func (h *hold) refuse(err error) {
	h.ending.Store(&ending{cause: err, refused: true})
	h.wake(err)
}

// stopWaiting stops the timer of a subscription whose wait is over.
func (h *hold) stopWaiting() {
	h.s.lock()
	stop, counted := h.stopWait, h.counted
	h.stopWait, h.counted = nil, false
	h.s.unlock()
	if stop != nil {
		stop()
	}
	if counted {
		h.s.m.measure.waiting(-1)
	}
}

// acquire waits for key on the calling goroutine.
func (m *Manager) acquire(ctx context.Context, op method, key string, c *call) (*hold, error) {
	if ctx == nil {
		return nil, illegal(op.String(), key, "the context is nil")
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return m.acquireLive(ctx, op, key, c)
}

// acquireLive is acquire with a context that had not ended a moment ago.
func (m *Manager) acquireLive(ctx context.Context, op method, key string, c *call) (*hold, error) {
	if m.backend != nil {
		// Even a free key takes an answer, for which the goroutine has to wait.
		if err := schedulers.CheckBlocking(ctx, op.blocking()); err != nil {
			return nil, err
		}
	}
	h := m.newHold(c)
	m.setUp(h, ctx, op, key, c)
	switch got, err := h.ask(key, c); got {
	case failed:
		if m.reentered(ctx, key) != nil {
			return nil, m.reentrance(op.String(), key)
		}
		return nil, m.refused(err)
	case queued:
		if err := h.await(ctx, c); err != nil {
			return nil, err
		}
		return h, nil
	}
	if err := h.watchOrRelease(); err != nil {
		return nil, err
	}
	return h, nil
}

// watchOrRelease sets the timers of a hold that was granted. If a timer is refused, or the clock or the meter does not
// return, the hold is released, because nobody else knows of the grant.
func (h *hold) watchOrRelease() (err error) {
	watched := false
	defer func() {
		if !watched {
			h.release()
		}
	}()
	if h.since.Load() == noTime { // it has not asked for the time yet
		h.since.Store(h.clk.now())
	}
	h.s.m.measure.granted(h)
	if err = h.watch(); err != nil {
		return h.noTimer(err)
	}
	watched = true
	return nil
}

// await waits on the calling goroutine until h holds the key. After an error h neither
// holds the key nor waits for it.
func (h *hold) await(ctx context.Context, c *call) error {
	m := h.s.m
	returned := false
	defer func() {
		if !returned { // the meter, or who else is asked, has ended the goroutine
			h.abandon()
		}
	}()
	m.measure.waiting(1)
	var err error
	if m.reentered(ctx, h.e.key) != nil {
		err = m.reentrance(h.op.String(), h.e.key)
	} else if m.backend == nil {
		err = schedulers.CheckBlocking(ctx, h.op.blocking())
	}
	if err == nil && c.wait > 0 {
		if h.extra == nil {
			h.since.Store(h.clk.now())
		}
		limit, refused := h.clk.timer(c.wait, h.waitOver)
		if refused != nil {
			err = h.noTimer(refused)
		} else {
			defer limit.stop()
		}
	}
	if err == nil {
		err = h.sleep(ctx)
	} else {
		h.abandon()
	}
	m.measure.waiting(-1)
	returned = true
	return err
}

// sleep parks the goroutine of a call until its wait is over.
func (h *hold) sleep(ctx context.Context) error {
	for {
		select {
		case <-h.ready:
		case <-ctx.Done():
			h.abandon()
			return context.Cause(ctx)
		}
		if over, err := h.woken(); over {
			return err
		}
	}
}

// woken reports whether the wait is over, and how. With [Barging] the wait goes on if
// somebody else has taken the key meanwhile.
func (h *hold) woken() (over bool, err error) {
	if e := h.ending.Load(); e != nil && e.refused {
		return true, e.cause
	}
	if h.s.m.barging && h.s.m.backend == nil {
		if !h.takeFree() {
			return false, nil
		}
		return true, h.watchOrRelease()
	}
	return true, nil
}
