package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// DoOnSuccess calls fn when a source of at most one element succeeds: with the
// element and true before downstream gets it, or with false if it completes empty.
//
//	src:  --- 1 |
//	      DoOnSuccess(fn)
//	out:  --- 1 |          fn(1, true)
//
// Demand passes through. A panic of fn cancels src and ends the stream. fn runs
// on the goroutine of src.
func DoOnSuccess[T any](src reactor.Publisher[T], fn func(v T, ok bool)) reactor.Publisher[T] {
	return newMonoPeek("doOnSuccess", src, fn != nil, monoPeekHooks[T]{success: fn})
}

// MonoDoOnError is [DoOnError] for a source of at most one element: fn is not called
// for a failure that comes after the element.
//
//	src:  --- #
//	      MonoDoOnError(fn)
//	out:  --- #          fn(err)
func MonoDoOnError[T any](src reactor.Publisher[T], fn func(error), when ...ErrorFilter) reactor.Publisher[T] {
	return newMonoPeek("doOnError", src, fn != nil, monoPeekHooks[T]{err: filtered("doOnError", fn, when)})
}

// MonoDoOnTerminate is [DoOnTerminate] for a source of at most one element, whose
// element is its end: fn is called before the element goes down.
//
//	src:  --- 1 |
//	      MonoDoOnTerminate(fn)
//	out:  --- 1 |          fn() at 1
func MonoDoOnTerminate[T any](src reactor.Publisher[T], fn func()) reactor.Publisher[T] {
	return newMonoPeek("doOnTerminate", src, fn != nil, monoPeekHooks[T]{
		success: func(T, bool) { fn() },
		err:     func(error) { fn() },
	})
}

// MonoDoAfterTerminate is [DoAfterTerminate] for a source of at most one
// element, whose element is its end: fn is called when the element has gone down.
//
//	src:  --- 1 |
//	      MonoDoAfterTerminate(fn)
//	out:  --- 1 |          fn() after 1
func MonoDoAfterTerminate[T any](src reactor.Publisher[T], fn func()) reactor.Publisher[T] {
	return newMonoPeek("doAfterTerminate", src, fn != nil, monoPeekHooks[T]{after: func() { fn() }})
}

// monoPeekHooks are callbacks at the end of a source of at most one element. A
// nil field is skipped.
type monoPeekHooks[T any] struct {
	success func(v T, ok bool)
	err     func(error)
	after   func()
}

type monoPeekPublisher[T any] struct {
	protocol.Op
	op    string
	src   reactor.Publisher[T]
	hooks monoPeekHooks[T]
}

func newMonoPeek[T any](op string, src reactor.Publisher[T], given bool, hooks monoPeekHooks[T]) reactor.Publisher[T] {
	argument.Given(op, "callback", given)
	return &monoPeekPublisher[T]{op: op, src: protocol.Trust(op, src), hooks: hooks}
}

func (p *monoPeekPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, &monoPeekSubscriber[T]{ctx: ctx, down: protocol.Strict(ctx, s), hooks: &p.hooks})
}

// Computable reports whether its source is, and nothing is called when all is over: see [direct.Is].
func (p *monoPeekPublisher[T]) Computable() direct.Way {
	if p.hooks.after != nil {
		return 0
	}
	return wayOf(p.src)
}

// Direct implements direct.Source.
func (p *monoPeekPublisher[T]) Direct(ctx context.Context) (v T, ok bool, err error) {
	v, ok, failed, err := attempted(ctx, p.src)
	success := p.hooks.success
	switch {
	case err != nil:
		return v, false, passed[T, T](err, p)
	case failed != nil:
		return v, false, p.failed(ctx, failed)
	case success == nil:
	case ok:
		used := false
		defer func() {
			if !used {
				abandon(ctx, v)
			}
		}()
		success(v, true)
		used = true
	default:
		failure.Guard(func() { success(v, false) }, func(broken error) { err = p.failed(ctx, broken) })
	}
	return v, ok, err
}

// failed reports err to fn, and returns err or the error that replaces it.
func (p *monoPeekPublisher[T]) failed(ctx context.Context, err error) error {
	if fn := p.hooks.err; fn != nil {
		failure.Guard(func() { fn(err) }, func(broken error) { err = whileHandling(ctx, broken, err) })
	}
	return err
}

func (p *monoPeekPublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &monoPeekPublisher[T]{op: p.op, src: src, hooks: p.hooks}
}

// monoPeekSubscriber has no need of upstream's subscription: its functions fail
// by a panic, and the guard that catches it cancels upstream.
type monoPeekSubscriber[T any] struct {
	protocol.Inner
	ctx    context.Context
	down   reactor.Subscriber[T]
	hooks  *monoPeekHooks[T]
	valued bool // the element has come, so the callbacks have had their turn; signals of upstream only
}

func (s *monoPeekSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.down.OnSubscribe(up) }

func (s *monoPeekSubscriber[T]) OnNext(v T) {
	s.valued = true
	if fn := s.hooks.success; fn != nil {
		fn(v, true)
	}
	s.down.OnNext(v)
	s.after()
}

func (s *monoPeekSubscriber[T]) OnError(err error) {
	if s.valued {
		s.down.OnError(err)
		return
	}
	s.fail(err)
}

func (s *monoPeekSubscriber[T]) OnComplete() {
	if s.valued {
		s.down.OnComplete()
		return
	}
	if fn := s.hooks.success; fn != nil && !failure.Guard(
		func() { fn(*new(T), false) },
		func(err error) { s.fail(reactor.OperatorError(s.ctx, err, nil)) },
	) {
		return
	}
	defer s.after() // also if downstream ends the goroutine
	s.down.OnComplete()
}

func (s *monoPeekSubscriber[T]) fail(err error) {
	if fn := s.hooks.err; fn != nil && !failure.Guard(func() { fn(err) }, func(second error) {
		defer s.after()
		s.down.OnError(failure.Both(reactor.OperatorError(s.ctx, second, nil), err))
	}) {
		return
	}
	defer s.after()
	s.down.OnError(err)
}

func (s *monoPeekSubscriber[T]) after() {
	if fn := s.hooks.after; fn != nil {
		failure.Guard(fn, func(err error) { reactor.DropError(s.ctx, reactor.OperatorError(s.ctx, err, nil)) })
	}
}
