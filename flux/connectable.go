package flux

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// ConnectableFlux is a stream that its subscribers share. It begins when it is connected:
// by [ConnectableFlux.Connect], or by itself with [ConnectableFlux.AutoConnect] or
// [ConnectableFlux.RefCount]. It is a small immutable value, to be copied freely; copies
// stand for the same stream. The zero ConnectableFlux is empty.
type ConnectableFlux[T any] struct {
	src operators.ConnectablePublisher[T]
}

// ConnectableSelf is satisfied by ConnectableFlux[T] alone; see [Self] for why it exists.
type ConnectableSelf[T any] interface{ ConnectableFlux[T] }

// Subscribe makes s one of the subscribers (see [reactor.Publisher]). It gets elements
// when the stream is connected.
func (c ConnectableFlux[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	c.Source().Subscribe(ctx, s)
}

// Source returns the publisher behind c.
func (c ConnectableFlux[T]) Source() reactor.Publisher[T] { return connectable(c) }

func connectable[T any](c ConnectableFlux[T]) operators.ConnectablePublisher[T] {
	if c.src == nil {
		return operators.Publish(operators.Empty[T]())
	}
	return c.src
}

// Connect starts the source with the values of ctx, unless it runs already, and returns
// the handle to stop it: its disposal, like the end of ctx, cancels the source and ends
// the stream for all subscribers with an error. A source that emits at once has done so
// when Connect returns; see [ConnectableFlux.ConnectWith].
func (c ConnectableFlux[T]) Connect[C ConnectableSelf[T]](ctx context.Context) reactor.Disposable {
	var handle reactor.Disposable
	connectable(c).Connect(ctx, func(d reactor.Disposable) { handle = d })
	return handle
}

// ConnectWith is [ConnectableFlux.Connect] that hands the handle over before the source
// can emit anything. A panic of connecting ends the stream.
func (c ConnectableFlux[T]) ConnectWith[C ConnectableSelf[T]](ctx context.Context, connecting func(reactor.Disposable)) {
	notNil("connect", "function", connecting == nil)
	connectable(c).Connect(ctx, connecting)
}

// AutoConnect connects when the n-th subscriber comes, and once only; with n = 0 at once.
// The source goes on when all have left.
//
// See [operators.AutoConnect] for demand, errors, cancellation and the goroutine.
func (c ConnectableFlux[T]) AutoConnect[F Self[T]](n int, opts ...AutoConnectOption) F {
	return wrap[F](operators.AutoConnect(connectable(c), n, opts...))
}

// RefCount connects when n subscribers are there and disconnects when the last one has
// cancelled.
//
// See [operators.RefCount] for demand, errors, cancellation and the goroutine.
func (c ConnectableFlux[T]) RefCount[F Self[T]](n int, opts ...RefCountOption) F {
	return wrap[F](operators.RefCount(connectable(c), n, opts...))
}

// Publish shares one run of f among all subscribers, at the pace of the slowest.
//
// See [operators.Publish] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) Publish[C ConnectableSelf[T]](opts ...PublishOption) C {
	return C(ConnectableFlux[T]{operators.Publish(f.Source(), opts...)})
}

// PublishSelector lets fn use f several times while it runs once, for each subscription
// of the result, which is what fn returns.
//
// See [operators.PublishSelector] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) PublishSelector[R any, P reactor.Publisher[R]](fn func(shared Flux[T]) P, opts ...PublishOption) Flux[R] {
	notNil("publishSelector", "function", fn == nil)
	return Flux[R]{operators.PublishSelector(f.Source(), func(shared reactor.Publisher[T]) reactor.Publisher[R] {
		return source[R](fn(Flux[T]{shared}))
	}, opts...)}
}

// Replay shares one run of f among all subscribers and keeps what it sends for those who
// come later: everything, or what [History] and [TTL] leave.
//
// See [operators.Replay] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) Replay[C ConnectableSelf[T]](opts ...ReplayOption) C {
	return C(ConnectableFlux[T]{operators.Replay(f.Source(), opts...)})
}

// Share lets all subscribers use one run of f, from the first one to the last one.
//
// See [operators.Share] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) Share[F Self[T]]() F { return wrap[F](operators.Share(f.Source())) }

// ShareNext gives the first element of f, or its end without one, to all subscribers.
//
// See [operators.ShareNext] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) ShareNext[M mono.Self[T]]() M {
	return M(mono.FromDirect(operators.ShareNext(f.Source())))
}

// Cache runs f once for all subscribers and keeps what it sends for those who come later:
// everything, or what [History] and [TTL] leave.
//
// See [operators.Cache] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) Cache[F Self[T]](opts ...ReplayOption) F {
	return wrap[F](operators.Cache(f.Source(), opts...))
}

// History limits what is kept to the latest n elements.
func History(n int) HistoryOption { return operators.History(n) }

// TTL limits how long something is kept.
func TTL(d time.Duration) TTLOption { return operators.TTL(d) }

// Grace keeps a connection for d after its last subscriber has left.
func Grace(d time.Duration) GraceOption { return operators.Grace(d) }

// OnConnect has fn called with the handle of a connection before it is made.
func OnConnect(fn func(reactor.Disposable)) OnConnectOption {
	return operators.OnConnect(fn)
}
