package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/upstream"
)

// ExhaustMapOption configures [ExhaustMap]: [Prefetch] (default 32), [DelayErrors].
type ExhaustMapOption interface{ applyExhaustMap(*flatMapConfig) }

func (n PrefetchOption) applyExhaustMap(c *flatMapConfig)    { n.applyFlatMap(c) }
func (d DelayErrorsOption) applyExhaustMap(c *flatMapConfig) { d.applyFlatMap(c) }

// ExhaustMap emits the elements of the publisher that fn returns for an element, and discards the
// elements of src that come meanwhile. Project Reactor has no such operator. The name is that of
// RxJS.
//
//	src:  1 - 2 ----- 3 --------- |
//	      ExhaustMap(n => 10n and 10n+1, each 4 later)
//	out:  --- 10 - 11 --- 30 - 31 |
//
// Everything is requested of src, and no element of src waits. One inner publisher is subscribed at
// a time; until it has completed and everything that it sent was delivered, elements of src are
// discarded. The inner publisher is asked for [Prefetch] elements ahead of demand. The stream
// completes when src and the last inner publisher have completed.
//
// The first error, of src, of fn, or of the inner publisher, cancels the other side, discards the
// elements that wait and ends the stream. With [DelayErrors] the errors, joined if there are
// several, come when src and the last inner publisher have ended. A nil publisher is an error of
// fn.
//
// Cancellation cancels src and the inner publisher. fn runs on the goroutine of src. Elements are emitted on whatever
// goroutine delivers first: that of the inner publisher or of a request.
func ExhaustMap[T, R any](
	src reactor.Publisher[T], fn func(T) reactor.Publisher[R], opts ...ExhaustMapOption,
) reactor.Publisher[R] {
	const op = "exhaustMap"
	argument.Given(op, "mapper", fn != nil)
	p := &exhaustMapPublisher[T, R]{
		src:           protocol.Trust(op, src),
		fn:            func(v T) reactor.Publisher[R] { return fn(v) }, // for the name in its failure
		flatMapConfig: flatMapConfig{op: op, concurrency: 1, prefetch: defaultPrefetch()},
	}
	for _, o := range argument.Options(op, opts) {
		o.applyExhaustMap(&p.flatMapConfig)
	}
	return p
}

// exhaustMapPublisher is a flatMap with room for one inner publisher, behind a stage that discards
// the elements that there is no room for.
type exhaustMapPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) reactor.Publisher[R]
	flatMapConfig
}

func (p *exhaustMapPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	if flatMapScalar(p.op, ctx, p.src, p.fn, s, upstream.Continuing(ctx)) {
		return
	}
	one := &flatMapSubscriber[T, R]{fn: p.fn}
	one.main.begin(p.op, ctx, s, p.concurrency, p.prefetch, p.delayErrors)
	room := &backpressureDropSubscriber[T]{discard: reactor.DiscardHookFor[T](ctx), down: one}
	room.Ctx, room.Down = ctx, one
	p.src.Subscribe(ctx, room)
}
