package netreactor

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/internal/timers"
)

// watch is what the expirer has to know of a connection. No clock is read to note a time:
// what happens between two ticks is noted with the time at which the second one is due, see expirer.now.
// Zero means never. The owner of the connection writes the times and the expirer reads them, but where the peer has acknowledged
// something, the expirer moves touched and stalled: see ask.
type watch struct {
	opened  int64        // when the expirer got the connection; immutable from then on
	touched atomic.Int64 // when bytes came or went last
	begun   atomic.Int64 // since when a message is incomplete
	stalled atomic.Int64 // since when the peer takes nothing of what waits to be written
	paused  atomic.Int64 // since when nobody asks for what may come

	acked    int64         // how many bytes the peer had acknowledged when arrives asked last, 0 if none was on its way; expirer.mu
	messages uint32        // the low bits of connection.delivered at the end of the last pass; of the owner of a full pass
	linger   atomic.Uint32 // 0, lingering, then lingered; written under expirer.mu
}

// What linger says of a socket that lingers.
const (
	lingering = iota + 1
	lingered  // for long enough
)

// touch notes that bytes have come. Owner of a full pass.
func (w *watch) touch(c *connection) { set(&w.touched, c.eng.expirer.now.Load()) }

// recently reports whether bytes came or went so short a time ago that more may be on their way. It may report true for too long.
func (w *watch) recently(c *connection) bool {
	return c.eng.expirer.elapsed()-w.touched.Load() < int64(lingerTime-tickSlack)
}

// set stores v unless it is there.
func set(at *atomic.Int64, v int64) {
	if at.Load() != v {
		at.Store(v)
	}
}

// wrote notes what became of a write, which has written something if progress. Owner of any pass.
func (w *watch) wrote(c *connection, progress bool) {
	now := c.eng.expirer.now.Load()
	if progress {
		set(&w.touched, now)
	}
	switch {
	case c.out.size == 0:
		set(&w.stalled, 0)
	case progress || w.stalled.Load() == 0:
		w.stalled.Store(now)
	}
}

// begin is called before the handler: nobody has asked for anything yet. Owner of a full pass.
func (w *watch) begin(c *connection) { w.paused.Store(c.eng.expirer.now.Load()) }

// note is called at the end of a full pass, by its owner: wants and paused are what the session reports.
func (w *watch) note(c *connection, wants, paused bool) {
	now := c.eng.expirer.now.Load()
	messages := uint32(c.delivered.Load())
	delivered := w.messages != messages
	w.messages = messages
	switch {
	case len(c.in.data) == 0 && !c.in.part || !wants:
		set(&w.begun, 0)
	case delivered || w.begun.Load() == 0:
		w.begun.Store(now)
	}
	switch {
	case !paused:
		set(&w.paused, 0)
	case delivered || w.paused.Load() == 0: // what was delivered had been asked for: the pause begins anew
		w.paused.Store(now)
	}
}

// due returns when the connection has to be looked at again, and the reason to end it if
// a time-out is over now, else reasonNone. The caller holds expirer.mu.
func (w *watch) due(c *connection, now int64) (at int64, why Reason) {
	s := c.eng.set
	at = math.MaxInt64
	look := func(since int64, limit time.Duration, reason Reason) {
		if since == 0 || limit == 0 {
			return
		}
		if end := timers.Later(c.eng.expirer.latest(since), limit); end < now {
			why = reason
		} else {
			at = min(at, timers.Later(end, 1))
		}
	}
	w.ask(c, now)
	// Within a full pass a handler may be at work for long on what has come. Whether a message is incomplete, and whether somebody
	// asks for more, is noted at the end of the pass only: until then these two say nothing.
	handled := c.maker() != 0
	if c.delivered.Load() == 0 && !handled {
		look(w.opened, s.firstFrame, ReasonFirstFrameTimeout)
	}
	look(w.touched.Load(), s.IdleTimeout, ReasonIdleTimeout)
	if !handled {
		look(w.begun.Load(), s.read, ReasonReadTimeout)
	}
	look(w.stalled.Load(), s.write, ReasonWriteTimeout)
	if !handled && !c.eng.draining.Load() { // a server that drains is no pause; the next pass notes that
		look(w.paused.Load(), s.pausing, ReasonPausedTimeout)
	}
	// What has not begun now may begin right after.
	return min(at, timers.Later(now, s.shortest/2)), why
}

// ask asks the kernel whether the peer takes what is in the kernel's buffer, where that matters: writing seems to stand still, or the
// connection seems to be idle for too long. The owner would not hear of it before the buffer has room again, which may be megabytes
// later. The caller holds expirer.mu.
func (w *watch) ask(c *connection, now int64) {
	s, e := c.eng.set, &c.eng.expirer
	touched, stalled := w.touched.Load(), w.stalled.Load()
	idle := s.IdleTimeout > 0 && timers.Later(e.latest(touched), s.IdleTimeout) < now
	if !idle && (stalled == 0 || s.write == 0) || !w.arrives(c) {
		return
	}
	noted := e.now.Load() // nobody knows when the peer has taken it
	w.touched.CompareAndSwap(touched, noted)
	if stalled != 0 {
		w.stalled.CompareAndSwap(stalled, noted)
	}
}

// arrives reports whether the peer has acknowledged something since arrives was called last. The caller holds expirer.mu.
func (w *watch) arrives(c *connection) bool {
	left, ok := c.tr.unacked()
	if !ok || left == 0 && w.acked == 0 {
		return false // nothing was on its way
	}
	before, now := w.acked, int64(c.bytesOut.Load())-int64(left)
	if w.acked = now; left == 0 {
		w.acked = 0
	}
	return now != before
}

// expirer closes connections that take too long. It looks at each one when its time may
// have come; in between a connection costs nothing. A time-out comes up to half of the
// shortest one that is set, and two ticks, too late, never too early.
type expirer struct {
	eng   *engine
	tick  time.Duration
	clock timers.Clock
	start time.Time
	// now is what is noted of what happens now: when the next tick is due, and a little more,
	// in nanoseconds since start. It is never 0, and moves at ticks while there are
	// connections.
	now atomic.Int64

	mu    sync.Mutex
	late  [32]lateTick // the last ticks that came after the time in now; mu
	lates int          // how many such ticks there were; mu
	queue timers.Queue // of connection.expiry; mu
	n     int          // connections, also those without time-outs and those that linger; mu
	alarm timers.Alarm // for the next tick; mu

	lingering int // how many connections are in queue because their socket lingers; mu
}

// lateTick is a tick that came late, because the machine was busy: what was noted with the time noted may have happened
// as late as came.
type lateTick struct{ noted, came int64 }

// The length of a tick.
const (
	shortTick = 10 * time.Millisecond // with time-outs, at least
	longTick  = time.Second           // with time-outs, at most
	// noTick is the length where there are no time-outs.
	noTick = time.Minute
	// tickSlack is how late a tick may come without being noted as late.
	tickSlack = shortTick / 2
)

func (e *expirer) init(eng *engine) {
	e.eng, e.clock, e.start = eng, timers.System{}, time.Now().Add(-1)
	e.tick = noTick
	if s := eng.set.shortest; s > 0 {
		e.tick = min(longTick, max(shortTick, s/8))
	}
	e.now.Store(1)
}

func (e *expirer) elapsed() int64 { return int64(time.Since(e.start)) }

// advance is called at a tick, at now, and by the first connection: it moves the time that is noted to the tick after now. The caller
// holds mu.
func (e *expirer) advance(now int64) {
	noted := e.now.Swap(now + e.ahead())
	// Whatever was noted with that time has happened by now.
	if came := e.elapsed(); noted < came && e.n > 0 {
		e.late[e.lates%len(e.late)] = lateTick{noted, came}
		e.lates++
	}
}

// ahead is by how much a time that is noted may be later than what it was noted for.
func (e *expirer) ahead() int64 { return int64(e.tick + tickSlack) }

// latest returns the time until which everything has happened that was noted with the time since. The caller holds mu.
func (e *expirer) latest(since int64) int64 {
	for i := range min(e.lates, len(e.late)) {
		if e.late[i].noted == since {
			return e.late[i].came
		}
	}
	return since
}

// add watches over c. It is called before the first pass.
func (e *expirer) add(c *connection) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.n == 0 {
		e.advance(e.elapsed())
		e.set()
	}
	e.n++
	now := e.now.Load()
	c.watch.opened = now
	c.watch.touched.Store(now)
	if c.eng.set.shortest > 0 {
		c.expiry.Due, _ = c.watch.due(c, now)
		e.queue.Push(&c.expiry, e.elapsed())
	}
}

// lingerTime is how long a socket may linger.
const lingerTime = 500 * time.Millisecond

// linger watches over c for lingerTime, and no longer over its time-outs: c has ended, and its socket lingers. Owner of a full pass.
func (e *expirer) linger(c *connection) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n, now := &c.expiry, e.elapsed()
	if n.Waits() {
		e.queue.Remove(n)
	}
	c.watch.linger.Store(lingering)
	n.Due = now + int64(lingerTime)
	e.queue.Push(n, now)
	e.lingering++
	e.set()
}

// remove ends the watch over c, whose socket is closed.
func (e *expirer) remove(c *connection) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c.expiry.Waits() {
		e.queue.Remove(&c.expiry)
		if c.watch.linger.Load() == lingering {
			e.lingering--
		}
	}
	if e.n--; e.n == 0 {
		e.alarm.Stop()
	}
}

// set sets the alarm for the next tick, or for a socket that lingers. The caller holds mu.
func (e *expirer) set() {
	now, d := e.elapsed(), e.tick
	if e.lingering > 0 {
		d = min(d, max(shortTick, time.Duration(e.queue.WakeAt()-now)))
	}
	if at := now + int64(d); !e.alarm.SetBefore(at) {
		e.alarm.Set(e.clock, at, d, e.ring)
	}
}

// ring is the tick, on a goroutine of the clock.
func (e *expirer) ring() {
	var late []*connection
	var reasons []Reason
	e.mu.Lock()
	e.alarm.Stop()
	if e.n == 0 {
		e.mu.Unlock()
		return
	}
	now := e.elapsed()
	e.advance(now)
	for n := e.queue.Overdue(now); n != nil; n = e.queue.Overdue(now) {
		c := timers.Owner[connection](n)
		e.queue.Remove(n)
		if c.watch.linger.Load() == lingering {
			e.lingering--
			c.watch.linger.Store(lingered)
			late, reasons = append(late, c), append(reasons, reasonNone)
			continue
		}
		at, why := c.watch.due(c, now)
		if why != reasonNone {
			late, reasons = append(late, c), append(reasons, why)
		}
		n.Due = max(at, now+int64(e.tick))
		e.queue.Push(n, now)
	}
	e.set()
	e.mu.Unlock()
	for i, c := range late {
		switch {
		case reasons[i] == reasonNone:
			c.look()
		case c.abort.Load() == nil:
			c.end(reasons[i], nil, true)
		}
	}
}
