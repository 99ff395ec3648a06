package netreactor

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/internal/chaos"
)

// netDriver is the portable driver: a goroutine for each connection, on package net. It
// makes the full passes of its connection and reads in between, but only while there is
// demand. With a descriptor that can be asked it borrows a buffer when bytes are there, not
// while it waits for them.
type netDriver struct {
	opening chan *netTransport // to an opener that waits; nil for a connection that was dialled
	stopped chan struct{}      // closed by stop
	idle    atomic.Int32       // openers that wait
	done    sync.WaitGroup     // openers
}

// idleOpeners is how many openers wait for connections. Those come one after the other.
const idleOpeners = 1

func newNetDriver() *netDriver {
	return &netDriver{opening: make(chan *netTransport), stopped: newSignal()}
}

func (*netDriver) name() Engine { return Net }
func (*netDriver) stats(*Stats) {}

func (d *netDriver) stop() {
	close(d.stopped)
	d.done.Wait()
}

// open has the first pass of a connection made.
func (d *netDriver) open(t *netTransport) {
	select {
	case d.opening <- t:
	default:
		d.done.Add(1)
		go d.opener(t)
	}
}

// opener is the goroutine that makes first passes. To subscribe takes a large stack, to wait for
// bytes does not, and stacks hardly ever shrink: another goroutine waits, and this one goes on
// with the next connection.
func (d *netDriver) opener(t *netTransport) {
	defer d.done.Done()
	for {
		t.loop()
		if d.idle.Add(1) > idleOpeners {
			d.idle.Add(-1)
			return
		}
		select {
		case t = <-d.opening:
			d.idle.Add(-1)
		case <-d.stopped:
			return
		}
	}
}

// netTransport is the socket of a connection of the portable driver.
type netTransport struct {
	c    *connection
	conn net.Conn
	raw  rawConn               // none with TLS
	wake atomic.Pointer[waker] // made when the goroutine of the connection waits for the first time
	gone atomic.Bool           // the goroutine of the connection has ended, or is about to

	reading atomic.Bool // the goroutine of the connection waits for bytes, or is about to

	// The goroutine of the connection.
	wants bool
	ready bool // TLS has shaken hands, or there is none
	fresh bool // there was no pass yet

	wrote atomic.Pointer[lentWrite] // by a writer that has ended, or nil
}

// waker ends a wait. It has room for one signal.
type waker struct{ signal chan struct{} }

// lentWrite is what has become of a write of a goroutine that may wait.
type lentWrite struct {
	n   int64
	err error
}

// newNetTransport makes conn the socket of c, whose first pass is due.
func newNetTransport(c *connection, conn net.Conn) *netTransport {
	t := &netTransport{c: c, conn: conn, fresh: true}
	t.raw.init(conn)
	c.tr = t
	c.state.Store(queued)
	return t
}

// loop is the goroutine of the connection.
func (t *netTransport) loop() {
	done := false
	defer func() {
		if !done { // runtime.Goexit in user code: this goroutine is lost
			go t.loop()
		}
	}()
	c := t.c
	pprof.SetGoroutineLabels(c.eng.labels)
	t.handshake()
	for {
		switch {
		case c.state.Load() != 0 && c.own(0):
			c.run(nil)
			if t.fresh {
				t.fresh, done = false, true
				go t.loop()
				return
			}
		case t.gone.Load():
			done = true
			return
		case t.wants:
			t.reading.Store(true)
			chaos.Yield()
			if c.state.Load() == 0 { // who comes later sees that it reads
				t.read()
			} else {
				runtime.Gosched() // somebody writes
			}
			t.reading.Store(false)
		default:
			t.wait()
		}
	}
}

// handshake is the one of TLS, before the handler is called.
func (t *netTransport) handshake() {
	conn, ok := t.conn.(*tls.Conn)
	if !ok || t.ready {
		return
	}
	t.ready = true
	ctx, cancel := context.Context(t.c.context()), func() {}
	if d := t.c.eng.set.firstFrame; d > 0 {
		ctx, cancel = context.WithTimeout(ctx, d)
	}
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		t.c.started = true // the handler has nothing to do with this
		if t.c.eng.draining.Load() {
			t.c.fail(ReasonShutdown, nil)
			return
		}
		t.c.fail(ReasonHandshakeFailed, err)
	}
}

// read waits for what comes, and makes a pass with it.
func (t *netTransport) read() {
	c := t.c
	var n int
	var err error
	var chunk []byte
	space := c.space()
	if t.raw.ok() {
		chunk, n, err = t.raw.await(space, c.eng.set.ReadChunk)
	} else {
		if space == nil {
			chunk = takeBuffer(min(smallRead, c.eng.set.ReadChunk))
			space = chunk[:cap(chunk)]
		}
		n, err = t.conn.Read(space)
	}
	t.reading.Store(false)
	if chunk != nil {
		defer giveBuffer(chunk) // a pass leaves nothing in it
	}
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		// An interruption. What it was about was noted before: it is seen below.
		t.conn.SetReadDeadline(time.Time{})
		n, err = -1, nil
	}
	for !c.own(workRead) {
		t.wait() // somebody writes, and has a pass submitted after that
	}
	if n >= 0 {
		c.received(chunk[:cap(chunk)], n, err)
	}
	c.run(nil)
}

// smallRead is the size of a buffer that is held while nothing comes.
const smallRead = 4 << 10

// wait waits until a pass is submitted, or was. The goroutine of the connection.
func (t *netTransport) wait() {
	w := t.wake.Load()
	if w == nil {
		w = &waker{newWake()}
		t.wake.Store(w)
		chaos.Yield()
		if t.c.state.Load()&queued != 0 {
			return // by somebody who may not have seen it
		}
	}
	<-w.signal
}

func (t *netTransport) submit() {
	if w := t.wake.Load(); w != nil {
		select {
		case w.signal <- struct{}{}:
		default:
		}
	}
	chaos.Yield()
	if t.reading.Load() {
		t.interrupt()
	}
	if t.gone.Load() {
		// For who comes after the end: a late subscriber, say.
		go func() {
			if t.c.own(0) {
				t.c.run(nil)
			}
		}()
	}
}

func (t *netTransport) noted(uint32) {}

func (t *netTransport) pull(*runner) bool { return false }

func (t *netTransport) arm(wants bool) { t.wants = wants }

func (t *netTransport) interrupt() { t.conn.SetReadDeadline(time.Unix(1, 0)) }

func (t *netTransport) write(out *output) (blocked bool, err error) {
	if t.raw.ok() {
		for out.size > 0 {
			b := out.first()
			n, again, err := t.raw.try(b)
			out.wrote(n)
			if err != nil {
				return false, err
			}
			if again {
				break
			}
		}
		if out.size == 0 {
			return false, nil
		}
	}
	t.lend(out)
	return true, nil
}

// lend has all there is written by a goroutine that may wait.
func (t *netTransport) lend(out *output) {
	pieces := out.pieces()
	out.lent = len(out.list)
	t.c.eng.live.Add(1)
	go func() {
		defer t.c.eng.live.Done()
		n, err := pieces.WriteTo(t.conn)
		t.wrote.Store(&lentWrite{n, err})
		t.c.enter(workWrite)
	}()
}

func (t *netTransport) resume(out *output) (blocked bool, err error) {
	done := t.wrote.Swap(nil)
	if done == nil {
		return true, nil
	}
	out.lent = 0
	out.wrote(int(done.n))
	if done.err != nil {
		return false, done.err
	}
	if out.size > 0 {
		return t.write(out)
	}
	return false, nil
}

func (t *netTransport) finish() bool {
	conn, ok := t.conn.(interface{ CloseWrite() error })
	return ok && conn.CloseWrite() == nil
}

func (t *netTransport) shut(hard bool) {
	if tcp, ok := t.conn.(interface{ SetLinger(int) error }); ok && hard {
		tcp.SetLinger(0)
	}
	t.conn.Close()
	t.gone.Store(true)
}

func (t *netTransport) client() netip.Addr   { return clientOf(t.conn) }
func (t *netTransport) localAddr() net.Addr  { return t.conn.LocalAddr() }
func (t *netTransport) remoteAddr() net.Addr { return t.conn.RemoteAddr() }
