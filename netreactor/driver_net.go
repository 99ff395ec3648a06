package netreactor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/live"
)

// netDriver is the portable driver, on package net. Each connection has a goroutine, which
// makes the full passes and reads in between, but only while there is
// demand. From a plain socket the goroutine reads with a buffer that it borrows when bytes are there, not
// while it waits for them. Where nothing happens for a while, and the system can tell when
// something does, the goroutine ends and the connection is parked.
type netDriver struct {
	parking *parking
	opening chan *netTransport // to an opener that waits; this and the next three are unused for connections that were dialled
	stopped chan struct{}      // closed by stop
	idle    atomic.Int32       // openers that wait
	done    sync.WaitGroup     // openers
}

// idleOpeners is how many openers wait for connections: one is enough, for connections come one after the other.
const idleOpeners = 1

// newNetDriver returns a driver whose connections are parked in p or, if p is nil, in a parking of its own. foreign says that
// somebody else may close their sockets.
func newNetDriver(p *parking, foreign bool) *netDriver {
	if p == nil {
		p = newParking(parkTick, parkCrowd)
	}
	p.foreign = foreign
	return &netDriver{parking: p, opening: make(chan *netTransport), stopped: newSignal()}
}

func (*netDriver) name() Engine { return Net }

func (d *netDriver) stats(st *Stats) { st.Parked = d.parking.count() }

func (d *netDriver) stop() {
	close(d.stopped)
	d.done.Wait()
	d.parking.stop()
}

// open has the first pass of a connection made. It is called by the acceptor.
func (d *netDriver) open(t *netTransport) {
	select {
	case d.opening <- t:
	default:
		d.done.Add(1)
		go d.opener(t)
	}
}

// opener is a goroutine that makes first passes. To subscribe takes a large stack, to wait for
// bytes does not, and stacks hardly ever shrink: another goroutine waits for the bytes of t, and the opener goes on
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
	raw  rawConn               // of a plain socket; none with TLS, and with connections of others
	wake atomic.Pointer[waker] // made when the goroutine of the connection waits for a pass for the first time
	gone atomic.Bool           // the socket is closed: the goroutine of the connection has ended, or is about to
	mode atomic.Uint32         // what that goroutine does: modeBusy and the others
	late atomic.Bool           // the call of tell takes longer than farewell

	// Of the goroutine of the connection, but for the last two.
	wants  bool // bytes are wanted, as arm was told last
	ready  bool // the handshake of TLS was begun, or Dial has made it; never set without TLS
	fresh  bool // no pass was made yet
	spoilt bool // a read or a write has failed; of the owner of any pass
	unsaid bool // the peer could not be told that this was all; of the owner of a full pass

	from   netip.Addr // the address that limits per client count by; immutable: what a connection of others says of its peer may change
	parks  bool       // the connection can be parked; immutable
	parked bool       // the connection is parked, or was resumed and its goroutine has not called wake of parking yet; parking.mu
	place  int32      // above 0: 1 more than its index in awake of parking; below: its slot, see watchedAt; 0: neither; parking.mu

	wrote atomic.Pointer[lentWrite] // what has become of the write of lend, until resume takes it; or nil
}

// What the goroutine of a connection does. The goroutine itself writes its mode, but for three steps: a tick of parking takes it
// from reading or waiting to leaving, an interruption from shaking to leaving, and whoever resumes the connection takes it from
// parked to busy and starts another goroutine.
const (
	modeBusy    = iota
	modeReading // it waits for bytes, or is about to
	modeWaiting // it waits for a pass, or is about to: nobody wants bytes
	modeShaking // TLS shakes hands
	modeHushing // TLS tells the peer that nothing more comes, after CloseWrite
	modeParting // likewise, at the end of the connection
	modeLeaving // it reads, waits or shakes hands, and was asked to leave that
	modeParked  // there is no goroutine
)

// waker is what the goroutine of a connection waits on until a pass is submitted. It has room for one signal.
type waker struct{ signal chan struct{} }

// lentWrite is what has become of a write that lend has begun.
type lentWrite struct {
	n   int64
	err error
}

// newNetTransport makes conn the socket of c, whose first pass is due.
func newNetTransport(c *connection, conn net.Conn) *netTransport {
	t := &netTransport{c: c, conn: conn, fresh: true}
	t.raw.init(conn)
	t.parks = canPark && socketOf(conn) != nil && !c.eng.set.renegotiates()
	c.tr = t
	c.state.Store(queued)
	return t
}

// loop is the goroutine of the connection.
func (t *netTransport) loop() {
	done := false
	defer func() {
		if !done { // runtime.Goexit in user code: this goroutine is lost, another one goes on
			go t.loop()
		}
	}()
	c := t.c
	pprof.SetGoroutineLabels(c.eng.labels)
	t.handshake()
	if !t.fresh {
		t.parking().wake(t)
	}
	for leave := false; ; {
		var work uint64
		mine := false
		if c.state.Load() != 0 {
			work, mine = c.own(0)
		}
		switch {
		case mine:
			leave = false
			c.run(nil, work)
			if t.fresh {
				t.fresh = false
				if !t.parkNew() {
					go t.loop()
				}
				done = true
				return
			}
		case t.gone.Load():
			done = true
			t.parking().leave(t)
			return
		case leave:
			if leave = false; t.park() {
				done = true
				return
			}
		case t.wants:
			t.mode.Store(modeReading)
			chaos.Yield()
			if c.state.Load() == 0 { // whoever submits a pass from here on sees modeReading, and interrupts
				leave = t.read()
			} else {
				t.mode.Store(modeBusy)
				runtime.Gosched() // somebody makes a light pass, or has submitted a full one
			}
		default:
			t.mode.Store(modeWaiting)
			chaos.Yield()
			t.wait()
			leave = t.mode.Swap(modeBusy) == modeLeaving
		}
	}
}

func (t *netTransport) parking() *parking { return t.c.eng.driver.(*netDriver).parking }

// happened returns a number that changes when something has come or was delivered. Any goroutine.
func (t *netTransport) happened() uint64 { return t.c.bytesIn.Load() + t.c.delivered.Load() }

// askToPark asks the goroutine of the connection to park it and end, if it waits for bytes or for a pass. It is called by a tick of parking.
func (t *netTransport) askToPark() {
	switch {
	case t.mode.CompareAndSwap(modeReading, modeLeaving):
		chaos.Yield()
		t.interrupt()
	case t.mode.CompareAndSwap(modeWaiting, modeLeaving):
		chaos.Yield()
		if w := t.wake.Load(); w != nil {
			w.wake()
		}
	}
}

// park parks the connection, and reports whether its goroutine, which is the caller, has to end: if not, something has happened
// meanwhile, or the connection can't be watched now. The caller has read all there was, as far as the connection
// wants any.
func (t *netTransport) park() bool {
	if !t.parking().park(t) {
		return false
	}
	chaos.Yield()
	if t.c.state.Load()&queued != 0 && t.mode.CompareAndSwap(modeParked, modeBusy) {
		t.parking().wake(t) // whoever has submitted a pass may not have seen that the connection is parked
		return false
	}
	return true
}

// parkNew is park right after the first pass, where there are many connections to which nothing has come yet.
func (t *netTransport) parkNew() bool {
	if !t.parks || t.gone.Load() || !t.parking().isCrowded() {
		return false
	}
	if t.wants && !t.raw.ok() {
		// TLS may have read more than the handshake: what it has is taken without a wait.
		t.interrupt()
		t.mode.Store(modeLeaving)
		if !t.read() || t.gone.Load() {
			return false
		}
	}
	return t.park()
}

// unpark gives the connection a goroutine if it is parked, and reports whether it was. Any goroutine.
func (t *netTransport) unpark() bool {
	if !t.mode.CompareAndSwap(modeParked, modeBusy) {
		return false
	}
	go t.loop()
	return true
}

// handshake has TLS shake hands, before the handler is called, on the goroutine that makes the first pass. The config may have functions
// of the user's, which count as the handler: a shutdown that one of them begins does not wait.
func (t *netTransport) handshake() {
	conn, ok := t.conn.(*tls.Conn)
	if !ok || t.ready {
		return
	}
	t.ready = true
	if conn.ConnectionState().HandshakeComplete {
		return // Dial has done it: the mode stays busy, for an interruption now is not one of a handshake
	}
	t.mode.Store(modeShaking)
	chaos.Yield()
	t.c.state.Or(token()) // the connection is queued, so nobody else makes a pass
	clean := false
	defer func() {
		t.c.state.And(bits)
		t.mode.Store(modeBusy)
		if !clean {
			t.c.started = true
			t.c.fail(ReasonHandshakeFailed, failure.Recovered(recover()))
		}
	}()
	ctx, cancel := context.Context(t.c.context()), func() {}
	if d := t.c.eng.set.firstFrame; d > 0 {
		ctx, cancel = context.WithTimeout(ctx, d)
	}
	defer cancel()
	err := conn.HandshakeContext(ctx)
	clean = true
	if !t.mode.CompareAndSwap(modeShaking, modeBusy) && err == nil {
		err = os.ErrDeadlineExceeded // it was interrupted at its very end, and nothing can be written any more
	}
	if err != nil {
		t.c.started = true // the handler has nothing to do with this
		if t.c.eng.draining.Load() {
			t.c.fail(ReasonShutdown, nil)
			return
		}
		t.c.fail(ReasonHandshakeFailed, err)
	}
}

// read waits for bytes, and makes a pass with what has come. It reports whether the goroutine of the connection, which is the caller,
// was asked to leave and nothing has come: then TLS has nothing left, either.
func (t *netTransport) read() (leave bool) {
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
		n, err = t.readInto(space)
	}
	asked := t.mode.Swap(modeBusy) == modeLeaving
	if chunk != nil {
		defer giveBuffer(chunk) // at the end of the pass the connection has nothing left in it: see keep
	}
	if n == 0 && isTimeout(err) {
		// An interruption. What it was about was noted in state before: the pass below sees that. TLS has
		// decrypted all that it has, but for a part of a record: it can go on only when bytes come.
		if err = t.uninterrupt(); err == nil {
			n, leave = -1, asked
		}
	}
	work, ok := c.own(workRead)
	for !ok {
		t.wait() // somebody makes a light pass, and submits a full one at its end
		work, ok = c.own(workRead)
	}
	if err != nil && t.wasReset(err) {
		err = syscall.ECONNRESET
	}
	t.spoilt = t.spoilt || err != nil && !errors.Is(err, io.EOF)
	if n >= 0 {
		c.received(chunk[:cap(chunk)], n, err)
	}
	c.run(nil, work)
	return leave
}

// wasReset reports whether err, the end of what comes, is in truth a reset, of which the kernel has told a goroutine that writes. Owner
// of a full pass.
func (t *netTransport) wasReset(err error) bool {
	c := t.c
	if c.closed || err != io.EOF && err != io.ErrUnexpectedEOF {
		return false
	}
	if err == io.ErrUnexpectedEOF { // by TLS: the peer has not said that this is all
		return t.ask(isDead)
	}
	if _, secure := t.conn.(*tls.Conn); secure {
		// By TLS a peer may have said that this is all, and have reset the connection then: that is an end, unless there is more to write.
		return (t.unsaid || c.out.chunks != nil && c.out.lent > 0) && t.ask(isDead)
	}
	return !c.out.over && t.ask(isDead) // a socket that both sides have closed is dead as well
}

// readInto waits for bytes and reads them. The connection may be one of others, and TLS may call functions of the user's: a panic or a
// Goexit of these is a failure to read. The goroutine of the connection.
func (t *netTransport) readInto(space []byte) (n int, err error) {
	returned := false
	defer func() {
		if !returned {
			err = failure.Recovered(recover())
			t.mode.Store(modeBusy)
			t.c.end(ReasonReadFailed, err, true) // after a Goexit the caller gets no err: the goroutine that goes on finds this
		}
	}()
	n, err = t.conn.Read(space)
	if n < 0 || n > len(space) { // by one of others
		n, err = 0, fmt.Errorf("netreactor: the %T has read %d bytes into %d", t.conn, n, len(space))
	}
	returned = true
	return n, err
}

// smallRead is the size of a buffer that is held while nothing comes.
const smallRead = 4 << 10

// wait waits until a pass is submitted, or was since the last wait. It may return too early. The goroutine of the connection.
func (t *netTransport) wait() {
	w := t.wake.Load()
	if w == nil {
		w = &waker{newWake()}
		t.wake.Store(w)
		chaos.Yield()
		if t.c.state.Load()&queued != 0 || t.mode.Load() == modeLeaving {
			return // who has submitted a pass, or asked to leave, may not have seen w
		}
	}
	<-w.signal
}

// wake ends a wait, or the next one.
func (w *waker) wake() {
	select {
	case w.signal <- struct{}{}:
	default:
	}
}

func (t *netTransport) submit() {
	if w := t.wake.Load(); w != nil {
		w.wake()
	}
	chaos.Yield()
	switch t.mode.Load() {
	case modeReading, modeLeaving:
		t.interrupt()
	case modeParked:
		t.unpark()
	}
	if t.gone.Load() {
		// For who enters the connection after its end, as a late subscriber does.
		go func() {
			if work, ok := t.c.own(0); ok {
				t.c.run(nil, work)
			}
		}()
	}
}

func (t *netTransport) noted(uint64) {}

func (t *netTransport) pulls() bool { return false }

func (t *netTransport) pull(*runner) bool { return false }

func (t *netTransport) arm(wants bool) { t.wants = wants }

// interrupt ends the wait for bytes. TLS may have a goroutine that reads wait until it can write: where nothing that is written
// is of use any more, writing ends as well. Any goroutine.
func (t *netTransport) interrupt() {
	if t.isForeign() {
		t.c.eng.foreign(t.interrupted)
		return
	}
	t.interrupted()
}

// isForeign reports whether the connection is one of others, of which any method may panic or end the goroutine.
func (t *netTransport) isForeign() bool { return !t.raw.ok() && socketOf(t.conn) == nil }

// interrupted is interrupt, on a goroutine that a connection of others may end.
func (t *netTransport) interrupted() {
	if t.late.Load() || t.c.eng.cuts() == nil {
		t.hasten()
	}
	if !t.raw.ok() && t.isOver() {
		t.conn.SetWriteDeadline(longAgo)
	}
	t.conn.SetReadDeadline(longAgo)
}

// uninterrupt has the next read wait again. The goroutine of the connection.
func (t *netTransport) uninterrupt() error {
	if t.isForeign() {
		return t.c.eng.foreign(func() { t.conn.SetReadDeadline(time.Time{}) })
	}
	t.conn.SetReadDeadline(time.Time{})
	return nil
}

var longAgo = time.Unix(1, 0)

// isOver reports whether the goroutine of the connection reads or shakes hands, and nothing that is written is of use any more: a
// handshake that is interrupted has failed, and when a connection is aborted, or a server waits no longer, all that waits is dropped.
func (t *netTransport) isOver() bool {
	switch t.mode.Load() {
	case modeShaking:
		return t.mode.CompareAndSwap(modeShaking, modeLeaving)
	case modeReading, modeLeaving:
		return t.c.abort.Load() != nil || t.c.eng.cuts() != nil
	}
	return false
}

// tell calls how, which tells the peer that nothing more comes. Over TLS that call waits up to five seconds for a peer that takes
// nothing; tell cuts it short when the server no longer waits for peers. Owner of a full pass.
func (t *netTransport) tell(how func() error) error {
	if _, secure := t.conn.(*tls.Conn); !secure {
		return how()
	}
	mode := uint32(modeHushing)
	if t.c.closed {
		mode = modeParting
	}
	t.late.Store(false)
	t.mode.Store(mode)
	defer t.mode.Store(modeBusy)
	chaos.Yield()
	defer live.After(farewell, func() {
		t.late.Store(true)
		chaos.Yield()
		t.interrupt()
	})()
	return how()
}

// farewell is how long the message that TLS sends at the end may take when the server no longer waits for peers.
const farewell = 50 * time.Millisecond

// hasten cuts the call of tell short if the server, or the user by Abort, no longer waits. It is called, on any goroutine, when that
// call has taken a while, and when the connection is interrupted.
func (t *netTransport) hasten() {
	mode := t.mode.Load()
	if mode != modeHushing && mode != modeParting || t.c.eng.cuts() == nil && (mode == modeParting || t.c.abort.Load() == nil) {
		return // while the mode is modeParting, abort is set in any case
	}
	t.fallSilent()
}

// fallSilent closes the socket below TLS, as would be done right after the call of tell: a write deadline would not end that call, for TLS
// sets its own. An Abort is a reset.
func (t *netTransport) fallSilent() {
	if why := t.c.abort.Load(); why != nil && why.Reason == ReasonClosed && t.mode.Load() == modeHushing {
		reset(t.conn)
		return
	}
	below(t.conn).Close()
}

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

// How many bytes lend has written at most, so that it is seen how a slow peer gets on: with TLS one record; with a
// plain socket fewer than the kernel takes at once when it takes any, and then try of rawConn writes the rest.
const (
	lentRecord = 16 << 10
	lentRaw    = 4 << 10
)

// lend has the first bytes of out written by another goroutine, which may wait, and which enters workWrite at its end. Owner.
func (t *netTransport) lend(out *output) {
	limit, to := lentRecord, io.Writer(t.conn)
	switch {
	case t.raw.ok():
		limit = lentRaw
	case t.isForeign():
		to = foreignWriter{t.conn}
	}
	pieces := out.pieces(limit)
	out.lent = len(pieces)
	t.c.eng.live.Add(1)
	go func() {
		defer t.c.eng.live.Done()
		done, returned := new(lentWrite), false
		defer func() {
			if !returned { // the connection is one of others
				done.err = failure.Recovered(recover())
			}
			t.wrote.Store(done)
			t.c.enter(workWrite)
		}()
		done.n, done.err = pieces.WriteTo(to)
		returned = true
	}()
}

// foreignWriter writes to a connection that a listener from elsewhere has made. Such a connection may report that it has written more
// than it was given, or less without an error; to go on behind the gap would corrupt the stream.
type foreignWriter struct{ net.Conn }

// Write implements io.Writer.
func (w foreignWriter) Write(b []byte) (int, error) {
	n, err := w.Conn.Write(b)
	switch {
	case n < 0 || n > len(b):
		return 0, fmt.Errorf("netreactor: the %T has written %d bytes of %d", w.Conn, n, len(b))
	case n < len(b) && err == nil:
		err = io.ErrShortWrite
	}
	return n, err
}

func (t *netTransport) resume(out *output) (blocked bool, err error) {
	done := t.wrote.Swap(nil)
	if done == nil {
		return true, nil
	}
	out.lent = 0
	out.wrote(int(done.n))
	if done.err != nil {
		t.spoilt = true
		return false, done.err
	}
	if out.size > 0 {
		return t.write(out)
	}
	return false, nil
}

func (t *netTransport) broken() error { return nil } // never asked: nobody is told that the peer has closed

func (t *netTransport) unread() bool { return !t.wants } // as long as no bytes are wanted nobody looks whether some have come

// halfCloser is a connection that can be closed on one side.
type halfCloser interface{ CloseWrite() error }

func (t *netTransport) finishes() bool {
	_, ok := t.conn.(halfCloser)
	return ok
}

func (t *netTransport) finish() bool {
	conn, ok := t.conn.(halfCloser)
	if !ok {
		return false
	}
	returned := false
	defer func() {
		if !returned { // the connection is one of others, and nobody knows how far the call has got
			t.shut(true)
		}
	}()
	err := t.tell(conn.CloseWrite)
	returned = true
	if t.unsaid = err != nil; t.unsaid && isTimeout(err) {
		t.c.end(ReasonWriteFailed, err, true) // the peer takes nothing, and would wait for ever for what it can't be told again
	}
	return err == nil
}

func (t *netTransport) shut(hard bool) {
	defer t.gone.Store(true) // also if the connection is one of others, and Close ends the goroutine
	switch {
	case hard: // always so where something is being written
		reset(t.conn)
	case t.spoilt:
		below(t.conn).Close() // TLS would wait until it can say that this was all
	default:
		_ = t.tell(t.conn.Close)
	}
}

func (t *netTransport) unacked() (n int, ok bool) {
	socket, ok := socketOf(t.conn).(syscall.Conn)
	if !ok {
		return 0, false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, false
	}
	ok = false
	raw.Control(func(fd uintptr) { n, ok = unacked(fd) }) // not called if the socket is closed
	return n, ok
}

func (t *netTransport) losing() bool { return t.ask(losing) }

// ask returns what question returns for the descriptor, or false if the socket is not one of TCP, or closed.
func (t *netTransport) ask(question func(fd uintptr) bool) (is bool) {
	if socket, ok := socketOf(t.conn).(*net.TCPConn); ok {
		if raw, err := socket.SyscallConn(); err == nil {
			raw.Control(func(fd uintptr) { is = question(fd) }) // not called if the socket is closed
		}
	}
	return is
}

// hurry leaves connections of others alone, which may have no deadlines.
func (t *netTransport) hurry() bool {
	if t.c.out.chunks == nil || t.c.out.lent == 0 || socketOf(t.conn) == nil {
		return false
	}
	t.conn.SetWriteDeadline(longAgo)
	return true
}

func (t *netTransport) client() netip.Addr   { return t.from }
func (t *netTransport) localAddr() net.Addr  { return t.conn.LocalAddr() }
func (t *netTransport) remoteAddr() net.Addr { return t.conn.RemoteAddr() }
