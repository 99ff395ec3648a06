package sinks

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/multicast"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/unicast"
)

// unicastBuffer keeps what its subscriber has not asked for.
type unicastBuffer[T any] struct {
	unicast.Publisher[T]
	onEnd func() // nil: nothing
	wait  line
}

// unicastChunk is by how many elements an unbounded queue grows.
const unicastChunk = 64

func newUnicastBuffer[T any](capacity int, onEnd func()) *unicastBuffer[T] {
	c := &unicastBuffer[T]{onEnd: onEnd}
	var q queue.Queue[T]
	if capacity > 0 {
		q = &bounded[T]{queue.NewBounded[T](capacity), &c.wait}
	} else {
		q = queue.NewLinked[T](unicastChunk)
	}
	c.Init("unicast sink", context.Background(), q, c)
	return c
}

// bounded is a queue that wakes those who wait for room when an element has left the queue, which may be long before
// the element is delivered.
type bounded[T any] struct {
	queue.Queue[T]
	wait *line
}

func (b *bounded[T]) Poll() (v T, ok bool) {
	if v, ok = b.Queue.Poll(); ok {
		b.wait.Wake()
	}
	return v, ok
}

func (c *unicastBuffer[T]) next(v T) EmitResult { return resultOf(c.Next(v)) }

func (c *unicastBuffer[T]) end(err error) EmitResult {
	return resultOf(c.EndOnly(err)) // there will be no other subscriber who could hear of an error
}

func (c *unicastBuffer[T]) line() *line { return &c.wait }

func (c *unicastBuffer[T]) subscribers() int { return c.Subscribers() }

func (c *unicastBuffer[T]) context() context.Context { return c.Context() }

// Released implements unicast.Owner.
func (c *unicastBuffer[T]) Released(bool) {
	defer c.wait.Wake() // also if the function ends the goroutine
	if c.onEnd != nil {
		failure.Guard(c.onEnd, func(err error) { reactor.DropError(c.Context(), err) })
	}
}

func resultOf(r unicast.Result) EmitResult {
	switch r {
	case unicast.Terminated:
		return FailTerminated
	case unicast.Cancelled:
		return FailCancelled
	case unicast.Overflow:
		return FailOverflow
	case unicast.NoSubscriber:
		return FailZeroSubscriber
	}
	return OK
}

// unicastError keeps nothing.
type unicastError[T any] struct {
	protocol.Op
	wait   line
	taken  atomic.Bool
	known  atomic.Bool // the subscriber has its subscription
	direct multicast.Direct[T]
}

func newUnicastError[T any]() *unicastError[T] {
	c := &unicastError[T]{}
	c.direct.Line = &c.wait
	c.direct.Only = true
	return c
}

func (c *unicastError[T]) producedBy(g *guard) { c.direct.Turn.By, g.turn = g, &c.direct.Turn }

func (c *unicastError[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	if c.taken.Swap(true) {
		protocol.Fail(down, reactor.Failure("unicast sink", reactor.ErrIllegalState, "only one subscriber is allowed, this is another one"))
		return
	}
	only := c.direct.NewReceiver(ctx, down)
	defer func() { // also if the subscriber ends the goroutine: there will be no other
		c.direct.Add(only)
		c.known.Store(true)
		c.wait.Wake() // who waits for it
	}()
	down.OnSubscribe(only)
}

func (c *unicastError[T]) next(v T) EmitResult {
	switch {
	case !c.known.Load():
		return FailZeroSubscriber
	case c.direct.Send(v, true):
		return OK
	}
	return c.refusal()
}

// refusal returns why an emission fails although there was a subscriber.
func (c *unicastError[T]) refusal() EmitResult {
	switch {
	case c.direct.Ended():
		return FailTerminated
	case c.direct.IsDeserted():
		return FailCancelled
	}
	return FailOverflow
}

func (c *unicastError[T]) end(err error) EmitResult {
	switch {
	case !c.known.Load():
		return FailZeroSubscriber
	case c.direct.Ended() || c.direct.IsDeserted():
		return c.refusal()
	}
	c.direct.End(err)
	return OK
}

func (c *unicastError[T]) line() *line { return &c.wait }

func (c *unicastError[T]) subscribers() int { return c.direct.Subscribers() }

func (c *unicastError[T]) context() context.Context { return c.direct.Context() }
