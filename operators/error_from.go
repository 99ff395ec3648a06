package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// ErrorFrom fails at once with the error that supplier returns; supplier is called once
// per subscription.
//
//	      ErrorFrom(() => fmt.Errorf("at %v", time.Now()))
//	out:  #
//
// A nil error becomes reactor.ErrNilError. supplier runs on the goroutine that
// subscribes.
func ErrorFrom[T any](supplier func() error) reactor.Publisher[T] {
	argument.Given("error", "supplier", supplier != nil)
	return errorFromPublisher[T]{supplier: supplier}
}

type errorFromPublisher[T any] struct {
	protocol.Op
	direct.Mark
	direct.CallMark
	supplier func() error
}

func (p errorFromPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	var err error
	if failure.Guard(
		func() { err = p.supplier() },
		func(err error) { protocol.Fail(down, reactor.OperatorError(ctx, err, nil)) },
	) {
		protocol.Fail(down, reactor.NonNil(err))
	}
}

// Call implements direct.Callable.
func (p errorFromPublisher[T]) Call(context.Context) (v T, ok bool, err error) {
	return v, false, reactor.NonNil(p.supplier())
}

// Direct implements direct.Source.
func (p errorFromPublisher[T]) Direct(ctx context.Context) (T, bool, error) { return p.Call(ctx) }
