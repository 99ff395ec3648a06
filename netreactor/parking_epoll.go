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

// waiter waits for bytes that come for parked connections, on a poller of its own, for which it waits in Go's poller. Go's poller has the
// sockets as well, in a list of its own: the two do not disturb each other.
type waiter struct {
	p      *parking
	poller *epoll.Poller
	ending atomic.Bool            // end was called
	events [maxEvents]epoll.Event // of the goroutine of the waiter
}

// eventsParked is what a socket is watched for: the first event resumes its connection, and no other is told after that.
const eventsParked = epoll.In | epoll.PeerClosed | epoll.Once

// newWaiter starts a waiter, whose goroutine has the labels of ctx. The caller holds p.mu.
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

// add has the socket of t watched; an event is told also for bytes that are there already. The caller holds mu of the parking, as for
// remove, isClosed and end.
func (w *waiter) add(t *netTransport, n, generation int32) (err error) {
	failed := control(t, func(fd uintptr) { err = w.poller.Add(int(fd), n, generation, eventsParked) })
	if failed != nil {
		return failed
	}
	return err
}

// remove ends what add began. Where somebody else has closed the socket, the kernel has ended it.
func (w *waiter) remove(t *netTransport) {
	_ = control(t, func(fd uintptr) { w.poller.Remove(int(fd)) })
}

// isClosed reports whether somebody else has closed the socket of t.
func (w *waiter) isClosed(t *netTransport) bool { return control(t, func(uintptr) {}) != nil }

// end has the goroutine of the waiter end, and does not wait for that.
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
	w.p.mu.Lock() // the caller of end holds mu until it has called Wake, which needs the poller
	defer w.p.mu.Unlock()
	w.poller.Close()
}

// turn resumes connections that have something to read, until there is no more event. It is called when there may be one.
func (w *waiter) turn() (ended bool, err error) {
	for !w.ending.Load() {
		n, err := w.poller.Look(w.events[:])
		if err != nil {
			return true, err
		}
		chaos.Yield()
		w.told(w.events[:n])
		if n < len(w.events)-1 { // one less than the list holds, for Look leaves the event of Wake out
			return false, nil
		}
	}
	return true, nil
}

// told resumes the connections that events are about. An event of an earlier stay in a slot has another generation.
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

// fail resumes all connections: each has a goroutine from then on. It logs without mu: the log, which is the user's, may ask for figures.
func (w *waiter) fail(err error) {
	for _, t := range w.giveUp() {
		t.c.eng.say(slog.LevelError, "netreactor: parked connections can't be watched any more", "error", err)
	}
}

// giveUp resumes all connections that were watched, sees to it that none is any more, and returns them.
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
