package sinks

import (
	"context"
	"math"
	"math/bits"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/multicast"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// defaultBuffer is how much waits for the slowest subscriber.
func defaultBuffer() int { return queue.Small() }

// smallestBuffer is the smallest buffer for more than one element.
const smallestBuffer = 8

// bufferSize returns the size of the buffer that is made when one of n > 0 is wanted.
func bufferSize(n int) int {
	if n == 1 {
		return 1
	}
	if n > math.MaxInt/2+1 {
		return n // there is no larger power of two
	}
	return 1 << bits.Len(uint(max(n, smallestBuffer)-1))
}

// multicastBuffer goes at the pace of its slowest subscriber.
type multicastBuffer[T any] struct {
	protocol.Op
	fanout multicast.Fanout[T]
	wait   line
	// accepted counts the elements that were emitted, those that are being delivered among them. Only emissions
	// touch it, and SubscribeTo, behind which there are none.
	accepted int64
}

func newMulticastBuffer[T any](size int, autoCancel bool) *multicastBuffer[T] {
	c := &multicastBuffer[T]{}
	c.fanout.Queue = queue.NewBounded[T](bufferSize(size))
	c.fanout.AutoCancel = autoCancel
	c.fanout.Closing = c.wait.Wake
	c.fanout.Polled = c.wait.Wake
	return c
}

func (c *multicastBuffer[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	member := multicast.NewMember(ctx, down)
	defer func() { // also if downstream ends the goroutine
		if !c.fanout.Add(member) {
			member.End(c.fanout.Err())
		}
	}()
	down.OnSubscribe(member)
}

func (c *multicastBuffer[T]) next(v T) EmitResult {
	switch {
	case c.fanout.Ended():
		return FailTerminated
	case c.accepted == 0 && c.fanout.Stopped():
		// A sink with elements before its last subscriber left swallows what comes after that.
		return FailCancelled
	}
	c.accepted++
	if c.fanout.Offer(v) {
		return OK
	}
	c.accepted--
	switch {
	case c.fanout.Stopped():
		return FailCancelled // it is about to be emptied
	case c.fanout.Subscribers() == 0:
		return FailZeroSubscriber
	}
	return FailOverflow
}

func (c *multicastBuffer[T]) end(err error) EmitResult {
	if c.fanout.Ended() {
		return FailTerminated
	}
	c.fanout.End(err)
	return OK
}

func (c *multicastBuffer[T]) line() *line { return &c.wait }

func (c *multicastBuffer[T]) subscribers() int { return c.fanout.Subscribers() }

func (c *multicastBuffer[T]) context() context.Context { return c.fanout.Context() }

// multicastDirect keeps nothing.
type multicastDirect[T any] struct {
	protocol.Op
	allOrNothing bool
	wait         line
	direct       multicast.Direct[T]
}

func newMulticastDirect[T any](allOrNothing bool) *multicastDirect[T] {
	c := &multicastDirect[T]{allOrNothing: allOrNothing}
	c.direct.Line = &c.wait
	return c
}

func (c *multicastDirect[T]) producedBy(g *guard) { c.direct.Turn.By, g.turn = g, &c.direct.Turn }

func (c *multicastDirect[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	r := c.direct.NewReceiver(ctx, down)
	defer c.direct.Add(r) // also if downstream ends the goroutine
	down.OnSubscribe(r)
}

func (c *multicastDirect[T]) next(v T) EmitResult {
	switch {
	case c.direct.Send(v, c.allOrNothing):
		return OK
	case c.direct.Ended():
		return FailTerminated
	case c.direct.IsDeserted():
		return FailZeroSubscriber
	}
	return FailOverflow
}

func (c *multicastDirect[T]) end(err error) EmitResult {
	if c.direct.Ended() {
		return FailTerminated
	}
	c.direct.End(err)
	return OK
}

func (c *multicastDirect[T]) line() *line { return &c.wait }

func (c *multicastDirect[T]) subscribers() int { return c.direct.Subscribers() }

func (c *multicastDirect[T]) context() context.Context { return c.direct.Context() }
