package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/netreactor"
)

// caller makes calls over one connection, any number of them at a time.
type caller struct {
	conn *netreactor.Conn[answer, call]
	stop reactor.Disposable

	mu      sync.Mutex
	last    uint64                        // id; mu
	waiting map[uint64]*mono.Sink[answer] // mu
	failed  error                         // why there are no more calls; mu
}

// connect returns a caller of the server at addr.
func connect(ctx context.Context, addr string) (*caller, error) {
	conn, err := netreactor.Dial(ctx, addr, client)
	if err != nil {
		return nil, err
	}
	c := &caller{conn: conn, waiting: make(map[uint64]*mono.Sink[answer])}
	c.stop = conn.Inbound().SubscribeFunc(context.WithoutCancel(ctx), c.answered,
		flux.OnError(c.fail), flux.OnComplete(func() { c.fail(netreactor.ErrClosed) }))
	return c, nil
}

// call returns a Mono that makes a call when it is subscribed to, and emits the answer. Whoever
// cancels it does not hear the answer any more.
func (c *caller) call(work time.Duration, text string) mono.Mono[answer] {
	return mono.Create(func(sink *mono.Sink[answer]) {
		id, err := c.enter(sink)
		if err != nil {
			sink.Error(err)
			return
		}
		sink.OnDispose(func() { c.leave(id) })
		if err := c.conn.Send(call{id, work, text}); err != nil && c.leave(id) != nil { // else it was cancelled, or fail has it
			sink.Error(err)
		}
	})
}

// enter gives a call an id.
func (c *caller) enter(sink *mono.Sink[answer]) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return 0, c.failed
	}
	c.last++
	c.waiting[c.last] = sink
	return c.last, nil
}

// leave takes the call away, and returns who waits for it, nil if nobody does any more.
func (c *caller) leave(id uint64) *mono.Sink[answer] {
	c.mu.Lock()
	defer c.mu.Unlock()
	sink := c.waiting[id]
	delete(c.waiting, id)
	return sink
}

func (c *caller) answered(a answer) {
	sink := c.leave(a.id)
	switch {
	case sink == nil: // cancelled
	case a.err != "":
		sink.Error(errors.New(a.err))
	default:
		sink.Success(a)
	}
}

// fail ends all calls.
func (c *caller) fail(err error) {
	c.mu.Lock()
	waiting := c.waiting
	c.waiting, c.failed = nil, err
	c.mu.Unlock()
	for _, sink := range waiting {
		sink.Error(err)
	}
}

// close disconnects. Calls that have no answer fail.
func (c *caller) close() {
	c.conn.Close()
	<-c.conn.Context().Done()
}
