package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// SignalListener observes the whole life of one subscription; see [Tap]. A nil function
// is skipped. Request and Cancel are called on the goroutines that request and cancel, and so are,
// then, Finally after a cancellation and Failed; the other functions are called one at a time.
type SignalListener[T any] struct {
	// First is called before src is subscribed to. A panic of First is the error of the
	// stream.
	First func()
	// Context returns the context that all stages above see; that context must end when
	// the context that the function gets ends.
	Context func(context.Context) context.Context
	// Subscription is called when the subscription has come, before downstream gets it.
	// A panic of Subscription cancels src and ends the stream.
	Subscription func()
	// Request is called with each demand before it goes up.
	Request func(n int64)
	// Cancel is called once when the subscription is cancelled, before the cancellation
	// goes up.
	Cancel func()
	// Next is called with each element before it goes down. A panic of Next cancels src
	// and ends the stream.
	Next func(v T)
	// Complete is called before completion goes down. A panic of Complete cancels src
	// and is the error of the stream.
	Complete func()
	// Error is called before the error goes down. A panic of Error replaces the error.
	Error func(err error)
	// AfterComplete and AfterError are called after the completion or the error has
	// gone down.
	AfterComplete func()
	AfterError    func(err error)
	// Finally is called last, once, with reactor.KindComplete,
	// reactor.KindError or reactor.KindCancel.
	Finally func(how reactor.SignalKind)
	// MalformedNext, MalformedComplete and MalformedError are called for what src sends
	// after its end.
	MalformedNext     func(v T)
	MalformedComplete func()
	MalformedError    func(err error)
	// Failed is called with a panic of the functions above that cannot become the error
	// of the stream. Without Failed such a panic is reported as a dropped error.
	Failed func(err error)
}

// Tap observes src with a listener. listen makes a listener for each subscription, and
// gets the context of that subscription. A nil listener observes nothing.
//
//	src:  1 --- 2 |
//	      Tap(listen)
//	out:  1 --- 2 |
//
// Demand passes through. A panic of listen is the error of the stream; for panics of
// the listener's functions see [SignalListener]. The listener sees a failure of a stage
// further down as a cancellation.
func Tap[T any](src reactor.Publisher[T], listen func(context.Context) *SignalListener[T]) reactor.Publisher[T] {
	argument.Given("tap", "function that makes the listener", listen != nil)
	return &tapPublisher[T]{src: protocol.Trust("tap", src), listen: listen}
}

type tapPublisher[T any] struct {
	protocol.Op
	src    reactor.Publisher[T]
	listen func(context.Context) *SignalListener[T]
}

func (p *tapPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	inner := ctx
	var l *SignalListener[T]
	if !failure.Guard(func() {
		if l = p.listen(ctx); l == nil {
			return
		}
		if l.First != nil {
			l.First()
		}
		if l.Context != nil {
			inner = l.Context(ctx)
		}
	}, func(err error) { protocol.Fail(down, reactor.OperatorError(ctx, err, nil)) }) {
		return
	}
	switch {
	case l == nil:
		p.src.Subscribe(ctx, down)
		return
	case inner == nil:
		protocol.Fail(down, reactor.Failure("tap", reactor.ErrIllegalArgument, "the listener returned a nil context"))
		return
	}
	p.src.Subscribe(inner, &tapSubscriber[T]{ctx: ctx, down: down, l: l})
}

type tapSubscriber[T any] struct {
	protocol.Inner
	ctx  context.Context
	down reactor.Subscriber[T]
	up   reactor.Subscription
	l    *SignalListener[T]
	over atomic.Bool      // Finally has had its turn
	gone atomic.Bool      // cancelled
	done bool             // ended; signals of upstream only
	call protocol.Calling // inside down.OnNext; signals of upstream only
}

func (s *tapSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	if fn := s.l.Subscription; fn != nil && !failure.Guard(fn, func(err error) {
		s.done = true
		failure.InTurn( // each may end the goroutine
			up.Cancel,
			func() { protocol.Fail(s.down, reactor.OperatorError(s.ctx, err, nil)) },
			func() { s.finally(reactor.KindError) },
		)
	}) {
		return
	}
	s.down.OnSubscribe(s)
}

func (s *tapSubscriber[T]) OnNext(v T) {
	if s.tell(v) {
		s.call.Deliver(s.down, v)
	}
}

// Push implements protocol.Pusher.
func (s *tapSubscriber[T]) Push() func(T) {
	next := protocol.Push(s.down)
	return func(v T) {
		if s.tell(v) {
			s.call.Next(next, v)
		}
	}
}

// tell calls the listener with an element, and reports whether it goes down.
func (s *tapSubscriber[T]) tell(v T) bool {
	if s.done {
		s.malformed(v)
		return false
	}
	if fn := s.l.Next; fn != nil {
		fn(v)
	}
	return true
}

// malformed takes an element that comes after the end.
func (s *tapSubscriber[T]) malformed(v T) {
	defer reactor.DropNext(s.ctx, v) // also if the listener ends the goroutine
	if fn := s.l.MalformedNext; fn != nil {
		s.guard(func() { fn(v) })
	}
}

func (s *tapSubscriber[T]) OnError(err error) {
	switch {
	case s.done:
		defer reactor.DropError(s.ctx, err) // also if the listener ends the goroutine
		if fn := s.l.MalformedError; fn != nil {
			s.guard(func() { fn(err) })
		}
	case s.call.Active():
		// Downstream failed, which is a cancellation for everybody up from there.
		s.done = true
		failure.InTurn(s.cancelled, func() { s.finally(reactor.KindCancel) }, func() { s.down.OnError(err) })
	default:
		s.fail(err)
	}
}

func (s *tapSubscriber[T]) OnComplete() {
	if s.done {
		if fn := s.l.MalformedComplete; fn != nil {
			s.guard(fn)
		}
		return
	}
	if fn := s.l.Complete; fn != nil && !failure.Guard(fn, func(err error) {
		// The end does not count: upstream learns that nobody is there any more, which may end the goroutine.
		defer s.fail(reactor.OperatorError(s.ctx, err, nil))
		s.up.Cancel()
	}) {
		return
	}
	s.done = true
	failure.InTurn(s.down.OnComplete, func() {
		if fn := s.l.AfterComplete; fn != nil {
			s.guard(fn)
		}
	}, func() { s.finally(reactor.KindComplete) })
}

// Attach lets h know of the runs of the source.
func (s *tapSubscriber[T]) Attach(h *protocol.Half) bool { return h.Attach(s.up) }

// Host returns the protocol.Host behind it.
func (s *tapSubscriber[T]) Host() protocol.Host { return protocol.HostOf(s.up) }

func (s *tapSubscriber[T]) Request(n int64) {
	if fn := s.l.Request; fn != nil {
		defer s.up.Request(n) // also if fn ends the goroutine
		s.guard(func() { fn(n) })
		return
	}
	s.up.Request(n)
}

func (s *tapSubscriber[T]) Cancel() {
	failure.InTurn(s.cancelled, s.up.Cancel, func() { s.finally(reactor.KindCancel) })
}

// fail sends an error down that counts as upstream's.
func (s *tapSubscriber[T]) fail(err error) {
	s.done = true
	if fn := s.l.Error; fn != nil && !failure.Guard(func() { fn(err) }, func(second error) {
		s.failed(failure.Both(reactor.OperatorError(s.ctx, second, nil), err))
	}) {
		return
	}
	s.failed(err)
}

func (s *tapSubscriber[T]) failed(err error) {
	failure.InTurn(func() { s.down.OnError(err) }, func() {
		if fn := s.l.AfterError; fn != nil {
			s.guard(func() { fn(err) })
		}
	}, func() { s.finally(reactor.KindError) })
}

func (s *tapSubscriber[T]) cancelled() {
	if fn := s.l.Cancel; fn != nil && !s.gone.Swap(true) {
		s.guard(fn)
	}
}

func (s *tapSubscriber[T]) finally(how reactor.SignalKind) {
	if fn := s.l.Finally; !s.over.Swap(true) && fn != nil {
		s.guard(func() { fn(how) })
	}
}

// guard calls a function for whose failure nobody waits.
func (s *tapSubscriber[T]) guard(fn func()) {
	failure.Guard(fn, func(err error) {
		err = reactor.OperatorError(s.ctx, err, nil)
		if failed := s.l.Failed; failed != nil {
			failure.Guard(func() { failed(err) }, func(err error) { reactor.DropError(s.ctx, err) })
			return
		}
		reactor.DropError(s.ctx, err)
	})
}
