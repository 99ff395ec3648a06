package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/resubscribe"
)

// Concat emits the elements of each source in turn; a source is subscribed when the
// one before has completed.
//
//	a:    1 --- 2 |
//	b:              3 --- 4 |
//	      Concat(a, b)
//	out:  1 --- 2 - 3 --- 4 |
//
// Demand that a source leaves open is asked of the next one. An error of a source ends
// the stream, and the sources after it are not subscribed; see [ConcatDelayError].
// After cancellation no further source is subscribed. Each source emits on its own
// goroutine; the next source is subscribed on the goroutine on which the one before
// completed. The stack depth is constant, however many sources complete at once.
func Concat[T any](sources ...reactor.Publisher[T]) reactor.Publisher[T] {
	switch len(sources) {
	case 0:
		return Empty[T]()
	case 1:
		return protocol.Trust("concat", sources[0])
	}
	return &concatPublisher[T]{sourceList: listOf(protocol.TrustAll("concat", sources)...)}
}

// ConcatWith emits the elements of src and then those of the others, see [Concat].
func ConcatWith[T any](src reactor.Publisher[T], others ...reactor.Publisher[T]) reactor.Publisher[T] {
	src = protocol.Trust("concatWith", src)
	return followedBy(src, protocol.TrustAll("concatWith", others))
}

// StartWith emits the elements of the others and then those of src, see [Concat].
func StartWith[T any](src reactor.Publisher[T], others ...reactor.Publisher[T]) reactor.Publisher[T] {
	others = protocol.TrustAll("startWith", others)
	src = protocol.Trust("startWith", src)
	switch p, ok := src.(*concatPublisher[T]); {
	case len(others) == 0:
		return src
	case ok: // one stage for a.StartWith(b).StartWith(c), too
		return &concatPublisher[T]{sourceList: listWith(p.sourceList, true, others)}
	}
	return followedBy(others[0], append(others[1:], src))
}

// followedBy is ConcatWith of publishers that are trusted.
func followedBy[T any](src reactor.Publisher[T], others []reactor.Publisher[T]) reactor.Publisher[T] {
	if len(others) == 0 {
		return src
	}
	// One stage for a.ConcatWith(b).ConcatWith(c).
	if p, ok := src.(*concatPublisher[T]); ok {
		return &concatPublisher[T]{sourceList: listWith(p.sourceList, false, others)}
	}
	return &concatPublisher[T]{sourceList: listOf(append([]reactor.Publisher[T]{src}, others...)...)}
}

type concatPublisher[T any] struct {
	protocol.Op
	sourceList[T]
}

func (p *concatPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sources := p.sources
	stage := &concatStage{left: len(sources)}
	sub := resubscribe.New(ctx, s, stage)
	stage.Subscribe = func() {
		src := sources[len(sources)-stage.left]
		stage.left--
		src.Subscribe(ctx, sub)
	}
	stage.Self = stage
	stage.Advance()
}

type concatStage struct {
	resubscribe.Stage
	left int // sources not subscribed yet; touched by the signals of upstream and the loop
}

func (s *concatStage) OnError(err error) { s.Down.OnError(err) }

func (s *concatStage) OnComplete() {
	if s.left > 0 {
		s.Advance()
	} else if !s.IsCancelled() {
		s.Down.OnComplete()
	}
}
