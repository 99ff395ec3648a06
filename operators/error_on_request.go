package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// ErrorOnRequest fails with err at the first request, on the goroutine that
// requests. A nil err becomes reactor.ErrNilError.
//
//	demand:  --- 1
//	         ErrorOnRequest(boom)
//	out:     --- #
func ErrorOnRequest[T any](err error) reactor.Publisher[T] {
	if err == nil {
		err = reactor.Failure("errorOnRequest", reactor.ErrNilError, "")
	}
	return &errorOnRequestPublisher[T]{err: err}
}

type errorOnRequestPublisher[T any] struct {
	protocol.Op
	err error
}

func (p *errorOnRequestPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &errorOnRequestSubscription[T]{down: protocol.Strict(ctx, s), err: p.err}
	sub.down.OnSubscribe(sub)
}

type errorOnRequestSubscription[T any] struct {
	down reactor.Subscriber[T]
	err  error
	over atomic.Bool // failed or cancelled
}

func (s *errorOnRequestSubscription[T]) Request(int64) {
	if !s.over.Swap(true) {
		s.down.OnError(s.err)
	}
}

func (s *errorOnRequestSubscription[T]) Cancel() { s.over.Store(true) }
