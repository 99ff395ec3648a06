//go:build linux && (amd64 || arm64)

package netreactor

import (
	"context"
	"log/slog"
	"runtime/pprof"
	"sync/atomic"
	"syscall"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/netreactor/internal/epoll"
)

// canPark says whether connections of package net are parked.
const canPark = true

// waiter waits, in Go's poller, for bytes that come for connections that are parked. Go's poller has their sockets, too, in
// a list of its own: the two do not disturb each other.
type waiter struct {
	p      *parking
	poller *epoll.Poller
	ending atomic.Bool
	events [maxEvents]epoll.Event // its goroutine's
}

// eventsParked are told once: a connection is resumed by one of them, and no longer watched then.
const eventsParked = epoll.In | epoll.PeerClosed | epoll.Once

// newWaiter starts one, whose goroutine has the labels of ctx. The caller holds p.mu.
func newWaiter(ctx context.Context, p *parking) (*waiter, error) {
	poller, err := epoll.New()
	if err != nil {
		return nil, err
	}
	w := &waiter{p: p, poller: poller}
	p.waiters.Go(func() {
		pprof.SetGoroutineLabels(ctx)
		w.run()
	})
	return w, nil
}

// add watches over t. What has happened before is told, too. The caller holds mu of the parking, as with
// the next three.
func (w *waiter) add(t *netTransport, n, generation int32) (err error) {
	failed := control(t, func(fd uintptr) { err = w.poller.Add(int(fd), n, generation, eventsParked) })
	if failed != nil {
		return failed
	}
	return err
}

// remove ends that. Where somebody else has closed the socket, the kernel has done it.
func (w *waiter) remove(t *netTransport) {
	_ = control(t, func(fd uintptr) { w.poller.Remove(int(fd)) })
}

// isClosed reports whether somebody has closed the socket of t.
func (w *waiter) isClosed(t *netTransport) bool { return control(t, func(uintptr) {}) != nil }

// end ends the waiter.
func (w *waiter) end() {
	w.ending.Store(true)
	w.poller.Wake()
}

// control calls f with the descriptor of t, which is not closed meanwhile.
func control(t *netTransport, f func(fd uintptr)) error {
	raw, err := socketOf(t.conn).(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	return raw.Control(f)
}

// run is the goroutine of the waiter.
func (w *waiter) run() {
	var failed error
	err := w.poller.Run(func() (ended bool) {
		ended, failed = w.turn()
		return ended
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		w.fail(err)
	}
	w.p.mu.Lock() // who ends it holds that, and may not have woken it yet
	defer w.p.mu.Unlock()
	w.poller.Close()
}

// turn resumes who has something to read, until nobody has.
func (w *waiter) turn() (ended bool, err error) {
	for !w.ending.Load() {
		n, err := w.poller.Look(w.events[:])
		if err != nil {
			return true, err
		}
		chaos.Yield()
		w.told(w.events[:n])
		if n < len(w.events)-1 { // one may have been the call to end
			return false, nil
		}
	}
	return true, nil
}

// told resumes the connections of events, unless these came before they were parked the last time.
func (w *waiter) told(events []epoll.Event) {
	p := w.p
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range events {
		if at := p.watched.at(e.Fd); at.of != nil && at.generation == e.Pad {
			at.of.unpark()
		}
	}
}

// fail resumes all: each waits by itself from then on. The log, which is the user's, may ask for figures.
func (w *waiter) fail(err error) {
	for _, t := range w.giveUp() {
		t.c.eng.say(slog.LevelError, "netreactor: parked connections can't be watched any more", "error", err)
	}
}

// giveUp resumes all, and returns them.
func (w *waiter) giveUp() (resumed []*netTransport) {
	p := w.p
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = true
	if p.waiter == w {
		p.waiter = nil
	}
	for n := range p.watched.made {
		if t := p.watched.at(n).of; t != nil && t.unpark() {
			resumed = append(resumed, t)
		}
	}
	return resumed
}
