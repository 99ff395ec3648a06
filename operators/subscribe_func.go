package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stall"
)

// SubscribeOption is an option of [SubscribeFunc].
type SubscribeOption interface{ applySubscribe() }

type subscribeConfig struct {
	onError     onErrorOption
	onComplete  onCompleteOption
	onSubscribe onSubscribeOption
}

type (
	onErrorOption     func(error)
	onCompleteOption  func()
	onSubscribeOption func(reactor.Subscription)
)

func (onErrorOption) applySubscribe()     {}
func (onCompleteOption) applySubscribe()  {}
func (onSubscribeOption) applySubscribe() {}

// subscribeOptions returns what opts say. It asks for the types: a method that got the address of the result
// would have that allocated.
func subscribeOptions(opts []SubscribeOption) (c subscribeConfig) {
	for _, o := range opts {
		switch fn := o.(type) {
		case nil:
			argument.Options("subscribe", opts) // refuses it
		case onErrorOption:
			c.onError = fn
		case onCompleteOption:
			c.onComplete = fn
		case onSubscribeOption:
			c.onSubscribe = fn
		}
	}
	return c
}

// OnError makes [SubscribeFunc] call fn if the stream fails. Without OnError a failure
// is reported as a dropped error that matches reactor.ErrUnhandled. The failure that
// ctx was cancelled is not reported; the failure that its deadline has passed is.
func OnError(fn func(error)) SubscribeOption {
	argument.Given("subscribe", "function given to OnError", fn != nil)
	return onErrorOption(fn)
}

// OnComplete makes [SubscribeFunc] call fn when the stream has completed.
func OnComplete(fn func()) SubscribeOption {
	argument.Given("subscribe", "function given to OnComplete", fn != nil)
	return onCompleteOption(fn)
}

// OnSubscribe makes [SubscribeFunc] call fn with the subscription at the start, and
// leave all requests to fn: no element comes before fn, or something that fn sets in
// motion, requests it.
func OnSubscribe(fn func(reactor.Subscription)) SubscribeOption {
	argument.Given("subscribe", "function given to OnSubscribe", fn != nil)
	return onSubscribeOption(fn)
}

// SubscribeFunc runs src, calls onNext, which may be nil, with every element, and returns a
// handle that stops the stream. It returns at once, unless src emits on the goroutine that
// subscribes.
//
//	src:  1 --- 2 |
//	      SubscribeFunc(ctx, src, fn) calls fn(1), fn(2)
//
// Demand is unbounded, unless [OnSubscribe] is given. An error of src, a panic of onNext or of
// the function given to OnSubscribe (such a panic cancels src), and the end of ctx go to
// [OnError]. Panics of the other functions are reported as dropped errors. Disposing the
// handle cancels src; after that no function is called. Functions run on the goroutine of src,
// one at a time.
//
// How soon the end of ctx reaches the functions depends on the stage that sends. A source that
// computes its elements on request, as Range, FromSeq, Generate and FromFunc do, and a stage
// that sends many elements in a row, as a hop, Zip and FlatMapSlice do, check ctx before every
// element. [Create], [FlatMap] and every other stage with a queue that several goroutines
// feed, and stages that deliver to several subscribers, as [Publish] and the sinks for many
// do, report the end of ctx when the element on its way down has arrived: a function on that
// way that blocks delays the report. Any other stage reports it at once or right after the
// element on its way down. [ForEach] and its like do not wait for such an element, unless a
// stage above sends many in a row.
func SubscribeFunc[T any](ctx context.Context, src reactor.Publisher[T], onNext func(T), opts ...SubscribeOption) reactor.Disposable {
	argument.Given("subscribe", "context", ctx != nil)
	cfg := subscribeOptions(opts)
	clean := false
	defer func() {
		if !clean {
			failure.Left() // it was code of the user that has called
		}
	}()
	if isComputable(unfinished(src)) && cfg.onSubscribe == nil && direct.MayCompute(ctx) {
		if finishes(src) {
			src = subscribeAndFinish(ctx, src, onNext, cfg)
		} else {
			src = subscribeComputed(ctx, src, onNext, cfg)
		}
		if src == nil {
			clean = true
			return reactor.Disposed()
		}
	}
	src = protocol.Trust("subscribe", src)
	s := newFuncSubscriber(ctx, onNext, cfg)
	s.caller.Store(goid.Current())
	src.Subscribe(ctx, s)
	s.caller.Store(0)
	s.begun()
	clean = true
	return s
}

func newFuncSubscriber[T any](ctx context.Context, onNext func(T), cfg subscribeConfig) *funcSubscriber[T] {
	if onNext == nil && reactor.Owns[T]() {
		onNext = func(v T) { reactor.Abandon(ctx, v) } // nobody will subscribe to it
	}
	s := &funcSubscriber[T]{ctx: ctx, config: cfg, onNext: onNext}
	s.alone = ctx.Done() == nil && s.config.onSubscribe == nil
	s.out.Down = (*funcSink[T])(s)
	s.out.Hold()
	if ctx.Done() != nil {
		s.stop = live.WatchContext(ctx, (*funcEnded[T])(s))
	}
	return s
}

// begun is called when Subscribe has returned.
func (s *funcSubscriber[T]) begun() {
	if !s.link.IsCancelled() {
		s.open.Begin()
	}
}

// funcSubscriber is the edge to the functions: it watches the context and checks
// requests.
type funcSubscriber[T any] struct {
	protocol.Inner
	ctx    context.Context
	config subscribeConfig
	onNext func(T)
	out    protocol.Half
	link   protocol.Deferred // to upstream; demand waits until OnSubscribe has returned
	stop   func() bool       // ends the watch over ctx; written before src is subscribed to, not read by the watch
	caller atomic.Uintptr    // the goroutine that waits for Subscribe to return, then 0
	open   stall.Open        // what stands still is looked for meanwhile
	alone  bool              // nobody but upstream can end the stream
	hosted bool              // upstream has a Host; set by OnSubscribe
	runs   bool              // out is told of the runs of upstream, or lodged; set by OnSubscribe
	bare   bool              // all elements come before SubscribeFunc has returned the handle; set by OnSubscribe
}

func (s *funcSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	failure.InTurn(func() {
		if fn := s.config.onSubscribe; fn == nil {
			s.link.Request(reactor.Unbounded)
		} else {
			failure.Guard(func() { fn(s) }, s.abort)
		}
	}, s.out.Release, func() {
		if s.link.Keep(up) { // before out is lodged: who ends the stream then finds the Host there
			s.attach(up)
			s.link.Open()
		}
	})
}

// attach looks for a stage upstream that saves out the work for each element.
func (s *funcSubscriber[T]) attach(up reactor.Subscription) {
	host := protocol.HostOf(up)
	s.hosted = host != nil
	switch within := s.config.onSubscribe == nil && s.caller.Load() == goid.Current(); {
	case s.hosted && !s.alone:
		s.out.Lodge(host)
		s.runs = true
	case within && s.alone:
		s.bare = s.out.AttachRequested(up) // these runs are over when SubscribeFunc returns
		s.runs = s.bare
	case within:
		s.runs, s.bare = s.out.AttachAny(up)
	case !s.alone:
		s.runs = s.out.Attach(up)
	}
}

func (s *funcSubscriber[T]) OnNext(v T) {
	switch {
	case s.link.IsCancelled():
	case s.alone:
		(*funcSink[T])(s).OnNext(v)
		return
	case s.out.Deliver((*funcSink[T])(s), v):
		return
	}
	reactor.Discard(s.ctx, v)
}

// Push implements protocol.Pusher.
func (s *funcSubscriber[T]) Push() func(T) {
	next := s.onNext
	if next == nil {
		next = (*funcSink[T])(s).OnNext
	}
	if s.bare {
		return next // whoever ends the stream has cancelled upstream, which looks before each element
	}
	if !s.alone && !s.runs {
		return func(v T) {
			switch {
			case s.link.IsCancelled():
			case s.runs: // out has been told since
				next(v)
				return
			case s.out.Enter():
				next(v)
				if s.out.Leave() {
					s.out.Settle()
				}
				return
			}
			reactor.Discard(s.ctx, v)
		}
	}
	return func(v T) {
		// During a run this is the whole question: who ends the stream has cancelled it before. So
		// it is with a host, and where nobody else can end it.
		if s.link.IsCancelled() {
			reactor.Discard(s.ctx, v)
			return
		}
		next(v)
	}
}

// PushGuarded implements what protocol.PushGuarded asks for.
func (s *funcSubscriber[T]) PushGuarded() func(T) {
	if s.hosted && s.onNext != nil {
		return s.onNext
	}
	return s.Push()
}

func (s *funcSubscriber[T]) OnError(err error) {
	live := s.link.Close()
	s.unwatch()
	if s.bare && s.onNext != nil {
		err = ownPanic(err, "subscribe", s.onNext)
	}
	if live {
		err = s.out.SourceEnd(failure.Reported(err))
	} else {
		defer s.out.Unwind() // also if the hook ends the goroutine
	}
	if err != nil {
		belated.Drop(s.ctx, err)
	}
}

func (s *funcSubscriber[T]) OnComplete() {
	live := s.link.Close()
	s.unwatch()
	if live {
		s.out.SourceEnd(nil)
	}
}

// Request implements reactor.Subscription, for OnSubscribe.
func (s *funcSubscriber[T]) Request(n int64) {
	if n > 0 {
		failure.Outside(func() { s.link.Request(n) })
		return
	}
	failure.Outside(func() { s.abort(reactor.IllegalRequest(n)) })
}

func (s *funcSubscriber[T]) abort(err error) {
	defer s.unwatch() // also if what hears of the cancellation ends the goroutine; so in Dispose
	s.cut(err)
}

// Cancel implements reactor.Subscription, for OnSubscribe.
func (s *funcSubscriber[T]) Cancel() { s.Dispose() }

// Dispose implements reactor.Disposable.
func (s *funcSubscriber[T]) Dispose() {
	defer s.unwatch()
	defer s.withdraw()
	failure.Outside(func() {
		if !s.link.CancelOnce() && s.out.IsLodged() { // the end of the context may be on its way up yet, and who sends looks there
			s.out.QuitHost(s.link.Kept())
		}
	})
}

// withdraw takes an end back that waits for an element, or is about to come: nothing is called after Dispose.
func (s *funcSubscriber[T]) withdraw() {
	if err := s.out.Withdraw(); err != nil {
		s.dropWithdrawn(err)
	}
}

// dropWithdrawn reports an error that was given to cut and that nobody gets, unless the
// context has ended: that is no news.
func (s *funcSubscriber[T]) dropWithdrawn(err error) {
	if s.ctx.Err() == nil {
		belated.Drop(s.ctx, err)
	}
}

// IsDisposed implements reactor.Disposable.
func (s *funcSubscriber[T]) IsDisposed() bool { return s.link.IsCancelled() }

// funcEnded hears of the end of the context.
type funcEnded[T any] funcSubscriber[T]

// ContextEnded implements [live.Ended].
func (e *funcEnded[T]) ContextEnded() {
	s := (*funcSubscriber[T])(e)
	s.open.End()
	s.cut(reactor.NonNil(context.Cause(s.ctx)))
}

// cut cancels upstream and ends the stream with err, if it is live.
func (s *funcSubscriber[T]) cut(err error) {
	s.link.CancelAnd(func() {
		if !s.out.EndUnlessWithdrawn(err) { // Dispose was called meanwhile
			s.dropWithdrawn(err)
			return
		}
		if s.out.IsLodged() {
			protocol.HostOf(s.link.Kept()).Tell(&s.out)
		}
	})
}

func (s *funcSubscriber[T]) unwatch() {
	s.open.End()
	if s.stop != nil {
		s.stop()
	}
}

// funcSink calls the functions; the signals are serial.
type funcSink[T any] funcSubscriber[T]

func (f *funcSink[T]) OnSubscribe(reactor.Subscription) {}

func (f *funcSink[T]) OnNext(v T) {
	if f.onNext != nil {
		f.onNext(v)
	}
}

func (f *funcSink[T]) OnError(err error) { f.config.failed(f.ctx, err) }

func (f *funcSink[T]) OnComplete() { f.config.completed(f.ctx) }

// failed reports the failure of a stream.
func (c *subscribeConfig) failed(ctx context.Context, err error) {
	if fn := c.onError; fn != nil {
		failure.Guard(func() { fn(err) }, func(err error) { reactor.DropError(ctx, err) })
		return
	}
	unhandled(ctx, err)
}

// unhandled reports the failure of a stream whose subscriber has no function for it.
// If the program has cancelled the context, it needs no report of that.
func unhandled(ctx context.Context, err error) {
	err = &reactor.OpError{Op: "subscribe", Kind: reactor.ErrUnhandled, Cause: err}
	if ctx.Err() == context.Canceled {
		belated.Drop(ctx, err)
		return
	}
	reactor.DropError(ctx, err)
}

func (c *subscribeConfig) completed(ctx context.Context) {
	if fn := c.onComplete; fn != nil {
		failure.Guard(fn, func(err error) { reactor.DropError(ctx, err) })
	}
}
