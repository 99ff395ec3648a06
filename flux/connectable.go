package flux

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/describe"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// ConnectableFlux is a stream that its subscribers share. The stream begins when it is
// connected: by a call of [ConnectableFlux.Connect], or automatically with
// [ConnectableFlux.AutoConnect] or [ConnectableFlux.RefCount]. A ConnectableFlux is a small
// immutable value, to be copied freely; copies stand for the same stream. The zero
// ConnectableFlux is empty.
type ConnectableFlux[T any] struct {
	src operators.ConnectablePublisher[T]
}

// ConnectableSelf is satisfied by ConnectableFlux[T] alone; see [Self] for why it exists.
type ConnectableSelf[T any] interface{ ConnectableFlux[T] }

// Subscribe makes s one of the subscribers (see [reactor.Publisher]). s gets elements when
// the stream is connected.
func (c ConnectableFlux[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	failure.Outside(func() { c.Source().Subscribe(ctx, s) })
}

// Source returns the publisher behind c.
func (c ConnectableFlux[T]) Source() reactor.Publisher[T] { return connectable(c) }

// String returns the operators of c in the order of the elements, as [Flux.String] does, for example
// "ConnectableFlux: range → map → publish".
func (c ConnectableFlux[T]) String() string { return describe.Chain("ConnectableFlux: ", c.Source()) }

func connectable[T any](c ConnectableFlux[T]) operators.ConnectablePublisher[T] {
	if c.src == nil {
		// Each call makes one, and they have to be the same stream: this one has run, and keeps its end.
		empty := operators.Replay(operators.Empty[T]())
		empty.Connect(context.Background(), nil)
		return empty
	}
	return c.src
}

// Connect starts the source with the values of ctx, unless the source runs already, or has ended
// and its end is kept, as [Flux.Replay] does. Connect returns a handle: disposing it, like the end
// of ctx, cancels the source and ends the stream for all subscribers with an error. A source that
// emits at once has already done so when Connect returns; see [ConnectableFlux.ConnectWith].
func (c ConnectableFlux[T]) Connect[C ConnectableSelf[T]](ctx context.Context) reactor.Disposable {
	var handle reactor.Disposable
	failure.Outside(func() { connectable(c).Connect(ctx, func(d reactor.Disposable) { handle = d }) })
	return handle
}

// ConnectWith is [ConnectableFlux.Connect], but passes the handle to connecting before the
// source can emit anything. A panic of connecting ends the stream.
func (c ConnectableFlux[T]) ConnectWith[C ConnectableSelf[T]](ctx context.Context, connecting func(reactor.Disposable)) {
	argument.Given("connect", "function", connecting != nil)
	failure.Outside(func() { connectable(c).Connect(ctx, connecting) })
}

// AutoConnect connects once, when the n-th subscriber comes; with n = 0 it connects at once. The
// source goes on when all subscribers have left.
//
//	c:      1 --- 2 --- 3 |      from Publish
//	        AutoConnect(2)
//	out:  - 1 --- 2 --- 3 |      waits for the second
//	out:    1 --- 2 --- 3 |
//
// The source gets the values of the context of the n-th subscriber, but not its end; with n = 0
// it gets those of context.Background(). Since the source goes on when all subscribers have left,
// [OnConnect] gives you the handle to stop it. Everything else is as with c.
func (c ConnectableFlux[T]) AutoConnect[F Self[T]](n int, opts ...AutoConnectOption) F {
	return wrap[F](operators.AutoConnect(connectable(c), n, opts...))
}

// RefCount connects when n subscribers are there and disconnects when the last one has
// cancelled.
//
//	c:    1 --- 2 --- 3 - X      from Publish
//	      RefCount(1)
//	out:  1 --- 2 - X
//	out:     -- 2 --- 3 - X      c is cancelled
//
// The source gets the values of the context of the subscriber that caused the connection, but not
// the end of that context. Everything else is as with c.
func (c ConnectableFlux[T]) RefCount[F Self[T]](n int, opts ...RefCountOption) F {
	return wrap[F](operators.RefCount(connectable(c), n, opts...))
}

// Publish shares one run of f among all subscribers, at the pace of the slowest.
//
//	f:    1 --- 2 --- 3 |
//	      Publish()
//	out:  1 --- 2 --- 3 |
//	out:     -- 2 --- 3 |      a second subscriber
//
// The subscriber with the least demand sets the pace: an element goes to all of them when all
// have requested it. Until then up to 256 elements wait ([Prefetch]). f is asked for that many
// at first, and then for as many as were delivered. Elements that come before anybody has ever
// subscribed are discarded; after that, elements that come while there are no subscribers wait.
// Completion comes behind the elements that wait, an error comes at once. Both end the run: a
// subscriber that comes after that waits for the next Connect.
//
// A cancellation does not affect the other subscribers or f. Elements are delivered on the
// goroutine of f, or of the request that made it possible.
func (f Flux[T]) Publish[C ConnectableSelf[T]](opts ...PublishOption) C {
	return C(ConnectableFlux[T]{operators.Publish(f.Source(), opts...)})
}

// PublishSelector shares one run of f inside the function fn: fn gets a publisher of that run, may
// use it several times, and returns the result. f runs once for each subscription of the result.
//
//	f:    1 ------ 2 ------ 3 |
//	      PublishSelector(x => merge(x, x.map(10x)))
//	out:  1 10 --- 2 20 --- 3 30 |
//
// f is subscribed right after the result of fn. The slowest subscriber of the shared publisher
// sets the pace, as with [Flux.Publish]; while it has no subscribers, elements and the end wait.
// f is asked for 256 elements ([Prefetch]), and for another three quarters of that number
// whenever as many were delivered. An error of f overtakes the elements that wait. When the
// result ends or is cancelled, f is cancelled and the elements that wait are discarded. A panic
// of fn ends the stream.
func (f Flux[T]) PublishSelector[R any, P reactor.Publisher[R]](fn func(shared Flux[T]) P, opts ...PublishOption) Flux[R] {
	argument.Given("publishSelector", "function", fn != nil)
	return Flux[R]{operators.PublishSelector(f.Source(), func(shared reactor.Publisher[T]) reactor.Publisher[R] {
		return source[R](fn(Flux[T]{shared}))
	}, opts...)}
}

// Replay shares one run of f among all subscribers and keeps its elements and its end for later
// subscribers: all elements, or those that [History] and [TTL] leave.
//
//	f:    1 --- 2 --- 3 |
//	      Replay()
//	out:  1 --- 2 --- 3 |
//	out:         1 2 - 3 |           a second subscriber
//	out:                  1 2 3 |    one that came after
//
// Each subscriber gets elements as it requests them. f is asked for as many elements as are
// kept, or for 256 if all are kept. It is asked for another three quarters of that number
// whenever the slowest subscriber has got as many, or f has sent as many while there are no
// subscribers. With a lifetime and no limit f is asked for everything. An error comes behind
// the elements before it, as completion does.
//
// The age of elements is checked when an element comes and when somebody subscribes, by the
// clock of schedulers.Parallel() or of [On]. After the end, elements age no more; but when the
// end itself has reached the lifetime, the next subscriber starts a new run. Elements that are
// not kept any more are not discarded: a subscriber may have got them. They leave memory in
// pieces: a piece is a quarter of the limit, at most 256 elements; with a small limit it is
// half of the limit, at most 4; without a limit it is up to 256. So up to one piece more than
// is replayed may be held; with a lifetime it may be held until the next element comes. With
// History(0) Replay is [Flux.Publish], and keeps the end if there is no lifetime.
//
// A cancellation does not affect the other subscribers or f. Elements are delivered on the
// goroutine of f, or of a request.
func (f Flux[T]) Replay[C ConnectableSelf[T]](opts ...ReplayOption) C {
	return C(ConnectableFlux[T]{operators.Replay(f.Source(), opts...)})
}

// Share lets all subscribers use one run of f, from the first one to the last one.
//
//	f:    1 --- 2 --- 3 --- 4 |
//	      Share()
//	out:  1 --- 2 --- 3 --- 4 |
//	out:     -- 2 --- 3 --- 4 |      a second subscriber
//
// A subscriber that comes after the end begins a new run. Demand, errors and goroutines are as with
// [Flux.Publish].
func (f Flux[T]) Share[F Self[T]]() F { return wrap[F](operators.Share(f.Source())) }

// ShareNext gives the first element of f, or its end without one, to all subscribers.
//
//	f:    ------ 1 --- 2 |
//	      ShareNext()
//	out:  ------ 1 |
//	out:    ---- 1 |            a second subscriber
//	out:             1 |        one that came after
//
// f gets unbounded demand and the values of the first subscriber's context, and is cancelled
// after its first element; each subscriber gets that element when it requests. Cancellation does
// not reach f. Signals come on the goroutine of f, or on that of the subscriber.
func (f Flux[T]) ShareNext[M mono.Self[T]]() M {
	return M(mono.FromDirect(operators.ShareNext(f.Source())))
}

// Cache runs f once for all subscribers and keeps its elements and its end for later subscribers:
// all elements, or those that [History] and [TTL] leave.
//
//	f:    1 --- 2 --- 3 |
//	      Cache()
//	out:  1 --- 2 --- 3 |
//	out:         1 2 - 3 |           a second subscriber
//	out:                  1 2 3 |    one that came after
//
// The run begins when the first subscriber comes, with the values of its context, and goes on when
// all subscribers have left. What is kept, demand, errors and goroutines are as with
// [Flux.Replay].
func (f Flux[T]) Cache[F Self[T]](opts ...ReplayOption) F {
	return wrap[F](operators.Cache(f.Source(), opts...))
}

// History limits what is kept to the latest n ≥ 0 elements.
func History(n int) HistoryOption { return operators.History(n) }

// TTL limits how long something is kept, to d ≥ 0.
func TTL(d time.Duration) TTLOption { return operators.TTL(d) }

// Grace keeps a connection for d ≥ 0 after its last subscriber has left, in case another one comes.
func Grace(d time.Duration) GraceOption { return operators.Grace(d) }

// OnConnect makes [ConnectableFlux.AutoConnect] call fn with the handle of the connection before
// the connection is made. A panic of fn ends the stream.
func OnConnect(fn func(reactor.Disposable)) OnConnectOption {
	return operators.OnConnect(fn)
}
