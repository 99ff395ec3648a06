package netreactor

import (
	"sync"
	"sync/atomic"
)

// throttle limits the messages that handlers have and have not answered. A connection
// without any may always have one.
type throttle struct {
	limit int64 // 0 for none; immutable
	taken atomic.Int64

	mu    sync.Mutex
	queue []*connection // that wait; mu
}

// throttled reports whether the connection has to wait before it delivers. Then it is
// entered again when it need not any more. Owner.
func (c *connection) throttled() bool {
	t := &c.eng.throttle
	return t.limit > 0 && c.slots.Load() > 0 && t.taken.Load() >= t.limit && t.wait(c)
}

// wait puts c into the queue, and reports true.
func (t *throttle) wait(c *connection) bool {
	if !c.waits.Swap(true) {
		t.mu.Lock()
		t.queue = append(t.queue, c)
		t.mu.Unlock()
		if t.taken.Load() < t.limit {
			t.wake(1) // given back meanwhile
		}
	}
	return true
}

// give counts a message that the handler is given, where there is a limit.
func (c *connection) give() {
	c.slots.Add(1)
	c.eng.throttle.taken.Add(1)
}

// count counts the messages that the handler has sent within the pass. Owner of a full pass.
func (c *connection) count() {
	if n := c.inline; n > 0 {
		c.inline = 0
		c.answered.Add(uint64(n))
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
			if n == 1 && c.waits.Load() && !c.mine() {
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
		t.wake(n)
	}
}

// wake enters the n connections that wait longest.
func (t *throttle) wake(n int64) {
	for ; n > 0; n-- {
		t.mu.Lock()
		var c *connection
		if len(t.queue) > 0 {
			c = t.queue[0]
			t.queue[0] = nil
			t.queue = t.queue[1:]
		}
		t.mu.Unlock()
		if c == nil {
			return
		}
		c.waits.Store(false)
		c.enter(workRequest)
	}
}
