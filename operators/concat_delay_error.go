package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/resubscribe"
)

// ConcatDelayError is [Concat], but goes on with the next source when one fails; the
// errors come at the end.
//
//	a:    1 --- #
//	b:          3 --- 4 |
//	      ConcatDelayError(a, b)
//	out:  1 --- 3 --- 4 #
//
// Demand and goroutines are as with Concat. A single error comes as it is; several
// errors are joined in the order of the sources. At cancellation, errors held back so
// far are reported as dropped. A failure of a stage downstream ends the stream at once.
func ConcatDelayError[T any](sources ...reactor.Publisher[T]) reactor.Publisher[T] {
	switch len(sources) {
	case 0:
		return Empty[T]()
	case 1:
		return protocol.Trust("concatDelayError", sources[0])
	}
	return &concatDelayErrorPublisher[T]{sources: protocol.TrustAll("concatDelayError", sources)}
}

type concatDelayErrorPublisher[T any] struct {
	protocol.Op
	sources []reactor.Publisher[T] // never changed
}

func (p *concatDelayErrorPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	stage := &concatDelayErrorStage{left: len(p.sources)}
	sub := resubscribe.New(ctx, s, stage)
	stage.Subscribe = func() {
		src := p.sources[len(p.sources)-stage.left]
		stage.left--
		src.Subscribe(ctx, sub)
	}
	stage.Self = stage
	stage.Advance()
}

type concatDelayErrorStage struct {
	resubscribe.Stage
	left int          // sources not subscribed yet; touched by the signals of upstream and the loop
	errs failure.List // terminated by the end or by cancellation
}

func (s *concatDelayErrorStage) OnError(err error) {
	if s.Call.Active() {
		s.dropErrors()
		s.Down.OnError(err)
		return
	}
	if !s.errs.Add(err) {
		reactor.DropError(s.Ctx, err)
		return
	}
	s.OnComplete()
}

func (s *concatDelayErrorStage) OnComplete() {
	if s.left != 0 {
		s.Advance()
	} else {
		protocol.Finish(s.Down, s.errs.Terminate())
	}
}

func (s *concatDelayErrorStage) Cancel() {
	defer s.dropErrors() // also if a function that hears of what follows ends the goroutine
	s.Arbiter.Cancel()
}

func (s *concatDelayErrorStage) dropErrors() {
	if err := s.errs.Terminate(); err != nil {
		reactor.DropError(s.Ctx, err)
	}
}
