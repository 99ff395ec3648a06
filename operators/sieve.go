package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// sieve is the base of subscribers that let some elements through: what they
// reject is discarded and replaced by a further request.
type sieve[R any] struct {
	protocol.Link[R]
	discard   func(any)   // nil if nobody wants discarded elements
	unbounded atomic.Bool // demand is unlimited: no need to replace what is rejected
}

func (s *sieve[R]) init(ctx context.Context, down reactor.Subscriber[R]) {
	s.Ctx, s.Down, s.discard = ctx, protocol.Strict(ctx, down), reactor.DiscardHookFor[R](ctx)
}

func (s *sieve[R]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.Down.OnSubscribe(s)
}

func (s *sieve[R]) Request(n int64) {
	if n == reactor.Unbounded {
		s.unbounded.Store(true)
	}
	s.Up.Request(n)
}

func (s *sieve[R]) Cancel() { s.Up.Cancel() }

// rejected replaces an element that was not let through.
func (s *sieve[R]) rejected() {
	if !s.unbounded.Load() {
		s.Up.Request(1)
	}
}

// reject discards v, which must not be boxed for nothing, and replaces it.
func reject[T, R any](s *sieve[R], v T) {
	if s.discard != nil {
		s.discard(v)
	}
	s.rejected()
}
