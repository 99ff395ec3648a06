package netreactor

import (
	"errors"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// outbound is a connection as the subscriber of what its handler returns, which it sends.
type outbound[In, Out any] Conn[In, Out]

// outflow is the part of an outbound that has nothing to do with the type of the messages. It asks
// for as many messages as fit below the high-water mark, if they are as long as the longest of
// late.
type outflow struct {
	phase atomic.Uint32 // outboundFree and the others

	// taken and calm belong to the owner of a full pass: what is counted by an atomic operation for each
	// message from elsewhere is counted for many at once within a pass.
	taken uint16 // messages that have come within a pass and are still counted in asked
	calm  uint16 // so many more may come within a pass before it is of use to ask for more

	up      protocol.Deferred
	asked   atomic.Int32 // messages that were asked for and have not come, and those in taken
	largest atomic.Int32 // how many bytes the longest message of late has
}

// The phases of an outbound.
const (
	outboundFree    = iota // nobody sends
	outboundClaimed        // there is a source, the next one is refused
	outboundOpen           // there is a subscription
	outboundSilent         // likewise, to a source that sends nothing and does not end: answers come by Send
	outboundEnded          // the source has ended or failed, or CloseWrite was called, by any goroutine
	outboundSpent          // the source has completed, and the connection, which has no handler, goes on until the peer closes
)

const (
	// window is how many messages are asked for at most.
	window = 128
	// firstWindow is how many are asked for at first, when nobody knows how long they are.
	firstWindow = 1
	// inlineWindow is how many messages may be made within one pass before it writes
	// them and asks for more.
	inlineWindow = 2048
)

// claim reports whether the caller may subscribe.
func (o *outflow) claim() bool { return o.phase.CompareAndSwap(outboundFree, outboundClaimed) }

// isOpen reports whether there is, or was, a subscription, or CloseWrite was called.
func (o *outflow) isOpen() bool { return o.phase.Load() >= outboundOpen }

// keepsOpen reports whether the connection goes on when the peer has closed: a source may send more, or it has just ended, and its end is
// about to be noted as the one of the connection. The subscription may still be to come.
func (o *outflow) keepsOpen() bool {
	phase := o.phase.Load()
	return phase != outboundFree && phase != outboundSpent
}

// isSilent reports whether the source sends nothing and does not end.
func (o *outflow) isSilent() bool { return o.phase.Load() == outboundSilent }

func (o *outflow) hasEnded() bool { return o.phase.Load() >= outboundEnded }

// OnSubscribe asks for the first messages.
func (o *outbound[In, Out]) OnSubscribe(up reactor.Subscription) {
	if o.out.up.Set(up) {
		o.out.asked.Store(firstWindow)
		phase := uint32(outboundOpen)
		if up == protocol.Empty {
			phase = outboundSilent
		}
		o.out.phase.CompareAndSwap(outboundClaimed, phase) // unless CloseWrite was called
		up.Request(firstWindow)
	}
}

// OnNext sends msg.
func (o *outbound[In, Out]) OnNext(msg Out) {
	c := &o.core
	dst, to := o.out.room(c)
	if to == toNobody {
		reactor.Discard(c.context(), msg)
		return
	}
	b, err := o.codec.Encode(dst, msg)
	if err != nil || len(b) < len(dst) {
		o.failed(dst, to, msg, err)
	} else if !o.out.encoded(c, to, b, len(dst)) {
		reactor.Discard(c.context(), msg) // CloseWrite was called meanwhile
	}
}

// Push implements protocol.Pusher: the function is OnNext, without the calls that an interface of a generic
// type takes: each of them copies a large message.
func (o *outbound[In, Out]) Push() func(Out) {
	return func(msg Out) {
		c := &o.core
		dst, to := o.out.room(c)
		if to == toNobody {
			reactor.Discard(c.context(), msg)
			return
		}
		b, err := o.codec.Encode(dst, msg)
		if err != nil || len(b) < len(dst) {
			o.failed(dst, to, msg, err)
		} else if !o.out.encoded(c, to, b, len(dst)) {
			reactor.Discard(c.context(), msg)
		}
	}
}

// errShrunk is the error of a codec that returns less than it was given: nil, say, where it has nothing to append.
var errShrunk = errors.New("netreactor: the codec has not kept what was there before the message")

// failed ends the connection, since a message that was to be appended to dst can't be encoded.
func (o *outbound[In, Out]) failed(dst []byte, to int, msg Out, err error) {
	c := &o.core
	if err == nil {
		err = errShrunk
	}
	if to == toInbox {
		giveBuffer(dst)
	}
	o.out.phase.Store(outboundEnded)
	defer func() { c.end(ReasonEncodeFailed, err, false) }() // also if who hears of it ends the goroutine
	failure.Before(c.context(), msg, o.out.up.Cancel)
	failure.Beside(c.context(), msg, func() { err = reactor.OperatorError(c.context(), err, msg) })
	reactor.Discard(c.context(), msg)
}

// Where a message goes.
const (
	toNobody = iota // the connection has ended, or is about to
	toOutput        // the caller is within a full pass
	toInbox
)

// room returns the buffer that a message is to be appended to, and where the message goes. Who delivers the messages of the outbound.
func (o *outflow) room(c *connection) (dst []byte, to int) {
	likely := int(o.largest.Load())
	switch {
	case o.hasEnded() || c.abort.Load() != nil:
		return nil, toNobody
	case !c.mine():
		return takeBuffer(likely), toInbox
	}
	if c.inboxSize.Load() > 0 {
		c.collect() // what this stream has sent from another goroutine comes first
	}
	if b, ok := c.out.open(likely); ok {
		return b, toOutput
	}
	return c.out.another(likely), toOutput
}

// encoded sends b, which the codec has made of the buffer that room has returned; the first from bytes of b were there before. It
// reports false if nothing more is sent.
func (o *outflow) encoded(c *connection, to int, b []byte, from int) bool {
	if to == toInbox {
		return o.encodedOutside(c, b)
	}
	size := len(b) - from
	c.out.size += size
	if tail := c.out.tail(); unsafe.SliceData(b) == unsafe.SliceData(*tail) {
		*tail = (*tail)[:len(b)] // no pointer is written, which the collector would have to hear of
	} else {
		replace(tail, b)
	}
	if c.eng.throttle.limit > 0 {
		c.giveBack()
	}
	if c.out.size >= chunkSize {
		c.flush()
	}
	o.note(size)
	o.taken++
	c.inline++
	switch {
	case o.calm > 0:
		o.calm--
	case c.inline < inlineWindow && !c.pace.look(c): // else the pass asks for more when it has written this
		o.replenish(c)
	}
	return true
}

// encodedOutside is encoded outside of full passes.
func (o *outflow) encodedOutside(c *connection, b []byte) bool {
	size := len(b)
	if !c.send(b) {
		return false
	}
	o.note(size)
	o.asked.Add(-1)
	o.replenish(c)
	return true
}

// note notes how long a message was: largest grows at once, and gets smaller by a sixteenth for each shorter message.
func (o *outflow) note(size int) {
	if last, now := o.largest.Load(), int32(min(size, math.MaxInt32)); now != last {
		o.largest.Store(max(now, last-last>>4-1))
	}
}

// replenish asks for more messages if there is room and few are still to come, and reports whether it has asked. Any goroutine; within a
// full pass it also accounts for the messages of the pass.
func (o *outflow) replenish(c *connection) bool {
	mine := c.mine()
	if mine {
		if o.taken > 0 {
			o.asked.Add(-int32(o.taken))
			o.taken = 0
		}
		if o.calm > 0 && !c.held.Load() && o.asked.Load() > 0 { // asked may be 0 though calm is not: other goroutines may have sent the rest
			return false
		}
	}
	if !o.isOpen() || o.up.IsCancelled() || c.finish.Load() != nil { // with finish, what was sent is written, and nothing more is asked for
		return false
	}
	for {
		asked, room := o.asked.Load(), int64(c.eng.set.high)-c.backlog()
		limit := int32(min(window, max(1, room/max(1, int64(o.largest.Load())))))
		if mine {
			limit = min(limit, int32(c.pace.span()))
		}
		if asked > limit/4 || !c.hasRoom() {
			if mine {
				o.calm = uint16(max(0, min(asked-limit/4, window)-1))
			}
			return false
		}
		if o.asked.CompareAndSwap(asked, limit) {
			if mine {
				o.calm = uint16(max(0, limit-limit/4-1))
			}
			o.up.Request(int64(limit - asked))
			return true
		}
	}
}

// OnError ends the connection when all is written.
func (o *outbound[In, Out]) OnError(err error) {
	if o.out.hasEnded() {
		if !errors.Is(err, ErrClosed) { // which the inbound has failed with
			reactor.DropError(o.core.context(), err)
		}
		return
	}
	o.out.phase.Store(outboundEnded)
	o.out.up.Close()
	o.core.end(ReasonHandlerFailed, err, false)
}

// OnComplete ends the connection when all is written, unless it has no handler.
func (o *outbound[In, Out]) OnComplete() {
	if o.out.hasEnded() {
		return
	}
	o.out.phase.Store(outboundEnded)
	o.out.up.Close()
	if c := &o.core; c.eng.set.handler != nil {
		c.end(ReasonHandlerDone, nil, false)
	} else {
		o.out.phase.Store(outboundSpent)
		c.look() // the peer may have closed before
	}
}
