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
	phase     atomic.Uint32
	cancelled atomic.Bool
	// Written before phase is inboundKnown, read after.
	ctx  context.Context        // a *withInFlight when user code has failed
	down reactor.Subscriber[In] // then of the owner, nil at the end (§3.13)
	push func(In)               // hands messages to down; as down

	demand atomic.Int64

	// What follows belongs to the owner of a full pass.
	over    bool   // the end has come, or nobody wants anything any more
	told    bool   // the subscriber was told of the end, or does not want to know
	failed  bool   // the end is why the connection has ended, for a subscriber that is not there yet
	drained bool   // the end is that of the server
	used    uint32 // of demand, never all of it
}

// withInFlight takes the place of the context when user code fails: with the message that was in flight.
type withInFlight[In any] struct {
	context.Context
	inFlight protocol.InFlight[In]
}

// The phases of an inbound.
const (
	inboundOpen    = iota // no subscriber yet
	inboundClaimed        // there is one, the next is refused
	inboundKnown          // it is called OnSubscribe on
	inboundLive           // it gets what there is
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
			p.in.phase.Store(inboundLive) // within the handler: it is told of the crash
		}
	}()
	down.OnSubscribe(p)
	known = true
	p.in.phase.Store(inboundLive)
	p.enter()
}

// enter has a full pass made, unless the caller is within one that looks again anyway.
func (p *inbound[In, Out]) enter() {
	if c := &p.core; !c.mine() {
		c.enter(workRequest)
	}
}

// Request adds to the demand of the subscriber. Where there is some, nobody waits for more: a
// pass that uses it up looks again.
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

// wants reports whether bytes that come would be of use. Owner.
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

// deliver hands over messages while there is demand, and room for the answers of a handler that makes them at once. It reports false
// if there was a request when it had used up the demand that it knew of. Owner.
func (p *inbound[In, Out]) deliver() (done bool) {
	c := &p.core
	if p.in.phase.Load() < inboundLive && !p.in.cancelled.Load() {
		return true
	}
	sent, limited := int64(0), c.eng.throttle.limit > 0
	var inFlight protocol.InFlight[In]
	held := false  // a place in the limit, for the next message
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
		// The outbound was asked for before anybody knew how long its messages are.
		c.full = c.inline > 0 && c.out.size >= c.eng.set.high
	}
}

// leave completes the inbound unless a message was read and not delivered: then that is discarded. What is there
// may be half of one that nobody has looked at, or not be one at all, which nobody needs to hear now. Owner.
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

// mayFinish reports whether it is time to complete, if all was delivered. Where nobody waits for the handler any more that is left to the
// last pass, which goes by what was sent before.
func (p *inbound[In, Out]) mayFinish() bool {
	return p.core.leaving || p.core.eng.cutting.Load() == nil // which is written before draining, if at once
}

// sent accounts for n messages that were delivered, and keeps the one in flight. It reports false if there is something to
// deliver nevertheless.
func (p *inbound[In, Out]) sent(n int64, inFlight *protocol.InFlight[In]) bool {
	if n == 0 {
		return true
	}
	left := p.in.demand.Load()
	if left != reactor.Unbounded {
		// It is one atomic operation for many messages: who asks wants to know only whether there is some.
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

// finished ends the inbound if all has come and was delivered. That needs no demand.
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

// ignore drops what was received: nobody wants it.
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

// end ends the inbound, if it has not ended. A subscriber that is not there yet hears of it
// when it is. Owner.
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

// failing reports whether what is downstream has failed with a message, and can hear of it. Owner.
func (p *inbound[In, Out]) failing() bool {
	if p.in.told || p.in.phase.Load() < inboundLive { // the phase first: until then the rest belongs to who subscribes
		return false
	}
	_, inFlight := p.in.ctx.(*withInFlight[In])
	return inFlight
}

// crashed fails the inbound because what is downstream of it has. Owner.
func (p *inbound[In, Out]) crashed(err error) {
	if !p.in.told && p.in.phase.Load() < inboundLive {
		return // it was the handler, and a subscriber that is not there yet hears of the end of the connection
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
	p.closeIfCancelled() // behind the error, which may be what the connection ends with
}

// detach lets go of the subscriber.
func (p *inbound[In, Out]) detach() { p.in.down, p.in.push = nil, nil }
