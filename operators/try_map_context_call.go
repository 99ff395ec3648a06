package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// callPublisher is tryMapContext and its like: for each element a call with a context
// that ends when the subscriber cancels meanwhile.
type callPublisher[T, R any] struct {
	protocol.Op
	op   string
	src  reactor.Publisher[T]
	call func(context.Context, T) (R, bool, error) // false: v is discarded
}

func (p *callPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	c := newCalls(ctx)
	from := &callSource[T]{src: p.src, calls: c}
	TryMapOptional(from, func(v T) (R, bool, error) {
		if !c.begin() {
			reactor.Discard(ctx, v)
			return *new(R), false, nil
		}
		r, ok, err := p.call(c.call, v)
		switch {
		case !c.end():
			c.drop(err)
			if err == nil && ok {
				reactor.Discard(ctx, r)
			} else {
				reactor.Discard(ctx, v)
			}
			return *new(R), false, nil
		case err == nil && !ok:
			from.rejected.Discard(ctx, v)
		}
		return r, ok, err
	}).Subscribe(ctx, s)
}

// calls are the calls of one subscription, one after the other, and the subscription
// that is handed down.
type calls struct {
	ctx   context.Context      // of the subscription
	call  *callContext         // of the calls
	up    reactor.Subscription // set by OnSubscribe of the source
	state atomic.Uint32
}

const (
	callsIdle = iota
	callsRunning
	callsCancelled
)

func newCalls(ctx context.Context) *calls { return &calls{ctx: ctx, call: &callContext{of: ctx}} }

// begin reports whether a call may begin. One before it that has failed by a panic is
// over. Called by the signals of upstream, as is end.
func (c *calls) begin() bool {
	for {
		old := c.state.Load()
		if old == callsCancelled {
			return false
		}
		if old == callsRunning || c.state.CompareAndSwap(callsIdle, callsRunning) {
			return true
		}
	}
}

// end reports whether the call that has returned was not cancelled.
func (c *calls) end() bool {
	chaos.Yield()
	return c.state.CompareAndSwap(callsRunning, callsIdle)
}

// drop reports the error of a call that was cancelled, unless it is about that.
func (c *calls) drop(err error) {
	if err != nil && !belated.IsCancellation(c.call, err) {
		reactor.DropError(c.ctx, err)
	}
}

func (c *calls) Request(n int64) { c.up.Request(n) }

// Cancel ends the context if a call is under way.
func (c *calls) Cancel() {
	if c.state.Swap(callsCancelled) == callsRunning {
		chaos.Yield()
		cause := context.Cause(c.ctx)
		if cause == nil {
			cause = reactor.ErrCancelled
		}
		c.call.stop(cause)
	}
	c.up.Cancel()
}

// callSource is the source of a callPublisher, which shows the cancellation to calls.
type callSource[T any] struct {
	protocol.Op
	src      reactor.Publisher[T]
	calls    *calls
	rejected pending.Unwanted[T] // touched by the signals of src
}

func (p *callSource[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, &callSubscriber[T]{down: s, calls: p.calls})
}

type callSubscriber[T any] struct {
	protocol.Inner
	down  reactor.Subscriber[T]
	calls *calls
}

func (s *callSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.calls.up = up
	s.down.OnSubscribe(s.calls)
}

func (s *callSubscriber[T]) OnNext(v T)        { s.down.OnNext(v) }
func (s *callSubscriber[T]) OnError(err error) { s.down.OnError(err) }
func (s *callSubscriber[T]) OnComplete()       { s.down.OnComplete() }
