package netreactor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
)

// inbound is the publisher of the messages of a connection.
type inbound[In, Out any] struct {
	protocol.Op
	c *Conn[In, Out]

	phase     atomic.Uint32
	cancelled atomic.Bool
	// Written before phase is inboundKnown, read after.
	ctx  context.Context
	down reactor.Subscriber[In] // then of the owner, nil at the end (§3.13)
	push func(In)               // hands messages to down; as down

	demand atomic.Int64

	// What follows belongs to the owner of a full pass.
	over bool               // the end has come, or nobody wants anything any more
	told bool               // the subscriber was told of the end, or does not want to know
	why  *CloseError        // the end, if it was a failure, for a subscriber that is not there yet
	lost *protocol.Hand[In] // the message that was in hand when user code failed
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
	if !p.phase.CompareAndSwap(inboundOpen, inboundClaimed) {
		protocol.Fail(down, reactor.Failure("inbound", reactor.ErrIllegalState, "only one subscriber is allowed, this is another one"))
		return
	}
	p.ctx, p.down, p.push = ctx, down, protocol.Push(down)
	chaos.Yield()
	p.phase.Store(inboundKnown)
	down.OnSubscribe(p)
	p.phase.Store(inboundLive)
	p.enter()
}

// enter has a full pass made, unless the caller is within one that looks again anyway.
func (p *inbound[In, Out]) enter() {
	if c := &p.c.core; !c.mine() {
		c.enter(workRequest)
	}
}

// Request adds to the demand of the subscriber. Where there is some, nobody waits for more: a
// pass that uses it up looks again.
func (p *inbound[In, Out]) Request(n int64) {
	if protocol.AddDemand(&p.demand, n) == 0 {
		p.enter()
	}
}

// Cancel lets the connection ignore what comes. It is the subscriber's.
func (p *inbound[In, Out]) Cancel() {
	if !p.cancelled.Swap(true) {
		chaos.Yield()
		p.enter()
		if p.c.core.eng.set.cancelCloses {
			p.c.core.tr.interrupt()
		}
	}
}

// wants reports whether bytes that come would be of use. Owner.
func (p *inbound[In, Out]) wants() bool {
	c := &p.c.core
	switch {
	case c.in.end || c.closed || c.eng.draining.Load():
		return false
	case p.over || p.cancelled.Load():
		return true // to hear of the end of the peer
	}
	return p.phase.Load() == inboundLive && p.demand.Load() > 0 && !c.in.ready() && !c.throttled()
}

// deliver hands over messages while there is demand. It reports false if there was a request
// when it had used up the demand that it knew of. Owner.
func (p *inbound[In, Out]) deliver() (done bool) {
	c := &p.c.core
	if p.phase.Load() < inboundLive && !p.cancelled.Load() {
		return true
	}
	sent, limited := int64(0), c.eng.throttle.limit > 0
	var hand protocol.Hand[In]
	defer func() { done = p.sent(sent, &hand) }() // also if the subscriber fails
	in, codec := &c.in, p.c.codec
	for demand := p.demand.Load(); ; {
		ready := in.ready()
		switch {
		case p.over || p.cancelled.Load():
			p.ignore()
			return true
		case c.abort.Load() != nil || (in.end || !ready) && p.finished():
			return true
		case sent == demand:
			if demand = p.demand.Load(); sent == demand {
				return true
			}
		}
		if !ready || limited && c.throttled() {
			return true
		}
		before := len(in.data)
		room := hand.Room()
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
			if in.seen > in.max+prefixSize || in.need > in.max+prefixSize {
				p.malformed(tooLarge(in, max(in.seen, in.need)))
				return true
			}
			continue
		case len(in.data) == before:
			p.malformed(fmt.Errorf("netreactor: the codec has made a message of no bytes"))
			return true
		}
		in.seen, in.need = 0, 0
		sent++
		if limited {
			c.give()
		}
		hand.Take()
		p.push(*room)
		hand.Sent()
	}
}

// sent accounts for n messages that were delivered, and keeps the one in hand. It reports false if there is something to
// deliver nevertheless.
func (p *inbound[In, Out]) sent(n int64, hand *protocol.Hand[In]) bool {
	if n == 0 {
		return true
	}
	left := p.demand.Load()
	if left != reactor.Unbounded {
		left = protocol.Produced(&p.demand, n)
	}
	p.c.core.delivered.Add(uint64(n))
	if hand.Full() {
		failed := *hand
		p.lost = &failed
	}
	return left == 0 || p.over || !p.c.core.in.ready() || p.c.core.throttled()
}

// finished ends the inbound if all has come and was delivered. That needs no demand.
func (p *inbound[In, Out]) finished() bool {
	c := &p.c.core
	switch {
	case c.in.end && len(c.in.data) == 0:
		p.end(nil)
	case c.in.end && c.in.told:
		err := fmt.Errorf("netreactor: %d bytes of a message: %w", len(c.in.data), io.ErrUnexpectedEOF)
		c.fail(ReasonTruncated, err)
	case c.eng.draining.Load() && !c.in.ready():
		p.end(nil)
	default:
		return false
	}
	return true
}

// ignore drops what was received: nobody wants it.
func (p *inbound[In, Out]) ignore() {
	c := &p.c.core
	if !p.over {
		p.over, p.told = true, true
		p.forget()
		if c.eng.set.cancelCloses {
			c.finish.CompareAndSwap(nil, &CloseError{Reason: ReasonCancelled})
		}
	}
	c.in.data, c.in.need = nil, 0
}

// malformed ends the connection for an error of the codec.
func (p *inbound[In, Out]) malformed(err error) {
	reason := ReasonMalformed
	if errors.Is(err, ErrTooLarge) {
		reason = ReasonTooLarge
	}
	p.c.core.fail(reason, err)
}

// end ends the inbound, if it has not ended. A subscriber that is not there yet hears of it
// when it is. Owner.
func (p *inbound[In, Out]) end(why *CloseError) {
	if !p.over {
		p.over, p.why = true, why
	}
	if !p.told && p.phase.Load() == inboundLive {
		p.told = true
		down := p.down
		p.forget()
		if !p.cancelled.Load() {
			var err error
			if p.why != nil {
				err = p.why
			}
			protocol.Finish(down, err)
		}
	}
}

// crashed fails the inbound because what is downstream of it has. Owner.
func (p *inbound[In, Out]) crashed(err error) {
	over, down := p.told, p.down
	p.over, p.told = true, true
	var hand protocol.Hand[In]
	if p.lost != nil {
		hand = *p.lost
		p.lost = nil
	}
	p.cancelled.Store(true)
	p.forget()
	if down == nil && !over {
		return // it was the handler, before it subscribed: the reason of the close says so
	}
	ctx := p.ctx
	if ctx == nil {
		ctx = p.c.core.context()
	}
	hand.Crash(ctx, down, over, err)
}

// forget lets go of the subscriber.
func (p *inbound[In, Out]) forget() { p.down, p.push = nil, nil }
