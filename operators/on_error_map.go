package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// OnErrorMap replaces the error of src by fn(err). With filters, errors that none of them
// accepts pass unchanged.
//
//	src:  1 --- 2 --- #a
//	      OnErrorMap(a => b)
//	out:  1 --- 2 --- #b
//
// Demand and cancellation pass through. A nil result becomes reactor.ErrNilError with the
// failure of src as its cause; a panic of fn becomes an error that wraps both the panic and
// the failure of src. Failures of stages downstream are not mapped. fn runs on the goroutine
// on which src failed.
func OnErrorMap[T any](src reactor.Publisher[T], fn func(error) error, when ...ErrorFilter) reactor.Publisher[T] {
	argument.Given("onErrorMap", "mapper", fn != nil)
	return &onErrorMapPublisher[T]{
		src:  protocol.Trust("onErrorMap", src),
		fn:   fn,
		when: anyFilter("onErrorMap", when),
	}
}

type onErrorMapPublisher[T any] struct {
	protocol.Op
	src  reactor.Publisher[T]
	fn   func(error) error
	when ErrorFilter
}

func (p *onErrorMapPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, &onErrorMapSubscriber[T]{ctx: ctx, down: protocol.Strict(ctx, s), fn: p.fn, when: p.when})
}

// Computable reports whether its source is: see [direct.Is].
func (p *onErrorMapPublisher[T]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *onErrorMapPublisher[T]) Direct(ctx context.Context) (T, bool, error) {
	v, ok, failed, err := attempted(ctx, p.src)
	if failed == nil {
		return v, ok, passed[T, T](err, p)
	}
	if err = p.when.refusal(ctx, failed); err == nil {
		mapError(ctx, p.fn, failed, func(mapped error) { err = mapped })
	}
	return v, false, err
}

func (p *onErrorMapPublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &onErrorMapPublisher[T]{src: src, fn: p.fn, when: p.when}
}

type onErrorMapSubscriber[T any] struct {
	protocol.Inner
	ctx  context.Context
	down reactor.Subscriber[T]
	fn   func(error) error
	when ErrorFilter
	call protocol.Calling // inside down.OnNext; touched by the signals of upstream only
}

func (s *onErrorMapSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.down.OnSubscribe(up) }

func (s *onErrorMapSubscriber[T]) OnNext(v T) { s.call.Deliver(s.down, v) }

// Push implements protocol.Pusher.
func (s *onErrorMapSubscriber[T]) Push() func(T) { return s.call.Around(protocol.Push(s.down)) }

func (s *onErrorMapSubscriber[T]) OnError(err error) {
	if s.call.Active() {
		s.down.OnError(err)
		return
	}
	if !s.when.accepts(s.ctx, err, s.down.OnError) {
		return
	}
	mapError(s.ctx, s.fn, err, s.down.OnError)
}

// mapError sends the result of fn for err, or the error that replaces it if fn fails, also if fn
// ends the goroutine.
func mapError(ctx context.Context, fn func(error) error, err error, tell func(error)) {
	var mapped error
	if failure.Guard(
		func() {
			if mapped = fn(err); mapped == nil {
				mapped = reactor.Failure("onErrorMap", reactor.ErrNilError, "the mapper returned nil").CausedBy(err)
			}
		},
		func(broken error) { tell(whileHandling(ctx, broken, err)) },
	) {
		tell(mapped)
	}
}

func (s *onErrorMapSubscriber[T]) OnComplete() { s.down.OnComplete() }
