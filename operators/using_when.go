package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// AsyncCleanup says how [UsingWhen] releases a resource: each function returns a
// publisher that is run to its end, whatever its elements.
type AsyncCleanup[R, C any] struct {
	// Complete is for a stream that has completed. It must not be nil.
	Complete func(R) reactor.Publisher[C]
	// Error is for a stream that has failed; nil means Complete.
	Error func(R, error) reactor.Publisher[C]
	// Cancel is for a stream that was cancelled; nil means Complete.
	Cancel func(R) reactor.Publisher[C]
	// ResourceIsSingle says that the publisher of the resource has at most one element,
	// so that it need not be cancelled after that element.
	ResourceIsSingle bool
}

// UsingWhen ties a resource that is acquired and released asynchronously to a subscription. use
// gets the first element of resource and returns a publisher, whose elements are emitted; at the
// end of that publisher, or at the cancellation, the cleanup for that outcome runs.
//
//	resource:  --- r |
//	use(r):          a --- b |
//	           UsingWhen(resource, use, cleanup)
//	out:       ----- a --- b |      cleanup runs before |
//
// Demand goes to the publisher of use. The end reaches downstream when the cleanup has ended. If
// the cleanup fails, the end becomes reactor.ErrCleanup with both errors; if the cleanup function
// panics, the end becomes the error of that panic, joined with the error of the stream if there is
// one. After a cancellation, also one by a failing stage below, nobody waits for the cleanup, and
// its failure is reported as dropped. A cancellation while a cleanup runs does not stop the
// cleanup. Cleanups see the values of the subscription's context, but not its end. If resource
// completes without an element or fails, so does the stream. The functions run on the goroutines of
// resource, of the publisher that use returns, and of the caller that cancels.
func UsingWhen[T, R, C any](
	resource reactor.Publisher[R], use func(R) reactor.Publisher[T], cleanup AsyncCleanup[R, C],
) reactor.Publisher[T] {
	return newUsingWhen(resource, use, cleanup, false)
}

// MonoUsingWhen is [UsingWhen] for a publisher of use that sends at most one element.
// That element is held back until the cleanup has ended well.
//
//	resource:  --- r |
//	use(r):          --- a |
//	           MonoUsingWhen(resource, use, cleanup)
//	out:       --------- a |
func MonoUsingWhen[T, R, C any](
	resource reactor.Publisher[R], use func(R) reactor.Publisher[T], cleanup AsyncCleanup[R, C],
) reactor.Publisher[T] {
	return newUsingWhen(resource, use, cleanup, true)
}

type usingWhenPublisher[T, R, C any] struct {
	protocol.Op
	resource reactor.Publisher[R]
	use      func(R) reactor.Publisher[T]
	cleanup  AsyncCleanup[R, C]
	single   bool
}

func newUsingWhen[T, R, C any](
	resource reactor.Publisher[R], use func(R) reactor.Publisher[T], cleanup AsyncCleanup[R, C], single bool,
) reactor.Publisher[T] {
	argument.Given("usingWhen", "function that uses", use != nil)
	argument.NotNil("usingWhen", "cleanup after completion", cleanup.Complete)
	complete := cleanup.Complete
	if cleanup.Error == nil {
		cleanup.Error = func(r R, _ error) reactor.Publisher[C] { return complete(r) }
	}
	if cleanup.Cancel == nil {
		cleanup.Cancel = complete
	}
	return &usingWhenPublisher[T, R, C]{
		resource: protocol.Trust("usingWhen", resource), use: use, cleanup: cleanup, single: single,
	}
}

func (p *usingWhenPublisher[T, R, C]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	source, ok := direct.AsCallable[R](p.resource)
	if !ok {
		p.resource.Subscribe(ctx, &resourceSubscriber[T, R, C]{p: p, ctx: ctx, down: down})
		return
	}
	var r R
	var err error
	if !failure.Guard(
		func() { r, ok, err = source.Call(ctx) },
		func(err error) { protocol.Fail(down, reactor.OperatorError(ctx, err, nil)) },
	) {
		return
	}
	switch {
	case err != nil:
		protocol.Fail(down, reactor.OperatorError(ctx, err, nil))
	case !ok:
		protocol.Complete(down)
	default:
		p.subscribe(ctx, down, r, nil)
	}
}

// subscribe goes on with the resource. later is the subscription that downstream
// has already, if there was one to wait for the resource with.
func (p *usingWhenPublisher[T, R, C]) subscribe(ctx context.Context, down reactor.Subscriber[T], r R, later *protocol.Deferred) {
	sub := &usingWhenSubscriber[T, R, C]{p: p, ctx: ctx, down: down, resource: r, later: later}
	var src reactor.Publisher[T]
	if failure.Guard(
		func() { src = protocol.Trust("usingWhen", p.use(r)) },
		func(err error) { protocol.Fail(sub, reactor.OperatorError(ctx, err, nil)) },
	) {
		src.Subscribe(ctx, sub)
	}
}

// resourceSubscriber waits for the resource; it is the subscription of downstream.
type resourceSubscriber[T, R, C any] struct {
	protocol.Inner
	protocol.Deferred // to the used publisher
	p                 *usingWhenPublisher[T, R, C]
	ctx               context.Context
	down              reactor.Subscriber[T]
	up                reactor.Subscription
	provided          atomic.Bool // the resource is there, or will not come
}

func (s *resourceSubscriber[T, R, C]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	defer up.Request(reactor.Unbounded) // also if downstream ends the goroutine
	s.down.OnSubscribe(s)
}

func (s *resourceSubscriber[T, R, C]) OnNext(r R) {
	if s.provided.Swap(true) {
		reactor.DropNext(s.ctx, r)
		return
	}
	if s.IsCancelled() {
		sub := &usingWhenSubscriber[T, R, C]{p: s.p, ctx: s.ctx, down: s.down, resource: r}
		sub.abandon()
	} else {
		s.p.subscribe(s.ctx, s.down, r, &s.Deferred)
	}
	if !s.p.cleanup.ResourceIsSingle {
		s.up.Cancel()
	}
}

func (s *resourceSubscriber[T, R, C]) OnError(err error) {
	if s.provided.Swap(true) {
		reactor.DropError(s.ctx, err)
		return
	}
	s.down.OnError(err)
}

func (s *resourceSubscriber[T, R, C]) OnComplete() {
	if !s.provided.Swap(true) {
		s.down.OnComplete()
	}
}

// Cancel cancels whichever of the two is running. A resource that comes
// nevertheless is released as after a cancellation.
func (s *resourceSubscriber[T, R, C]) Cancel() {
	defer s.Deferred.Cancel() // also if a function that hears of it ends the goroutine
	if !s.provided.Load() {
		s.up.Cancel()
	}
}
