package sinks

import (
	"context"
	"math/bits"
	"sync/atomic"

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
	return 1 << bits.Len(uint(max(n, smallestBuffer)-1))
}

// multicastBuffer goes at the pace of its slowest subscriber.
type multicastBuffer[T any] struct {
	protocol.Op
	hub  multicast.Hub[T]
	wait line
	used bool // an element was accepted; touched by emissions only
}

func newMulticastBuffer[T any](size int, autoCancel bool) *multicastBuffer[T] {
	c := &multicastBuffer[T]{}
	c.hub.Queue = queue.NewRing[T](bufferSize(size))
	c.hub.AutoCancel = autoCancel
	c.hub.Closing = c.wait.wake
	c.hub.Consumed = func(int64) { c.wait.wake() }
	return c
}

func (c *multicastBuffer[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	spoke := multicast.NewSpoke(ctx, down)
	down.OnSubscribe(spoke)
	if !c.hub.Add(spoke) {
		spoke.End(c.hub.Err())
	}
}

func (c *multicastBuffer[T]) next(v T) EmitResult {
	switch {
	case c.hub.Ended():
		return FailTerminated
	case !c.used && c.hub.Stopped():
		// One that was used before its last subscriber left swallows what comes.
		return FailCancelled
	case c.hub.Offer(v):
		c.used = true
		return OK
	case c.hub.Stopped():
		return FailCancelled // it is about to be emptied
	case c.hub.Subscribers() == 0:
		return FailZeroSubscriber
	}
	return FailOverflow
}

func (c *multicastBuffer[T]) end(err error) EmitResult {
	if c.hub.Ended() {
		return FailTerminated
	}
	c.hub.End(err)
	return OK
}

func (c *multicastBuffer[T]) line() *line { return &c.wait }

func (c *multicastBuffer[T]) subscribers() int { return c.hub.Subscribers() }

func (c *multicastBuffer[T]) context() context.Context { return c.hub.Context() }

// multicastDirect keeps nothing.
type multicastDirect[T any] struct {
	protocol.Op
	allOrNothing bool
	wait         line
	set          multicast.Set[*multicast.Direct[T]]
	err          error                               // of the end; written by an emission before set is closed
	near         atomic.Pointer[multicast.Direct[T]] // who came last
}

func (c *multicastDirect[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	d := multicast.NewDirect(ctx, down, func(d *multicast.Direct[T]) {
		c.set.Remove(d)
		c.wait.wake() // it may have been the only one without demand
	})
	d.Asked = c.wait.wake
	down.OnSubscribe(d)
	c.near.Store(d)
	switch {
	case d.IsGone():
	case !c.set.Add(d):
		d.End(c.err)
	case d.IsGone():
		c.set.Remove(d)
	}
	c.wait.wake() // it may have asked before it was added
}

func (c *multicastDirect[T]) next(v T) EmitResult {
	members := c.set.Members()
	if len(members) == 0 {
		if c.set.IsClosed() {
			return FailTerminated
		}
		return FailZeroSubscriber
	}
	if c.allOrNothing && !allWant(members) {
		return FailOverflow
	}
	var sent, gone int
	multicast.Each(members, func(d *multicast.Direct[T]) {
		switch {
		case d.Send(v):
			sent++
		case d.IsGone():
			gone++
		}
	})
	switch {
	case gone == len(members):
		return FailZeroSubscriber
	case sent == 0:
		return FailOverflow
	}
	return OK
}

// allWant reports whether nobody who is there lacks demand.
func allWant[T any](members []*multicast.Direct[T]) bool {
	for _, d := range members {
		if !d.HasDemand() && !d.IsGone() {
			return false
		}
	}
	return true
}

func (c *multicastDirect[T]) end(err error) EmitResult {
	if c.set.IsClosed() {
		return FailTerminated
	}
	c.err = err
	multicast.Each(c.set.Close(), func(d *multicast.Direct[T]) { d.End(err) })
	return OK
}

func (c *multicastDirect[T]) line() *line { return &c.wait }

func (c *multicastDirect[T]) subscribers() int { return c.set.Len() }

func (c *multicastDirect[T]) context() context.Context {
	if d := c.near.Load(); d != nil {
		return d.Context()
	}
	return context.Background()
}
