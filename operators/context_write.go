package operators

import (
	"context"
	"fmt"
	"reflect"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/upstream"
)

// ContextWrite changes the context that all stages above see: write gets the context of
// the subscriber and returns the context for the stages above.
//
//	src:  --- 1 |          Defer(func(ctx) …) above sees what write returns
//	      ContextWrite(write)
//	out:  --- 1 |
//
// A returned context that ends on its own (context.WithTimeout, …) is watched here:
// when it ends, src is cancelled and the stream fails with its context.Cause. If write
// panics, or returns nil, src is not subscribed to and the stream fails. write runs on
// the goroutine that subscribes, once per subscription. If the returned context has a
// cancel function, call that in a [DoFinally] above.
func ContextWrite[T any](src reactor.Publisher[T], write func(context.Context) context.Context) reactor.Publisher[T] {
	argument.Given("contextWrite", "function", write != nil)
	return &contextWritePublisher[T]{src: protocol.Trust("contextWrite", src), write: write}
}

// ContextWriteValue is [ContextWrite] with context.WithValue.
//
//	src:  --- 1 |
//	      ContextWriteValue(tenantKey{}, "acme")
//	out:  --- 1 |
func ContextWriteValue[T any](src reactor.Publisher[T], key, value any) reactor.Publisher[T] {
	argument.Given("contextWrite", "key", key != nil)
	if !reflect.TypeOf(key).Comparable() { // context.WithValue takes no such key, and knows of no operator
		panic(fmt.Sprintf("reactor: contextWrite: the key is of type %T, which can't be compared", key))
	}
	return ContextWrite(src, func(ctx context.Context) context.Context {
		return context.WithValue(ctx, key, value)
	})
}

// writtenKey is the key that a written context is asked for. It has no value.
type writtenKey struct{}

type contextWritePublisher[T any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	write func(context.Context) context.Context
}

func (p *contextWritePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	var inner context.Context
	var err error
	ends := false // by itself
	if !failure.Guard(
		func() {
			if inner, err = p.written(ctx); err == nil {
				ends = inner.Done() != nil && inner.Done() != ctx.Done() // here, because it is code of the function's, too
			}
		},
		func(err error) { protocol.Fail(down, reactor.OperatorError(ctx, err, nil)) },
	) {
		return
	}
	if err != nil {
		protocol.Fail(down, err)
		return
	}
	if !ends {
		p.src.Subscribe(inner, down)
		return
	}
	p.src.Subscribe(inner, &contextWriteSubscriber[T]{ctx: inner, down: down, out: protocol.Half{Down: down}})
}

// written returns the context that upstream sees.
func (p *contextWritePublisher[T]) written(ctx context.Context) (context.Context, error) {
	inner := p.write(ctx)
	if inner == nil {
		return nil, reactor.Failure("contextWrite", reactor.ErrIllegalArgument, "the function returned a nil context")
	}
	upstream.ShowContext(ctx, inner)
	inner.Value(writtenKey{}) // a context that can't be read fails here, where that can be told, rather than in a stage above
	return inner, nil
}

// Computable reports whether its source is: see [direct.Is].
func (p *contextWritePublisher[T]) Computable() direct.Way { return whole(isComputable(p.src)) }

// Direct implements direct.Source. A context with an end of its own, or with hooks that want to
// hear of what happens, needs a subscription.
func (p *contextWritePublisher[T]) Direct(ctx context.Context) (v T, ok bool, err error) {
	inner, err := p.written(ctx)
	if err != nil {
		return v, false, err
	}
	if inner.Done() != ctx.Done() || !direct.MayCompute(inner) {
		return v, false, &instead[T]{alreadyWritten(inner, p.src)}
	}
	if v, ok, err = second(inner, p.src); err != nil {
		err = passed[T, T](err, alreadyWritten[T](inner, nil))
	}
	return v, ok, err
}

// alreadyWritten is contextWrite whose function has returned inner before.
func alreadyWritten[T any](inner context.Context, src reactor.Publisher[T]) *contextWritePublisher[T] {
	return &contextWritePublisher[T]{src: src, write: func(context.Context) context.Context { return inner }}
}

func (p *contextWritePublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &contextWritePublisher[T]{src: src, write: p.write}
}

// contextWriteSubscriber watches a context that can end by itself.
type contextWriteSubscriber[T any] struct {
	protocol.Inner
	ctx  context.Context
	down reactor.Subscriber[T]
	out  protocol.Half
	link protocol.Deferred // to upstream; demand waits until downstream has its subscription
	stop func() bool       // ends the watch; written before downstream gets the subscription, read after
}

func (s *contextWriteSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.out.Hold()
	s.stop = live.WatchContext(s.ctx, (*contextWriteEnded[T])(s))
	// Deferred: downstream may end the goroutine.
	defer s.link.Set(up)
	defer s.out.Release()
	s.out.Down.OnSubscribe(s)
}

func (s *contextWriteSubscriber[T]) OnNext(v T) {
	if !s.out.Deliver(s.down, v) {
		reactor.Discard(s.ctx, v)
	}
}

func (s *contextWriteSubscriber[T]) OnError(err error) {
	s.link.Close()
	s.stop()
	if unheard := s.out.SourceEnd(err); unheard != nil {
		belated.Drop(s.ctx, unheard)
	}
}

func (s *contextWriteSubscriber[T]) OnComplete() {
	s.link.Close()
	s.stop()
	s.out.SourceEnd(nil)
}

func (s *contextWriteSubscriber[T]) Request(n int64) { s.link.Request(n) }

func (s *contextWriteSubscriber[T]) Cancel() {
	defer s.stop() // also if a function that hears of it ends the goroutine
	s.link.Cancel()
}

// contextWriteEnded hears of the end of the context.
type contextWriteEnded[T any] contextWriteSubscriber[T]

// ContextEnded implements [live.Ended].
func (e *contextWriteEnded[T]) ContextEnded() {
	s := (*contextWriteSubscriber[T])(e)
	s.link.CancelAnd(func() { s.out.End(reactor.NonNil(context.Cause(s.ctx))) })
}
