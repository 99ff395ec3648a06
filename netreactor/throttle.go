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
// A place that becomes free is given to the connection that waits longest, before others can take it. A connection that has no use for
// the place any more, because it has ended for example, gives it back for the next one.
type throttle struct {
	limit int64        // 0 for none; immutable
	taken atomic.Int64 // places that are used or given; may be above limit, since a connection without a message may always take one

	mu    sync.Mutex
	queue []*connection // connections that wait, and some that have ended meanwhile; mu
	gone  int           // how many of those in queue have ended, or more: next takes some out and does not count them; mu
}

// The values of connection.turn. The owner of the connection takes it from none to waits and from given to none; next takes it from waits
// to given and leave from waits to gone, both under mu of the throttle.
const (
	turnNone  = iota
	turnWaits // the connection is in the queue, or about to be
	turnGiven // it was given a place, which it has not used yet
	turnGone  // it has ended while it was in the queue
)

// throttled reports whether the connection has to wait for a place before it delivers: then it is in the queue, and
// entered again when it has one. Owner.
func (c *connection) throttled() bool { return c.eng.throttle.limit > 0 && c.waits() }

// waits is throttled where there is a limit. Owner.
func (c *connection) waits() bool {
	t := &c.eng.throttle
	return c.slots.Load() > 0 && t.taken.Load() >= t.limit && c.turn.Load() != turnGiven && !c.mute.Load() && t.wait(c)
}

// wait puts c into the queue, and reports whether c has to wait: not if its last message was answered meanwhile, by
// a goroutine that may not have seen that c is in the queue. Owner.
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

// reserve takes a place for the next message, where there is a limit, or reports false if the connection has to wait for one. A caller
// that finds no message gives the place back. Owner.
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
	t.taken.Add(1) // a connection without a message, or without answers to come, never waits
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

// give has the next message use the place that was reserved, or gives the place back if there will be no answer. Owner.
func (c *connection) give() {
	c.slots.Add(1)
	chaos.Yield()
	if c.mute.Load() { // CloseWrite gives back only the places of messages that were given before
		c.giveAllBack()
	}
}

// decline gives back the place that the connection was given by next, if it is still not used: it is called at the end of a pass that
// began with the place. Owner.
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

// giveAllBack gives back the places of all messages that have no answer, since there will be none. Any goroutine.
func (c *connection) giveAllBack() {
	if n := c.slots.Swap(0); n > 0 {
		c.eng.throttle.release(int64(n))
	}
}

// giveBack gives back the place of a message, for the handler has sent one: that counts as the answer. Any goroutine.
func (c *connection) giveBack() {
	t := &c.eng.throttle
	if t.limit == 0 {
		return
	}
	for {
		n := c.slots.Load()
		if n == 0 {
			return // what was sent answers nothing
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

// next gives a place, if one is free, to the connection that waits longest, and returns that, or nil.
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

// leave notes that c has ended, if c waits. Where no place becomes free for long, the queue would keep all connections that have
// ended: they are taken out when they are more than the others. Owner.
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
