package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
)

// Error fails at once with err, without waiting for demand. A nil err becomes
// reactor.ErrNilError.
//
//	      Error(boom)
//	out:  #
func Error[T any](err error) reactor.Publisher[T] {
	if err == nil {
		err = reactor.Failure("error", reactor.ErrNilError, "")
	}
	return &errorPublisher[T]{err: err}
}

type errorPublisher[T any] struct {
	protocol.Op
	direct.Mark
	direct.CallMark
	err error
}

func (p *errorPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	protocol.Fail(protocol.Strict(ctx, s), p.err)
}

// Call implements direct.Callable.
func (p *errorPublisher[T]) Call(context.Context) (v T, ok bool, err error) { return v, false, p.err }

// Direct implements direct.Source.
func (p *errorPublisher[T]) Direct(_ context.Context) (v T, ok bool, err error) {
	return v, false, p.err
}
