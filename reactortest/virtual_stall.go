package reactortest

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor"
)

// Progress implements stall.Suspect: the clock stands still while tasks wait for it.
func (c *clock) Progress() (n int64, waiting bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int64(c.seq) + int64(c.now), len(c.queue) > 0 && !c.draining
}

// Since implements stall.Suspect.
func (c *clock) Since() time.Time { return c.born }

// Report implements stall.Suspect.
func (c *clock) Report(ctx context.Context, d time.Duration) bool {
	where := c.standsAt("AdvanceBy")
	if where == "" {
		return false
	}
	reactor.DropError(ctx, reactor.Failure("virtualTime", reactor.ErrStalled, "nobody has moved the clock for %v: %s", d.Round(time.Second), where))
	return true
}

// standsAt says where the clock stands and how move, a call that moves it, gets to the next
// task; "" if no task waits.
func (c *clock) standsAt(move string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 || c.draining {
		return ""
	}
	due, tasks := max(c.queue[0].key, c.now), "the only task is"
	if n := len(c.queue); n > 1 {
		tasks = fmt.Sprintf("the next of %d tasks is", n)
	}
	return fmt.Sprintf("it stands at %v, and %s due at %v: %s(%v) gets there", c.now, tasks, due, move, due-c.now)
}
