package racetest

import (
	"runtime"
	"sync"
)

// crew is the goroutines that race for a Repeat. Only the goroutine of Repeat
// touches it.
type crew struct {
	jobs  []chan func() // one per member, with room for one
	gone  sync.WaitGroup
	stuck bool // a race is not over, or ended in a panic
	races uint64
}

func (c *crew) race(fns ...func()) {
	c.stuck = true
	c.races++
	run(fns, c.races, c.start)
	c.stuck = false
}

// start gives the i-th member something to do.
func (c *crew) start(i int, body func()) {
	if i == len(c.jobs) {
		jobs := make(chan func(), 1)
		c.jobs = append(c.jobs, jobs)
		c.gone.Go(func() { work(jobs) })
	}
	c.jobs[i] <- body
}

// work does one job after the other. In between it stays awake for a moment.
func work(jobs <-chan func()) {
	for {
		for range briefly {
			if len(jobs) > 0 {
				break
			}
			runtime.Gosched()
		}
		body, ok := <-jobs
		if !ok {
			return
		}
		body()
	}
}

// dismiss ends the crew, and waits for it unless a member may be caught in a race
// that never ends.
func (c *crew) dismiss() {
	for _, jobs := range c.jobs {
		close(jobs)
	}
	if !c.stuck {
		c.gone.Wait()
	}
}
