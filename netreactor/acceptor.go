package netreactor

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/live"
)

// acceptor is the goroutine that accepts connections, reserves their places and deals them
// to the loops in turn.
type acceptor struct {
	eng    *engine
	source source
	make   func() *connection
	stopAt chan struct{} // closed by stop
	wake   chan struct{} // ends a pause: time is up, or a connection has gone, so there may be a descriptor; has room for one signal
	done   sync.WaitGroup

	accepted, closing, failures, pauses atomic.Uint64
	paused                              atomic.Bool
}

// source is where connections come from.
type source interface {
	addr() net.Addr
	// accept waits for the next connection. The goroutine of the acceptor.
	accept() (accepted, error)
	// close makes accept fail.
	close()
}

// accepted is a connection that the source has accepted and that was not started. The goroutine of the acceptor calls its methods.
type accepted interface {
	// client returns the peer's address, the zero one if it can't be told.
	client() netip.Addr
	// open makes it the socket of c, which is marked as queued then.
	open(c *connection)
	// start has the first pass made; c is registered with its loop.
	start()
	// refuse resets the connection, also after open.
	refuse()
}

// The pauses after an accept that failed: they double.
const (
	firstPause   = 10 * time.Millisecond
	longestPause = 640 * time.Millisecond
)

func newAcceptor(eng *engine, addr string, listener net.Listener, make func() *connection) (*acceptor, error) {
	a := &acceptor{eng: eng, make: make, stopAt: newSignal(), wake: newWake()}
	var err error
	if a.source, eng.driver, err = open(eng, addr, listener); err != nil {
		return nil, err
	}
	eng.freed = func() {
		if a.paused.Load() {
			a.signal()
		}
	}
	return a, nil
}

// signal ends a pause, or the next one. Any goroutine.
func (a *acceptor) signal() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func newWake() chan struct{} { return make(chan struct{}, 1) }

// open opens the listener, and the driver that goes with it.
func open(eng *engine, addr string, listener net.Listener) (source, driver, error) {
	s := eng.set
	epoll := s.engine == Epoll
	switch {
	case epoll && listener != nil:
		return nil, nil, illegal("UseEngine", "%v can't use a listener from elsewhere", s.engine)
	case epoll && s.tls != nil:
		return nil, nil, illegal("UseEngine", "%v can't do TLS", s.engine)
	case epoll && !haveEpoll:
		return nil, nil, illegal("UseEngine", "%v is for Linux on amd64 and arm64", s.engine)
	}
	foreign := listener != nil
	if !foreign {
		lc := net.ListenConfig{KeepAlive: -1}
		if s.reusePort {
			if setReusePort == nil {
				return nil, nil, illegal("ReusePort", "not on this system")
			}
			lc.Control = setReusePort
		}
		var err error
		if listener, err = lc.Listen(context.Background(), s.network, addr); err != nil {
			return nil, nil, err
		}
		if haveEpoll && s.tls == nil && s.engine != Net {
			return openEpoll(eng, listener)
		}
	}
	d := newNetDriver(s.parking, foreign)
	return &netSource{eng: eng, driver: d, listener: listener}, d, nil
}

func (a *acceptor) addr() net.Addr { return a.source.addr() }

func (a *acceptor) start() { a.done.Go(a.loop) }

// stop closes the source, and waits until the goroutine of the acceptor has ended.
func (a *acceptor) stop() {
	close(a.stopAt)
	a.source.close()
	a.done.Wait()
}

func (a *acceptor) loop() { a.acceptAll(firstPause) }

// acceptAll accepts until the end. After the next failure it pauses for as long as pause says.
func (a *acceptor) acceptAll(pause time.Duration) {
	ended := false
	defer func() {
		if !ended { // a panic in a listener or connection of others; or runtime.Goexit, after which this goroutine is lost
			err := failure.Recovered(recover())
			a.done.Go(func() {
				if a.failed(err, pause) {
					a.acceptAll(min(2*pause, longestPause))
				}
			})
		}
	}()
	labelled(a.eng, "acceptor")
	for {
		got, err := a.source.accept()
		switch {
		case err == nil:
			pause = firstPause
			a.take(got)
			continue
		case errors.Is(err, net.ErrClosed):
			a.closed()
			ended = true
			return
		case errors.Is(err, syscall.ECONNABORTED):
			continue // the peer had gone before
		}
		if !a.failed(err, pause) {
			ended = true
			return
		}
		pause = min(2*pause, longestPause)
	}
}

// failed counts a failure to accept, pauses, and reports false if the acceptor is to end.
func (a *acceptor) failed(err error, d time.Duration) bool {
	a.failures.Add(1)
	return a.pause(err, d)
}

// closed logs that the listener is closed, unless the server has done that: the open connections go on, and no
// more come.
func (a *acceptor) closed() {
	select {
	case <-a.stopAt:
	default:
		a.eng.say(slog.LevelError, "netreactor: somebody has closed the listener, no more connections are accepted")
	}
}

// pause waits, because of err, and reports false if the acceptor is to end.
func (a *acceptor) pause(err error, d time.Duration) bool {
	level := slog.LevelDebug
	if d == firstPause {
		level = slog.LevelWarn
	}
	a.eng.say(level, "netreactor: accepting is paused", "for", d, "error", err)
	a.pauses.Add(1)
	a.paused.Store(true)
	defer a.paused.Store(false)
	stop := live.After(d, a.signal)
	defer stop()
	select {
	case <-a.wake:
	case <-a.stopAt:
		return false
	}
	return true
}

// take starts a connection, if there is a place for it.
func (a *acceptor) take(got accepted) {
	e, client := a.eng, got.client()
	if !e.limits.reserve(client) {
		got.refuse()
		e.refusals.log(e, "a limit is reached", client)
		return
	}
	a.accepted.Add(1)
	added := false
	defer func() {
		if !added { // also if the connection is one of others, and a call of it has ended the goroutine
			defer got.refuse()
			e.limits.release(client)
		}
	}()
	l := e.nextLoop()
	c := a.make()
	l.prepare(c)
	got.open(c)
	if added = l.add(c); !added {
		a.closing.Add(1)
		return
	}
	got.start()
}

func (a *acceptor) stats() AcceptorStats {
	l := &a.eng.limits
	return AcceptorStats{
		Accepted: a.accepted.Load(), RejectedAll: l.overAll.Load(), RejectedIP: l.overClient.Load(), RejectedClose: a.closing.Load(),
		Errors: a.failures.Load(), Pauses: a.pauses.Load(), Paused: a.paused.Load(),
	}
}
