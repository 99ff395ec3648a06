//go:build linux && (amd64 || arm64)

package netreactor

import (
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/netreactor/internal/epoll"
)

const errAgain = syscall.EAGAIN

// selector waits for the events of its connections, in Go's poller as every other goroutine does. It
// hands connections that have events to workers, or makes the passes itself.
type selector struct {
	eng     *engine
	loop    *loop
	workers *workers // nil if the selector makes the passes itself
	poller  *epoll.Poller
	done    sync.WaitGroup

	mu          sync.Mutex
	slots       slots[epollTransport] // mu
	first, last *connection           // the queue of connections for whose passes push was called; mu

	queued   atomic.Int32 // how many connections are in the queue; written under mu
	stopping atomic.Bool  // written once, under mu
	asleep   atomic.Bool  // nothing happens before Go's poller calls turn, so push has to call Wake; the selector may be about to sleep

	// What follows belongs to the goroutine of the selector.
	runner runner
	events [maxEvents]epoll.Event
	ready  [maxEvents]ready // what has happened to which connection
	n, at  int              // ready from at to n is to be handled
	failed bool             // the poller has failed, and is not waited for any more
	vain   uint8            // how many looks in a row, each right after an event, have found nothing

	waits, told, wakes atomic.Uint64
}

// maxEvents is how many events are taken at a time.
const maxEvents = 128

type ready struct {
	c    *connection
	work uint64
}

func newSelector(eng *engine, l *loop, w *workers) (*selector, error) {
	p, err := epoll.New()
	if err != nil {
		return nil, err
	}
	return &selector{eng: eng, loop: l, workers: w, poller: p}, nil
}

// register finds a slot for t. It is called by the acceptor.
func (s *selector) register(t *epollTransport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.slot, t.generation = s.slots.take(t)
}

// vacate empties the slot of t, before the socket is closed.
func (s *selector) vacate(t *epollTransport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slots.vacate(t.slot)
}

// push has the selector make a full pass of c, which is marked as queued. Any goroutine.
func (s *selector) push(c *connection) {
	s.mu.Lock()
	if s.stopping.Load() {
		s.mu.Unlock()
		passAfterTheEnd(c)
		return
	}
	if s.last == nil {
		s.first = c
	} else {
		s.last.next = c
	}
	s.last = c
	s.queued.Add(1)
	s.wake()
	s.mu.Unlock()
}

// wake ends the sleep of the selector. The caller holds mu: without it stop may have closed the descriptor that Wake writes to, and
// the number may be that of another one by then.
func (s *selector) wake() {
	chaos.Yield()
	if s.asleep.Load() && s.asleep.CompareAndSwap(true, false) {
		s.wakes.Add(1)
		s.poller.Wake()
	}
}

// stop ends the selector, which has no connections any more, and waits until its goroutine has ended.
func (s *selector) stop() {
	s.mu.Lock()
	s.stopping.Store(true)
	s.mu.Unlock()
	s.poller.Wake()
	s.done.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.poller.Close()
}

// run is the goroutine of the selector.
func (s *selector) run() {
	clean := false
	defer func() {
		if clean {
			s.done.Done()
			return
		}
		go s.run() // runtime.Goexit in user code: this goroutine is lost, what is in ready is not
	}()
	defer s.eng.within.join()()
	labelled(s.eng, "selector")
	if s.runner.chunk == nil {
		s.runner.chunk = make([]byte, s.eng.set.ReadChunk)
	}
	s.handle()
	if err := s.poller.Run(s.turn); err != nil {
		s.fail(err)
		for !s.turn() {
		}
	}
	clean = true
}

// turn handles what has happened until nothing is left to do. It reports whether the selector
// is to end; else Go's poller calls it again when something happens.
func (s *selector) turn() (ended bool) {
	s.asleep.Store(false)
	for again := false; ; {
		s.passes()
		if s.stopped() {
			return true
		}
		n := s.look()
		if again {
			s.looked(n)
		}
		s.handle()
		switch again = s.worthwhile(n); {
		case again:
			runtime.Gosched()
		case s.sleep():
			return false
		}
	}
}

// worthwhile reports whether to look again after a look that has found n events, and not to sleep.
func (s *selector) worthwhile(n int) bool {
	switch {
	case s.failed:
		return true // nobody would call
	case n == 0:
		return false
	case n > 1 || s.vain < vainLooks:
		return true
	}
	s.vain++ // wraps around to 0 after some, so that it is tried again
	return false
}

// looked keeps in mind whether a look right after an event has found something.
func (s *selector) looked(n int) {
	if n > 0 {
		s.vain = 0
	} else if s.vain < vainLooks {
		s.vain++
	}
}

// sleep has push wake the selector from now on, and reports true; or false, if there is something to do already.
func (s *selector) sleep() bool {
	s.asleep.Store(true)
	chaos.Yield()
	if s.queued.Load() > 0 || s.stopping.Load() {
		s.asleep.Store(false)
		return false
	}
	return true
}

func (s *selector) stopped() bool { return s.stopping.Load() && s.queued.Load() == 0 }

// passes makes the passes of the connections that are in the queue now, and not of those that come meanwhile.
func (s *selector) passes() {
	for range s.queued.Load() {
		s.mu.Lock()
		c := s.first
		if c == nil {
			s.mu.Unlock()
			return
		}
		if s.first = c.next; s.first == nil {
			s.last = nil
		}
		c.next = nil
		s.queued.Add(-1)
		s.mu.Unlock()
		work, _ := c.own(0)
		c.run(&s.runner, work)
	}
}

// vainLooks is how many looks in a row have to find nothing before the selector does not look again right after a single event:
// that is so with one connection that sends one request at a time.
const vainLooks = 8

// look takes the next events without waiting, and returns how many they are.
func (s *selector) look() int {
	n, err := s.poller.Look(s.events[:])
	if err != nil {
		s.fail(err)
	}
	if s.failed {
		time.Sleep(time.Millisecond) // nobody calls turn any more: turn looks again and again
	}
	s.waits.Add(1)
	s.told.Add(uint64(n))
	s.resolve(n)
	return n
}

// fail stops the server: without events there is nothing to serve. The passes that close the
// connections are still made.
func (s *selector) fail(err error) {
	if !s.failed {
		s.failed = true
		s.eng.broken(fmt.Errorf("netreactor: selector failed: %w", err)) // first: the log may end the goroutine
		s.eng.log(slog.LevelError, "netreactor: selector failed", "error", err)
	}
}

// resolve puts what n events are about into ready. Events of sockets that were closed are left out.
func (s *selector) resolve(n int) {
	s.n, s.at = 0, 0
	if n == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events[:n] {
		at := s.slots.at(e.Fd)
		if at.of == nil || at.generation != e.Pad {
			continue
		}
		var work uint64
		if e.Events&epoll.In != 0 {
			work = workRead
		}
		if e.Events&epoll.Out != 0 {
			work |= workWrite
		}
		if e.Events&(epoll.PeerClosed|epoll.HungUp|epoll.Failed) != 0 {
			work |= workHungUp | workWrite
		}
		s.ready[s.n] = ready{at.of.c, work}
		s.n++
	}
}

// handle makes passes for what was resolved, or hands it to workers.
func (s *selector) handle() {
	if s.workers != nil {
		var first, last *connection
		n := 0
		for ; s.at < s.n; s.at++ {
			r := &s.ready[s.at]
			if c := r.c; c.queue(r.work) {
				if last == nil {
					first = c
				} else {
					last.next = c
				}
				last = c
				n++
			}
			r.c = nil
		}
		if n > 0 {
			s.workers.push(first, last, n)
		}
		return
	}
	for s.at < s.n {
		r := &s.ready[s.at]
		c := r.c
		r.c = nil
		s.at++
		if work, ok := c.claim(r.work); ok {
			c.run(&s.runner, work)
		}
	}
}

// localAddr asks the kernel, unless the socket is closed or has the name of its listener.
func (s *selector) localAddr(t *epollTransport) net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots.at(t.slot).of == t {
		if at := epoll.Local(int(t.fd)); at.IsValid() {
			return addrOf(at)
		}
	}
	return t.c.eng.local // that of a unix socket is the same
}

// unacked asks the kernel, unless the socket is closed.
func (s *selector) unacked(t *epollTransport) (n int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots.at(t.slot).of != t {
		return 0, false
	}
	return unacked(uintptr(t.fd))
}

func (s *selector) stats(st *SelectorStats) {
	st.Queued = int(s.queued.Load())
	st.Waits, st.Events, st.Wakes = s.waits.Load(), s.told.Load(), s.wakes.Load()
}
