package netreactor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
)

// inbound is a connection as the publisher of its messages.
type inbound[In, Out any] Conn[In, Out]

// inState is the state of an inbound.
type inState[In any] struct {
	phase     atomic.Uint32 // inboundOpen and the others
	cancelled atomic.Bool   // the subscriber has cancelled, or a stage behind the inbound has failed
	// Written by the goroutine that subscribes before phase is inboundKnown; from then on of the owner of a full pass.
	ctx  context.Context        // a *withInFlight when user code has failed
	down reactor.Subscriber[In] // nil after the end (§3.13)
	push func(In)               // OnNext of down; nil after the end

	demand atomic.Int64 // what was requested, less what was taken off for messages that were sent

	// What follows belongs to the owner of a full pass.
	over    bool   // the inbound has ended, or nobody wants anything any more
	told    bool   // the subscriber was told of the end, or does not want to know
	failed  bool   // the inbound has ended with the error of the connection; for a subscriber that is not there yet
	drained bool   // the inbound was completed because the server shuts down
	used    uint32 // how much of demand is used up and was not taken off yet, never all of it
}

// withInFlight takes the place of inState.ctx when user code has failed within OnNext: it has the message that was in flight as well.
type withInFlight[In any] struct {
	context.Context
	inFlight protocol.InFlight[In]
}

// The phases of an inbound.
const (
	inboundOpen    = iota // no subscriber yet
	inboundClaimed        // there is one, the next is refused
	inboundKnown          // its OnSubscribe is being called
	inboundLive           // OnSubscribe has returned: messages may be delivered
)

// Subscribe makes s the subscriber, or fails it if there was one before.
func (p *inbound[In, Out]) Subscribe(ctx context.Context, s reactor.Subscriber[In]) {
	down := protocol.Strict(ctx, s)
	if !p.in.phase.CompareAndSwap(inboundOpen, inboundClaimed) {
		protocol.Fail(down, reactor.Failure("netreactor.Inbound", reactor.ErrIllegalState, "only one subscriber is allowed, this is another one"))
		return
	}
	p.in.ctx, p.in.down, p.in.push = ctx, down, protocol.Push(down)
	chaos.Yield()
	p.in.phase.Store(inboundKnown)
	known := false
	defer func() {
		if !known && p.core.mine() {
			p.in.phase.Store(inboundLive) // OnSubscribe has failed within a pass: crashed tells the subscriber of it
		}
	}()
	down.OnSubscribe(p)
	known = true
	p.in.phase.Store(inboundLive)
	p.enter()
}

// enter has a full pass made, unless the caller is within one, which looks again before it ends.
func (p *inbound[In, Out]) enter() {
	if c := &p.core; !c.mine() || c.closed { // the pass that ends a connection does not look again
		c.enter(workRequest)
	}
}

// Request adds to the demand of the subscriber. Only where there was none a pass is needed: a
// pass that uses the demand up looks again.
func (p *inbound[In, Out]) Request(n int64) {
	if demand.Add(&p.in.demand, n) == 0 {
		p.enter()
	}
}

// Cancel lets the connection ignore what comes. It is the subscriber's.
func (p *inbound[In, Out]) Cancel() {
	if !p.in.cancelled.Swap(true) {
		chaos.Yield()
		p.enter()
	}
}

// wants reports whether bytes that come would be of use. A connection that waits for a place of the throttle is in its queue afterwards.
// Owner, as everywhere below: of a full pass.
func (p *inbound[In, Out]) wants() bool {
	c := &p.core
	switch {
	case c.in.end || c.closed || c.eng.draining.Load():
		return false
	case p.in.over || p.in.cancelled.Load():
		return true // to hear of the end of the peer
	}
	return p.in.phase.Load() == inboundLive && p.in.demand.Load() > 0 && !c.in.ready() && !c.full && !c.throttled()
}

// paused reports whether the subscriber asks for nothing, or there is none yet. It is no pause when the server drains,
// or when a limit holds back what was asked for. Owner.
func (p *inbound[In, Out]) paused() bool {
	if p.in.over || p.in.cancelled.Load() || p.core.eng.draining.Load() {
		return false
	}
	return p.in.phase.Load() < inboundLive || p.in.demand.Load() == 0
}

// deliver decodes messages and delivers them while there is demand, and room for the answers of a handler that makes them at once. It
// reports false if it has to be called again: more was requested meanwhile, and there is something to decode. Owner.
func (p *inbound[In, Out]) deliver() (done bool) {
	c := &p.core
	if p.in.phase.Load() < inboundLive && !p.in.cancelled.Load() {
		return true
	}
	sent, limited := int64(0), c.eng.throttle.limit > 0
	var inFlight protocol.InFlight[In]
	held := false  // a place of the throttle was reserved, and no message has it yet
	defer func() { // also if the subscriber fails
		if held {
			c.eng.throttle.release(1)
		}
		done = p.sent(sent, &inFlight)
	}()
	in, codec := &c.in, p.codec
	used := int64(p.in.used)
	look := c.pace.span()
	c.full = c.full && !c.relieved()
	for asked := p.in.demand.Load() - used; ; {
		ready := in.ready()
		switch {
		case p.in.over || p.in.cancelled.Load():
			p.ignore()
			return true
		case c.abort.Load() != nil || (in.end || !ready && c.eng.draining.Load()) && p.mayFinish() && p.finished() || c.eng.cutting.Load() != nil:
			return true
		case sent == asked:
			if asked = p.in.demand.Load() - used; sent == asked {
				return true
			}
		}
		if !ready || c.full || sent == look && c.pace.look(c) {
			return true
		}
		if sent == look {
			look += c.pace.span()
		}
		if limited && !held {
			if held = c.reserve(); !held {
				return true
			}
		}
		before := len(in.data)
		in.need, in.part = 0, false
		room := inFlight.Room()
		var ok bool
		var err error
		*room, ok, err = codec.Decode(in)
		switch {
		case err != nil:
			p.malformed(err)
			return true
		case !ok:
			in.seen = len(in.data)
			in.told = in.end
			if max(in.seen, in.need)-max(prefixSize, int(in.frame)) > in.max {
				p.malformed(tooLarge(in, max(in.seen, in.need)))
				return true
			}
			continue
		case len(in.data) == before:
			p.malformed(fmt.Errorf("netreactor: the codec has made a message of no bytes"))
			return true
		}
		in.seen = 0
		sent++
		if limited {
			held = false
			c.give()
		}
		inFlight.Take()
		p.in.push(*room)
		inFlight.Sent()
		// The answers may be longer than was thought when the outbound was asked for them.
		c.full = c.inline > 0 && c.out.size >= c.eng.set.high
	}
}

// leave is called in the last pass of a server that waits for nobody: it completes the inbound, unless a message was read and not
// delivered, which it discards. What is there may be half a message that nobody has looked at, or something that the codec refuses: the
// latter is no error now. Owner.
func (p *inbound[In, Out]) leave() {
	in := &p.core.in
	if p.in.phase.Load() == inboundLive && !p.in.over && !p.in.cancelled.Load() && in.ready() {
		in.need, in.part = 0, false
		msg, ok, err := p.codec.Decode(in)
		if ok {
			reactor.Discard(p.in.ctx, msg)
		}
		if ok || err != nil {
			return
		}
		in.seen, in.told = len(in.data), in.end
	}
	p.deliver()
}

// mayFinish reports whether the inbound may complete, if all was delivered. Where nobody waits for the handler any more, only leave
// completes the inbound: the last pass has to know what was sent before.
func (p *inbound[In, Out]) mayFinish() bool {
	return p.core.leaving || p.core.eng.cutting.Load() == nil // cutting is written before draining if the end has no patience
}

// sent accounts for n messages that were delivered, and keeps the one that is still in flight because the subscriber has failed with it. It
// reports false if deliver has to be called again. Owner.
func (p *inbound[In, Out]) sent(n int64, inFlight *protocol.InFlight[In]) bool {
	if n == 0 {
		return true
	}
	left := p.in.demand.Load()
	if left != reactor.Unbounded {
		// One atomic operation takes many messages off: Request only has to see whether there is any demand.
		used := int64(p.in.used) + n
		if left -= used; left == 0 || used > maxUsed {
			left, used = demand.Produced(&p.in.demand, used), 0
		}
		p.in.used = uint32(used)
	}
	p.core.delivered.Add(uint64(n))
	if inFlight.Full() {
		p.in.ctx = &withInFlight[In]{p.in.ctx, *inFlight}
	}
	return left == 0 || p.in.over || p.core.full || p.core.pace.late || !p.core.in.ready() || p.core.throttled()
}

// maxUsed is how much of the demand may be used before it is taken off.
const maxUsed = 1 << 16

// finished ends the inbound, or has the connection fail within a message, if nothing more can be delivered, and reports whether it did.
// That needs no demand. Owner.
func (p *inbound[In, Out]) finished() bool {
	c := &p.core
	switch {
	case c.in.end && len(c.in.data) == 0 && !c.in.part:
		p.end(nil)
	case c.in.end && (c.in.told || len(c.in.data) == 0):
		err := fmt.Errorf("netreactor: %d bytes of a message: %w", len(c.in.data), io.ErrUnexpectedEOF)
		if c.in.part {
			err = fmt.Errorf("netreactor: within a message, a part of which was taken: %w", io.ErrUnexpectedEOF)
		}
		c.fail(ReasonTruncated, err)
	case c.eng.draining.Load() && !c.in.ready():
		p.in.drained = true
		p.end(nil)
	default:
		return false
	}
	return true
}

// ignore drops what was received, for the subscriber has cancelled or the inbound has ended. Owner.
func (p *inbound[In, Out]) ignore() {
	c := &p.core
	if !p.in.over {
		p.in.over, p.in.told = true, true
		p.detach()
		p.closeIfCancelled()
	}
	c.in.data, c.in.need, c.in.part = nil, 0, false
}

// closeIfCancelled ends the connection with a subscriber that wants nothing more, if that is set.
func (p *inbound[In, Out]) closeIfCancelled() {
	if c := &p.core; c.eng.set.cancelCloses {
		c.finish.CompareAndSwap(nil, &CloseError{Reason: ReasonCancelled})
	}
}

// malformed ends the connection for an error of the codec.
func (p *inbound[In, Out]) malformed(err error) {
	reason := ReasonMalformed
	if errors.Is(err, ErrTooLarge) {
		reason = ReasonTooLarge
	}
	p.core.fail(reason, err)
}

// end ends the inbound, if it has not ended. A subscriber that comes later hears of the end
// when end is called again. Owner.
func (p *inbound[In, Out]) end(why *CloseError) {
	if !p.in.over {
		p.in.over, p.in.failed = true, why != nil
	}
	if !p.in.told && p.in.phase.Load() == inboundLive {
		p.in.told = true
		down := p.in.down
		p.detach()
		if !p.in.cancelled.Load() {
			var err error
			if p.in.failed {
				err = p.core.context().Err()
			}
			protocol.Finish(down, err)
		}
	}
}

// failing reports whether a stage downstream has failed with a message, and the subscriber can still be told so. Owner.
func (p *inbound[In, Out]) failing() bool {
	if p.in.told || p.in.phase.Load() < inboundLive { // before ctx is read: until then it belongs to the goroutine that subscribes
		return false
	}
	_, inFlight := p.in.ctx.(*withInFlight[In])
	return inFlight
}

// crashed fails the inbound because user code within the pass has failed with err. Owner.
func (p *inbound[In, Out]) crashed(err error) {
	if !p.in.told && p.in.phase.Load() < inboundLive {
		return // the handler has failed; a subscriber that is not there yet hears of the end of the connection
	}
	over, down := p.in.told, p.in.down
	p.in.over, p.in.told = true, true
	var inFlight protocol.InFlight[In]
	if held, ok := p.in.ctx.(*withInFlight[In]); ok {
		p.in.ctx, inFlight = held.Context, held.inFlight
	}
	p.in.cancelled.Store(true)
	p.detach()
	inFlight.Crash(p.in.ctx, down, over, err)
	p.closeIfCancelled() // after the error was delivered: the connection may end with that
}

// detach lets go of the subscriber.
func (p *inbound[In, Out]) detach() { p.in.down, p.in.push = nil, nil }
