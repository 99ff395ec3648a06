package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/resubscribe"
)

// OnErrorResume replaces the failure of src by what the publisher fn(err) sends.
// With filters, errors that none of them accepts pass.
//
//	src:  1 --- 2 --- #
//	      OnErrorResume(err => Just(9))
//	out:  1 --- 2 --- 9 |
//
// The demand that src has left open is asked of the fallback; an error of the fallback
// passes. A panic of fn or of a filter ends the stream with an error that wraps both
// the panic and the failure of src. Failures of stages downstream are not caught.
// Cancellation reaches whichever publisher is subscribed; after a cancellation fn is
// not called. fn runs on the goroutine on which src failed.
func OnErrorResume[T any, P reactor.Publisher[T]](src reactor.Publisher[T], fn func(error) P, when ...ErrorFilter) reactor.Publisher[T] {
	argument.Given("onErrorResume", "fallback function", fn != nil)
	return &onErrorResumePublisher[T]{
		src:  protocol.Trust("onErrorResume", src),
		fn:   func(err error) reactor.Publisher[T] { return protocol.Trust[T]("onErrorResume", fn(err)) },
		when: anyFilter("onErrorResume", when),
	}
}

type onErrorResumePublisher[T any] struct {
	protocol.Op
	src  reactor.Publisher[T]
	fn   func(error) reactor.Publisher[T] // panics for a nil publisher
	when ErrorFilter
}

func (p *onErrorResumePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	stage := &onErrorResumeStage[T]{fn: p.fn, when: p.when}
	stage.sub = resubscribe.New(ctx, s, stage)
	defer p.src.Subscribe(ctx, stage.sub) // also if downstream ends the goroutine
	stage.Down.OnSubscribe(stage)
}

// Computable reports whether its source is: see [direct.Is].
func (p *onErrorResumePublisher[T]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *onErrorResumePublisher[T]) Direct(ctx context.Context) (T, bool, error) {
	v, ok, failed, err := attempted(ctx, p.src)
	if failed == nil {
		return v, ok, passed[T, T](err, p)
	}
	if err = p.when.refusal(ctx, failed); err != nil {
		return v, false, err
	}
	if isGivenUp(ctx) { // by the filter
		return v, false, failed
	}
	var fallback reactor.Publisher[T]
	if !failure.Guard(func() { fallback = p.fn(failed) }, func(broken error) { err = whileHandling(ctx, broken, failed) }) {
		return v, false, err
	}
	return second(ctx, fallback)
}

func (p *onErrorResumePublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &onErrorResumePublisher[T]{src: src, fn: p.fn, when: p.when}
}

type onErrorResumeStage[T any] struct {
	resubscribe.Stage
	sub     *resubscribe.Subscriber[T]
	fn      func(error) reactor.Publisher[T]
	when    ErrorFilter
	resumed bool // the fallback is subscribed; touched by the signals of upstream only
}

func (s *onErrorResumeStage[T]) OnError(err error) {
	if s.resumed || s.Call.Active() {
		s.Down.OnError(err)
		return
	}
	s.Ended()
	if !s.when.accepts(s.Ctx, err, s.Down.OnError) {
		return
	}
	if !s.Next(s.Produced) {
		belated.Drop(s.Ctx, err)
		return
	}
	s.resumed = true
	var fallback reactor.Publisher[T]
	failed := false
	failure.Guard(func() { fallback = s.fn(err) }, func(broken error) {
		failed = true
		s.Down.OnError(whileHandling(s.Ctx, broken, err))
	})
	if !failed {
		fallback.Subscribe(s.Ctx, s.sub)
	}
}

func (s *onErrorResumeStage[T]) OnComplete() { s.Down.OnComplete() }
