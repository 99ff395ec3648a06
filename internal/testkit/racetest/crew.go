package racetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/internal/chaos"
)

// crew is who races for a Repeat: its own goroutine, the host, and as many members as
// there are further functions. Between two races everybody but the host is idle, and
// what has no comment is the host's then; during one it stands still.
type crew struct {
	processors int        // immutable
	alone      bool       // there is one; immutable
	members    []chan int // each gets the function that it is to run; room for one
	gone       sync.WaitGroup
	watch      *time.Timer // looks after the race under way
	random     *rand.Rand
	source     rand.PCG // of random
	seen       uint64   // the race that was under way when watch went off; its function

	fns    []func()
	order  []int         // in which they are started
	delays []int         // of each
	now    atomic.Uint64 // the number of the race under way; 0 in between, or dismissed
	races  uint64

	arrived atomic.Int32
	left    atomic.Int32
	done    chan struct{} // has room for one: all have returned

	mu       sync.Mutex
	failures []string // guarded by mu
}

// dismissed is the number of no race.
const dismissed = ^uint64(0)

func newCrew() *crew {
	n := runtime.GOMAXPROCS(0)
	c := &crew{processors: n, alone: n == 1, done: make(chan struct{}, 1)}
	c.random = rand.New(&c.source)
	c.watch = time.AfterFunc(patience, c.look)
	if c.alone {
		chaos.Rest()
	}
	return c
}

// race is what Race does, with the host as one of the goroutines.
func (c *crew) race(fns ...func()) {
	c.races++
	announce.Do(printSeed)
	if len(fns) == 0 {
		return
	}
	if c.alone {
		// Where nothing but forced yields changes who runs, they are those of this
		// race, and there are none when nobody is there to go on.
		chaos.Restart(c.races)
		defer chaos.Rest()
	}
	c.fns = fns
	c.order, c.delays = c.draw(seed, c.races, len(fns))
	c.arrived.Store(0)
	c.left.Store(int32(len(fns)))
	c.now.Store(c.races)
	last := len(fns) - 1
	for at, i := range c.order[:last] {
		c.start(at, i)
	}
	returned := false
	defer func() {
		if !returned { // the host's function has called runtime.Goexit
			c.finish()
		}
	}()
	c.call(c.order[last])
	returned = true
	c.finish()
}

// draw decides on order and delays of n functions.
func (c *crew) draw(seed, race uint64, n int) (order, delays []int) {
	c.source.Seed(^seed, race)
	order = c.order[:0]
	for i := range n {
		order = append(order, i)
	}
	c.random.Shuffle(n, func(i, k int) { order[i], order[k] = order[k], order[i] })
	c.source.Seed(seed, race)
	delays = c.delays[:0]
	for range n {
		delays = append(delays, delay(c.random))
	}
	return order, delays
}

// start gives the at-th member the i-th function to run.
func (c *crew) start(at, i int) {
	if at == len(c.members) {
		jobs := make(chan int, 1)
		c.members = append(c.members, jobs)
		c.gone.Go(func() { c.work(jobs) })
	}
	c.members[at] <- i
}

// work does one job after the other. In between it stays awake for a moment, if that
// takes nothing from others.
func (c *crew) work(jobs <-chan int) {
	for {
		for range briefly {
			if c.alone || len(jobs) > 0 {
				break
			}
			runtime.Gosched()
		}
		i, ok := <-jobs
		if !ok {
			return
		}
		c.call(i)
	}
}

// call runs the i-th function when all are there.
func (c *crew) call(i int) {
	returned := false
	defer func() {
		if v := recover(); v != nil || !returned {
			c.mu.Lock()
			c.failures = append(c.failures, fmt.Sprintf("racetest: function %d of %d: %s", i+1, len(c.fns), describe(v)))
			c.mu.Unlock()
		}
		if c.left.Add(-1) == 0 {
			c.done <- struct{}{}
		}
	}()
	n := int32(len(c.fns))
	c.arrived.Add(1)
	for spins := 1; peek(&c.arrived) < n; spins++ {
		if spins%1000 == 0 || c.alone || int(n) > c.processors {
			runtime.Gosched()
		}
	}
	if !c.alone {
		for range c.delays[i] {
		}
	}
	c.fns[i]()
	returned = true
}

// finish waits for the others, and panics if one has failed.
func (c *crew) finish() {
	for range briefly {
		if c.alone || peek(&c.left) == 0 {
			break
		}
		runtime.Gosched()
	}
	<-c.done
	c.now.Store(0)
	if len(c.failures) > 0 {
		panic(fmt.Sprintf("%s\nracetest: %s=%d", strings.Join(c.failures, "\n"), seedVariable, seed))
	}
}

// look ends the process if the race under way has been so at the last look too: a
// function hangs, and it may be that of the host.
func (c *crew) look() {
	now := c.now.Load()
	switch {
	case now == dismissed:
		return
	case now != 0 && now == c.seen:
		fmt.Fprintf(os.Stderr, "racetest: %d of the functions have not returned after %v\n\n%s", c.left.Load(), patience, allStacks())
		panic(fmt.Sprintf("racetest: a race never ends\nracetest: %s=%d", seedVariable, seed))
	}
	c.seen = now
	c.watch.Reset(patience)
}

// dismiss ends the crew.
func (c *crew) dismiss() {
	c.now.Store(dismissed) // a look may be under way
	c.watch.Stop()
	if c.alone {
		chaos.Restart(0)
	}
	for _, jobs := range c.members {
		close(jobs)
	}
	c.gone.Wait()
}
