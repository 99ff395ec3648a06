package netreactor

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/timers"
)

// connection is the state machine of one connection, without the types of its messages. There
// may be very many: fields are in an order that leaves few gaps, and what an idle connection
// does not need is borrowed from pools, or shared.
//
// Everything that happens to a connection enters it: an event of the socket, a request of the
// subscriber, something to send, a close, a time-out. To enter notes the work in state and
// starts a pass, unless somebody owns the connection or it is queued for a pass already. One
// goroutine at a time makes a pass: the owner. There are two kinds of passes. The full pass
// reads, decodes, delivers, encodes, writes and closes; it is made where code of the user may
// run, by a selector, a worker or the connection's own goroutine. The light pass only writes
// what others have put into the inbox, and is made by the goroutine that put it there.
type connection struct {
	expiry timers.Node // in the queue of the expirer; the first field, see timers.Owner; expirer.mu

	eng  *engine   // this and all up to id: written before the first pass, then immutable
	loop *loop     // where the connection is registered and counted
	tr   transport // the socket
	ses  session   // the half that knows the types
	id   uint64

	state atomic.Uint64 // work to do, and who does it: see state.go
	turn  atomic.Uint32 // where the connection stands with the throttle: turnNone and the others
	hung  bool          // the peer may have reset the connection, and nobody has looked since; of the owner of a full pass
	next  *connection   // the one behind it in the queue for full passes; of the selector that fills it, or mu of what it is in

	before, after *connection // in the list of its loop; loop.mu

	abort  atomic.Pointer[CloseError] // end now, for this reason; written once, within a pass or before workClose is entered
	finish atomic.Pointer[CloseError] // end when all is written, for this reason; likewise

	// What follows belongs to the owner of a full pass.
	in      Input
	stash   *parcel // the buffer of the connection's own that in.data is in, or nil
	inline  int32   // messages that were sent within the pass since it was counted last; not in answered yet
	pace    pace
	started bool

	// What follows belongs to the owner of any pass.
	closed    bool // the connection has ended; the socket may linger
	lingering bool // the socket lingers: the peer was told that nothing more comes, what it still sends is dropped
	gone      bool // the peer has closed a socket that lingers, too
	out       output

	mu    sync.Mutex
	inbox *parcel     // what was encoded outside of full passes; mu
	ended *CloseError // why the connection has ended, nil before; mu
	ends  *ends       // who waits for the end, nil if nobody does; mu

	inboxSize atomic.Int64  // bytes in inbox; written under mu
	held      atomic.Bool   // the outbound was not asked for more, for want of room
	slots     atomic.Int32  // messages without an answer, which take places of the throttle
	mute      atomic.Bool   // nothing more is sent: CloseWrite was called; written under mu
	sealed    bool          // send refuses: the connection is about to end; mu
	leaving   bool          // this pass is the last one of a server that waits for nobody; of the owner of a full pass
	drained   bool          // the report of the shutdown counts the connection as drained; of the owner of a full pass
	full      bool          // nothing is delivered for now: the answers to it would find no room; read in any pass, written in a full one
	unsent    atomic.Int64  // bytes in out, as of the last flush
	delivered atomic.Uint64 // messages that the handler was given
	answered  atomic.Uint64 // messages that the handler has sent
	bytesIn   atomic.Uint64
	bytesOut  atomic.Uint64

	watch watch // what the expirer looks at
}

// session is the typed half of a connection. All methods are called by the owner of a full
// pass.
type session interface {
	// start calls the handler and subscribes to what it returns.
	start()
	// deliver decodes messages and delivers them while there is demand. It reports false if
	// it has to be called again.
	deliver() bool
	// leave is called in the place of deliver where nothing is delivered any more: it completes the inbound, unless a message is left.
	leave()
	// wants reports whether bytes that come would be of use.
	wants() bool
	// paused reports whether nobody has requested the messages that may come.
	paused() bool
	// idle reports whether nothing that has come is left to deliver.
	idle() bool
	// drained reports whether the inbound was completed because the server shuts down.
	drained() bool
	// done reports whether the inbound has ended and no outbound keeps the connection open.
	done() bool
	// silent reports whether the handler has returned a publisher that sends nothing and does not
	// end, so that answers come only by Send.
	silent() bool
	// replenish asks the outbound for more messages if there is room, and reports whether it has asked.
	replenish() bool
	// end ends the inbound: with completion if why is nil. Further calls change nothing, but tell a subscriber that has come since.
	end(why *CloseError)
	// crashed is called when user code within a pass panicked or ended the goroutine.
	crashed(err error)
	// close cancels the outbound.
	close()
}

// transport is the socket of a connection. There are two kinds, one for each driver.
type transport interface {
	// submit has a full pass made, by a goroutine that makes such. The caller has marked the
	// connection as queued. Any goroutine.
	submit()
	// pull reads once, without waiting, and reports whether something has come. Owner.
	pull(r *runner) bool
	// pulls reports whether pull may find something. Owner.
	pulls() bool
	// noted is told what work a full pass begins with. Owner.
	noted(work uint64)
	// write writes as much of out as is possible without waiting, and reports whether the rest
	// has to wait: then workWrite will be entered. Owner.
	write(out *output) (blocked bool, err error)
	// resume goes on with a write that was blocked; it is called at workWrite. Owner.
	resume(out *output) (blocked bool, err error)
	// arm makes sure that workRead is entered when bytes come, if the connection wants some. If not, and some
	// have come, it sees to it that nothing more is told of them. It is called at the end of a full pass.
	arm(wants bool)
	// interrupt makes sure that a full pass that is due is made soon, though no bytes come. Any goroutine.
	interrupt()
	// broken returns the error of a socket whose peer has closed or reset it, nil if there is none, or something is left to read. Owner
	// of a full pass.
	broken() error
	// unread reports whether something may have come that was not read. Owner of a full pass.
	unread() bool
	// finish tells the peer that nothing more comes, and reports whether that has worked, as
	// far as can be told. Owner of a full pass.
	finish() bool
	// finishes reports whether finish is possible: whether the socket can be closed on one side.
	finishes() bool
	// shut closes the socket, by a reset if hard. Owner of a full pass.
	shut(hard bool)
	// unacked returns how much of what was written the peer has not acknowledged, and whether that can be told.
	unacked() (n int, ok bool)
	// losing drops what has come and was not read: to close a socket with something unread is to reset it. It reports whether the peer
	// sends even more and has not acknowledged all that was written, where the system tells. Owner of a full pass.
	losing() bool
	// hurry has another goroutine stop that writes for the connection, and reports whether there is one: then
	// workWrite will be entered when it has stopped. Owner of a full pass.
	hurry() bool
	// client returns what limits per client count by, or the zero address.
	client() netip.Addr
	localAddr() net.Addr
	remoteAddr() net.Addr
}

// runner is what a selector or worker has to make full passes with. Only its goroutine touches it.
type runner struct {
	chunk []byte  // to read into
	spare *chunks // to write into, with one empty buffer; nil while a connection has it, or none was needed yet
}

// What a pass does at most before others have their turn: so many reads, so many rounds of delivering, writing and asking for more.
const (
	passReads  = 4
	passRounds = 16
)

// light is the pass of a goroutine that has put something into the inbox, or has
// written for the connection. No code of the user runs in it.
func (c *connection) light() {
	for {
		work := c.take(0)
		if work&^lightWork != 0 {
			c.resubmit(work)
			return
		}
		if !c.closed {
			c.resume(work)
			c.collect()
			c.flush()
			if c.abort.Load() != nil || c.finish.Load() != nil || c.eng.draining.Load() ||
				c.held.Load() && c.waiting() <= int64(c.eng.set.low) || c.relieved() ||
				c.out.size == 0 && (c.in.end || c.mute.Load() && !c.out.over) {
				c.resubmit(workClose)
				return
			}
		}
		if c.release(0) {
			return
		}
	}
}

// run makes full passes, the first one for work, until there is no work or others shall have their turn. The caller may make full
// passes and is the owner; afterwards it is not. r is nil where the goroutine has none.
func (c *connection) run(r *runner, work uint64) {
	clean := false
	defer func() {
		if !clean {
			defer c.resubmit(workMore) // also if a subscriber or hook that hears of the crash ends the goroutine
			c.ses.crashed(failure.Recovered(recover()))
		}
	}()
	for me := token(); ; work = c.take(me) {
		given := c.turn.Load() == turnGiven
		c.out.borrow(r)
		more := c.pass(r, work)
		c.out.giveBack(r)
		if given && !more {
			c.decline()
		}
		if more {
			c.resubmit(workMore)
			break
		}
		if c.release(me) {
			break
		}
	}
	clean = true
}

// pass does what can be done, and reports whether there is more to do but others shall have their turn
// first. The caller is the owner of a full pass.
func (c *connection) pass(r *runner, work uint64) (more bool) {
	if c.closed {
		c.clearInbox()
		c.ses.end(nil)
		return c.lingering && c.linger(r, work)
	}
	if !c.started {
		c.started = true
		c.watch.begin(c)
		c.ses.start()
	}
	c.tr.noted(work)
	c.resume(work)
	if cut := c.eng.cuts(); cut != nil {
		c.last(cut)
		return false
	}
	c.pace.begin(c)
	rounds := passRounds
	// Where bytes have come and nothing else has, and none waited for the rest of a message, there is nothing to
	// deliver before they are read.
	read := work&^lightWork == workRead && !c.in.ready()
	for reads := passReads; c.abort.Load() == nil; rounds-- {
		if !read && !c.ses.deliver() {
			continue // there was a request meanwhile
		}
		read = false
		if !c.pace.late && c.tr.pulls() && c.ses.wants() {
			if reads == 0 {
				more = true
			} else if reads--; c.tr.pull(r) {
				continue
			}
		}
		c.count()
		c.collect()
		c.flush()
		if rounds <= 0 || c.pace.late {
			more = true
			break
		}
		if c.eng.cutting.Load() != nil || !c.ses.replenish() && !c.relieved() { // after a cut there is one more pass, the last
			break
		}
	}
	c.hung = c.hung || work&workHungUp != 0
	if c.hung && len(c.in.data) == 0 && !c.ses.wants() {
		c.hung = false
		c.lookForReset()
	}
	if c.settle() {
		return false
	}
	c.keep()
	wants := c.ses.wants()
	c.watch.note(c, wants, !wants && c.ses.paused())
	c.tr.arm(wants)
	return more
}

// relieved reports whether there is room again for the answers because of which nothing was delivered. Owner of any pass.
func (c *connection) relieved() bool { return c.full && c.out.size <= c.eng.set.low }

// lookForReset ends the connection if the peer has reset it. It is called where no read would find that out, because
// nobody asks for more, or because the end of what comes was read before. Owner of a full pass.
func (c *connection) lookForReset() {
	if err := c.tr.broken(); err != nil {
		c.fail(classify(err, ReasonReadFailed), err)
	}
}

// last is the pass of a server that waits for nobody any more: if nothing is left to do, the
// connection ends as it would have ended by itself, otherwise with cut. Owner of a full pass.
func (c *connection) last(cut *CloseError) {
	why := cut
	c.count() // if the pass before was cut short
	if c.abort.Load() == nil && cut.Err == nil {
		if c.tr.hurry() {
			c.keep() // what has come may be in the chunk of the runner, which others get
			return   // the goroutine that was told to stop may have written all: another pass sees what it has
		}
		chaos.Yield()
		told, sent := c.ses.idle(), c.answered.Load() // before the handler says goodbye
		c.leaving = true
		c.ses.leave()
		c.count()
		by := c.ending() // what counts as answered is in the inbox by now
		if by == nil && !(told && c.eng.waited) && c.ses.idle() && sent == c.delivered.Load() {
			by = &CloseError{Reason: ReasonShutdown} // its handler had no time to say that it is done
		}
		for range passRounds { // what is sent meanwhile is written, too
			c.collect()
			c.flush()
			chaos.Yield()
			if by == nil || c.out.size > 0 || c.tr.losing() {
				break
			}
			if c.seal(by) {
				why = by
				break
			}
		}
	}
	if first := c.abort.Load(); first != nil {
		why = first
	}
	c.shut(why, false)
}

// settle ends the connection if it is time to, and reports whether it did. Owner of a full pass.
func (c *connection) settle() bool {
	c.count() // if the pass was cut short
	if why := c.abort.Load(); why != nil {
		c.shut(why, false)
		return true
	}
	why := c.ending()
	if why == nil || c.out.size > 0 || !c.seal(why) {
		c.hush()
		return false
	}
	c.shut(why, !c.in.end && (c.watch.recently(c) || c.tr.unread()))
	return true
}

// ending returns why the connection ends when all is written, or nil if it goes on then. Owner of a full pass.
func (c *connection) ending() *CloseError {
	why := c.finish.Load()
	switch {
	case why != nil && why.Reason != ReasonHandlerDone:
		return why
	case why != nil && c.in.end, c.in.end && c.ses.done():
		return &CloseError{Reason: ReasonPeerClosed}
	case why != nil && c.ses.drained():
		return &CloseError{Reason: ReasonShutdown} // the handler was done because of that
	case why == nil && c.eng.draining.Load() && c.ses.idle() && (c.mute.Load() || c.ses.silent() && c.answered.Load() >= c.delivered.Load()):
		return &CloseError{Reason: ReasonShutdown}
	}
	return why
}

// shut ends the connection. The socket is closed at once, unless it lingers: to close one with
// something unread is to reset it, and that may overtake what was written. Owner of a full
// pass.
func (c *connection) shut(why *CloseError, linger bool) {
	c.closed = true
	c.abort.CompareAndSwap(nil, why) // for those who look now
	c.mu.Lock()
	c.sealed = true // what counts as sent is what is in the inbox by now
	c.mu.Unlock()
	c.in.data, c.in.need = nil, 0
	c.keep()
	defer c.leave(why, linger) // also if the log fails
	c.loop.ended(c, why)
}

// leave is what shut does once the connection is not counted as open any more: it closes the socket, or has it linger.
func (c *connection) leave(why *CloseError, linger bool) {
	defer func() {
		if !c.lingering {
			c.loop.freed(c) // last: a shutdown waits for all that is done before
		}
	}()
	defer c.depart(why) // also if the connection is one of others, and a call of it ends the goroutine
	if linger && c.tr.finish() {
		c.lingering = true
		c.eng.expirer.linger(c)
		c.tr.arm(true)
		c.enter(workClose) // something may be there already
		return
	}
	// A peer that has not got all, or is not to believe that it has, gets a reset: it would take any other end for the end of what was sent.
	aborted := why.Reason == ReasonClosed && c.finish.Load() != why
	c.tr.shut(aborted || why.Reason == ReasonCut || c.out.size > 0 || c.inboxSize.Load() > 0)
}

// depart gives back the buffers of a connection that has ended, and tells everybody of the end. Owner of a full pass.
func (c *connection) depart(why *CloseError) {
	c.out.drop()
	c.clearInbox()
	c.context().end(why)
	defer c.ses.close() // also if the subscriber ends its goroutine
	if why.Reason == ReasonShutdown {
		c.ses.end(nil)
	} else {
		c.ses.end(why)
	}
}

// linger drops what the peer sends until the peer closes, too, or time is up. It reports whether there is more to drop but
// others shall have their turn first. Owner of a full pass.
func (c *connection) linger(r *runner, work uint64) (more bool) {
	c.tr.noted(work)
	for reads := passReads; !c.gone && c.watch.linger.Load() != lingered && c.eng.cutting.Load() == nil; reads-- {
		if reads == 0 {
			return true
		}
		if !c.tr.pulls() || !c.tr.pull(r) {
			c.tr.arm(true)
			return false
		}
	}
	c.lingering = false
	defer c.loop.freed(c) // as in leave
	if c.eng.cutting.Load() != nil && c.tr.losing() {
		c.eng.report.lost(c)
	}
	c.tr.shut(false)
	return false
}

// fail notes that the connection is to end at once; the first reason counts. The caller is within a pass, or has one made.
func (c *connection) fail(reason Reason, err error) {
	c.abort.CompareAndSwap(nil, &CloseError{reason, err})
}

// end has the connection ended: at once if now, else when all is written. Any goroutine.
func (c *connection) end(reason Reason, err error, now bool) {
	if now {
		c.fail(reason, err)
	} else {
		c.finish.CompareAndSwap(nil, &CloseError{reason, err})
	}
	chaos.Yield()
	c.look()
}

// look has a full pass made, which ends the connection if it is time to. Any goroutine.
func (c *connection) look() {
	c.enter(workClose)
	c.tr.interrupt()
}

// err returns why the connection has ended or is about to, or nil.
func (c *connection) err() error {
	if e := c.abort.Load(); e != nil {
		return e
	}
	if e := c.finish.Load(); e != nil {
		return e
	}
	return nil
}
