package netreactor

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// throttle limits the messages that handlers have and have not answered. A connection
// without any may always have one.
//
// A place that becomes free is given to the connection that waits longest, before others can take it. One that has no use for it any
// more, because it has ended for example, gives it back for the next one.
type throttle struct {
	limit int64        // 0 for none; immutable
	taken atomic.Int64 // places that are used or given; more than limit where connections without a message have one

	mu    sync.Mutex
	queue []*connection // that wait; mu
	gone  int           // how many have ended since those were taken out, of these at most; mu
}

// What turn says of a connection. Its owner takes it from none to waits and from given to none, who gives it a place from waits
// to given, and its end from waits to gone, both under the lock of the throttle.
const (
	turnNone  = iota
	turnWaits // it is in the queue
	turnGiven // it has been given a place, which it has not used yet
	turnGone  // it has ended in the queue
)

// throttled reports whether the connection has to wait before it delivers. Then it is
// entered again when it need not any more. Owner.
func (c *connection) throttled() bool { return c.eng.throttle.limit > 0 && c.waits() }

// waits is throttled where there is a limit. Owner.
func (c *connection) waits() bool {
	t := &c.eng.throttle
	return c.slots.Load() > 0 && t.taken.Load() >= t.limit && c.turn.Load() != turnGiven && !c.mute.Load() && t.wait(c)
}

// wait puts c into the queue, and reports whether it has to wait: not if the last message that it had was answered meanwhile, by
// somebody who may not have seen that it waits.
func (t *throttle) wait(c *connection) bool {
	chaos.Yield()
	if c.turn.CompareAndSwap(turnNone, turnWaits) {
		t.mu.Lock()
		t.queue = append(t.queue, c)
		t.mu.Unlock()
		chaos.Yield()
		t.wake() // a place may have become free meanwhile
	}
	return c.slots.Load() > 0
}

// reserve takes a place for the next message, where there is a limit, or reports false if the connection has to wait for one. Who finds
// no message gives it back. Owner.
func (c *connection) reserve() bool {
	t := &c.eng.throttle
	switch {
	case c.turn.CompareAndSwap(turnGiven, turnNone):
		return true
	case c.slots.Load() > 0 && !c.mute.Load():
		if t.take() {
			return true
		}
		if t.wait(c) {
			return false
		}
		if c.turn.CompareAndSwap(turnGiven, turnNone) {
			return true
		}
	}
	t.taken.Add(1) // without a message it may always have one
	return true
}

// take takes a place if there is one.
func (t *throttle) take() bool {
	for {
		taken := t.taken.Load()
		if taken >= t.limit {
			return false
		}
		chaos.Yield()
		if t.taken.CompareAndSwap(taken, taken+1) {
			return true
		}
	}
}

// give counts a message that the handler is given in the place that was reserved, unless nothing can be answered any more. Owner.
func (c *connection) give() {
	c.slots.Add(1)
	chaos.Yield()
	if c.mute.Load() { // whoever has muted it gives back what was there before
		c.giveAllBack()
	}
}

// decline gives back the place that was given, if it is not used: the pass that began with it had no use for it. Owner.
func (c *connection) decline() {
	if c.turn.CompareAndSwap(turnGiven, turnNone) {
		c.eng.throttle.release(1)
	}
}

// count counts the messages that the handler has sent within the pass. Owner of a full pass.
func (c *connection) count() {
	if n := c.inline; n > 0 {
		c.inline = 0
		c.answered.Add(uint64(n))
	}
}

// giveAllBack gives back the places of messages that have no answer: there will be none.
func (c *connection) giveAllBack() {
	if n := c.slots.Swap(0); n > 0 {
		c.eng.throttle.release(int64(n))
	}
}

// giveBack is the end of a message that give was called for: it was answered.
func (c *connection) giveBack() {
	t := &c.eng.throttle
	if t.limit == 0 {
		return
	}
	for {
		n := c.slots.Load()
		if n == 0 {
			return // it answers nothing
		}
		if c.slots.CompareAndSwap(n, n-1) {
			if n == 1 && c.turn.Load() == turnWaits && !c.mine() {
				c.enter(workRequest)
			}
			t.release(1)
			return
		}
	}
}

// release gives n places back.
func (t *throttle) release(n int64) {
	if t.taken.Add(-n) < t.limit {
		chaos.Yield()
		t.wake()
	}
}

// wake gives the places that are free to those that wait longest, and enters them.
func (t *throttle) wake() {
	for {
		c := t.next()
		if c == nil {
			return
		}
		chaos.Yield()
		c.enter(workRequest)
	}
}

// next takes a place, if there is one, for who waits longest, if anybody does.
func (t *throttle) next() *connection {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.queue) > 0 {
		c := t.queue[0]
		gone := c.turn.Load() == turnGone
		if !gone && !t.take() {
			break
		}
		t.queue[0] = nil
		t.queue = t.queue[1:]
		if !gone {
			c.turn.Store(turnGiven)
			return c
		}
	}
	return nil
}

// leave lets go of c, which has ended: where no place becomes free for long, those who have come and gone would be kept. They are taken
// out when they are more than the others. Owner.
func (t *throttle) leave(c *connection) {
	if c.turn.Load() != turnWaits {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !c.turn.CompareAndSwap(turnWaits, turnGone) {
		return
	}
	if t.gone++; t.gone > len(t.queue)/2 {
		t.queue = slices.DeleteFunc(t.queue, func(c *connection) bool { return c.turn.Load() == turnGone })
		t.gone = 0
	}
}
