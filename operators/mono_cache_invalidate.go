package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// MonoCacheInvalidateIf keeps the element of src, which must send one, until stale
// reports true for it: stale is asked at every subscription. A stale element is
// discarded, and src runs again.
//
//	src:  --- 1 |     --- 2 |
//	      MonoCacheInvalidateIf(stale)
//	out:  --- 1 |
//	out:            1 |             stale(1) = false
//	out:                --- 2 |     stale(1) = true
//
// Subscribers that come while src runs share that run, with unbounded demand and the
// values of the first subscriber's context; when the last of them leaves, the run is
// cancelled. An error is not kept, nor is an empty end, which becomes
// reactor.ErrNoElements. A panic of stale discards the element and fails the subscriber
// concerned. stale runs on the subscriber's goroutine.
func MonoCacheInvalidateIf[T any](src reactor.Publisher[T], stale func(T) bool) reactor.Publisher[T] {
	argument.Given("cacheInvalidateIf", "predicate", stale != nil)
	return &sharedMono[T]{
		src:      protocol.Trust("cacheInvalidateIf", src),
		refCount: true,
		admit:    admitElement[T]("cacheInvalidateIf"),
		stale:    stale,
	}
}

// MonoCacheInvalidateWhen keeps the element v of src, which must send one, until the publisher
// trigger(v) ends in whatever way; then invalidated, which may be nil, is called with v, and
// the next subscriber starts src again.
//
//	src:         --- 1 |           --- 2 |
//	trigger(1):      ------- |
//	             MonoCacheInvalidateWhen(trigger, nil)
//	out:         --- 1 |
//	out:                 1 |
//	out:                           --- 2 |
//
// Subscribers share runs of src as with [MonoCacheInvalidateIf]; errors and empty ends are not
// kept. The trigger is subscribed, with unbounded demand, when the waiting subscribers have
// got the element; the elements of the trigger are discarded, and its error, which no
// subscriber can get, is reported as dropped. A panic of the function trigger fails all
// waiting subscribers; then invalidated is called or, if it is nil, the element is discarded.
// A panic of invalidated is reported as a dropped error. Both run on the goroutine of src or
// of the trigger.
func MonoCacheInvalidateWhen[T, U any, P reactor.Publisher[U]](src reactor.Publisher[T], trigger func(T) P, invalidated func(T)) reactor.Publisher[T] {
	argument.Given("cacheInvalidateWhen", "trigger function", trigger != nil)
	g := &sharedMono[T]{src: protocol.Trust("cacheInvalidateWhen", src), refCount: true}
	gone := func(ctx context.Context, v T) {
		if invalidated != nil {
			failure.Guard(func() { invalidated(v) }, func(err error) { reactor.DropError(ctx, err) })
		}
	}
	admit := admitElement[T]("cacheInvalidateWhen")
	g.admit = func(ctx context.Context, sig reactor.Signal[T], is *admission[T]) {
		admit(ctx, sig, is)
		v, ok := is.signal.Value()
		if !ok {
			return
		}
		var end reactor.Publisher[U]
		if !failure.Guard(
			func() { end = protocol.Trust[U]("cacheInvalidateWhen", trigger(v)) },
			func(err error) {
				*is = admission[T]{
					signal: reactor.ErrorSignal[T](reactor.OperatorError(ctx, err, v)),
					delivered: func(*sharedOutcome[T]) {
						if gone(ctx, v); invalidated == nil {
							reactor.Discard(ctx, v) // nobody hears of it otherwise
						}
					},
				}
			},
		) {
			return
		}
		is.delivered = func(e *sharedOutcome[T]) {
			end.Subscribe(ctx, &cacheTrigger[U]{ctx: ctx, discard: reactor.DiscardHookFor[U](ctx), ended: func() {
				if g.invalidate(e) {
					gone(ctx, v)
				}
			}})
		}
	}
	return g
}

// cacheTrigger is the subscriber of the publisher that ends the life of an element. It is
// not cancelled, because the cache has no end.
type cacheTrigger[U any] struct {
	protocol.Inner
	ctx     context.Context
	discard func(any)
	ended   func()
}

func (t *cacheTrigger[U]) OnSubscribe(up reactor.Subscription) { up.Request(reactor.Unbounded) }

func (t *cacheTrigger[U]) OnNext(v U) {
	if t.discard != nil {
		t.discard(v)
	}
}

func (t *cacheTrigger[U]) OnError(err error) {
	defer reactor.DropError(t.ctx, err) // also if what follows ends the goroutine
	t.ended()
}

func (t *cacheTrigger[U]) OnComplete() { t.ended() }

// admitElement keeps elements and makes an error of an empty end.
func admitElement[T any](op string) func(context.Context, reactor.Signal[T], *admission[T]) {
	return func(_ context.Context, sig reactor.Signal[T], is *admission[T]) {
		if sig.Kind() == reactor.KindComplete {
			sig = reactor.ErrorSignal[T](reactor.Failure(op, reactor.ErrNoElements, "the source completed empty"))
		}
		is.signal, is.keep = sig, sig.Kind() == reactor.KindNext
	}
}
