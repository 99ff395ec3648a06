package operators

import (
	"time"

	"github.com/goreactor/reactor/schedulers"
)

// stopclock says how much time of a scheduler has passed since it was started.
type stopclock struct {
	on     schedulers.Scheduler
	base   time.Time
	system bool // on keeps the time of the system, which is read at half the price without the date
}

func startClock(on schedulers.Scheduler) stopclock {
	return stopclock{on: on, base: on.Now(), system: canLag(on)}
}

func (c *stopclock) passed() time.Duration {
	if c.system {
		return time.Since(c.base)
	}
	return c.on.Now().Sub(c.base)
}
