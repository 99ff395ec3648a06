package operators

import (
	"context"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/protocol"
)

// isPulled reports whether src computes its elements on request, on the goroutine that requests,
// one as well as many, and no function of the user hears of a cancellation or of a subscription: a
// range or a slice, behind stages that are a function of an element.
//
//go:noinline
func isPulled(src any) bool {
	p, ok := src.(interface{ pulled() bool })
	return ok && p.pulled()
}

// computePulled runs src, of at most one element, a stage that asks a source that isPulled for
// everything. It is subscribed to as usual, but by a subscriber that does not need a watch over the
// context.
func computePulled[T any](ctx context.Context, src reactor.Publisher[T]) (v T, ok bool, err error) {
	s := &pulledSink[T]{ctx: ctx}
	s.run.Down = s
	src.Subscribe(ctx, s)
	if !s.ended {
		s.ask()
	}
	switch {
	case !s.ended:
		return v, false, context.Cause(ctx)
	case s.err != nil:
		return v, false, s.err
	}
	return s.value, s.has, nil
}

// pulledSink is the subscriber of such a stage. All but Watch happens on one goroutine.
type pulledSink[T any] struct {
	protocol.Inner
	ctx   context.Context
	up    reactor.Subscription // set by OnSubscribe
	run   protocol.Half        // told of the run of the source
	value T
	has   bool
	err   error
	ended bool

	telling sync.WaitGroup // of the end of the context, by the goroutine that watches it
}

func (s *pulledSink[T]) OnSubscribe(up reactor.Subscription) { s.up = up }

// ask asks for everything, unless the context has ended.
func (s *pulledSink[T]) ask() {
	if s.ctx.Err() != nil {
		s.up.Cancel()
		return
	}
	if s.ctx.Done() != nil {
		a, is := s.up.(interface{ AttachLooking(h *protocol.Half) bool })
		if !is || !a.AttachLooking(&s.run) {
			defer s.Watch()()
		}
	}
	s.up.Request(reactor.Unbounded)
}

// Look cancels if the context has ended: see [protocol.Half.AttachLooking].
func (s *pulledSink[T]) Look() {
	if s.ctx.Err() != nil {
		s.up.Cancel()
	}
}

// Watch makes the end of the context cancel, until stop is called.
func (s *pulledSink[T]) Watch() (stop func()) {
	s.telling.Add(1)
	unwatch := live.AfterContext(s.ctx, (*pulledEnded[T])(s))
	return func() {
		if !unwatch() {
			s.telling.Wait() // all is over when the stage has let go of what it has
		}
	}
}

// pulledEnded hears of the end of the context.
type pulledEnded[T any] pulledSink[T]

// ContextEnded implements [live.Ended].
func (e *pulledEnded[T]) ContextEnded() {
	s := (*pulledSink[T])(e)
	defer s.telling.Done() // also if what is told of a discarded element ends the goroutine
	s.up.Cancel()
}

func (s *pulledSink[T]) OnNext(v T) {
	if s.ended {
		reactor.Discard(s.ctx, v)
		return
	}
	s.value, s.has = v, true
}

func (s *pulledSink[T]) OnError(err error) {
	if s.ended {
		reactor.DropError(s.ctx, err)
		return
	}
	s.ended, s.err = true, err
}

func (s *pulledSink[T]) OnComplete() { s.ended = true }
