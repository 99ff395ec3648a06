package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// sieve is the base of subscribers that let some elements through: what they
// reject is discarded and replaced by a further request.
type sieve struct {
	protocol.Link
	discard func(any) // nil if nobody wants discarded elements
	demand  sieveDemand
}

// initSieve sets s up and returns the subscriber that gets what is let through.
func initSieve[R any](ctx context.Context, s *sieve, down reactor.Subscriber[R]) reactor.Subscriber[R] {
	down = protocol.Strict(ctx, down)
	s.Ctx, s.Down, s.discard = ctx, down, reactor.DiscardHookFor[R](ctx)
	return down
}

func (s *sieve) OnSubscribe(up reactor.Subscription) {
	s.Up, s.demand.up = up, up
	s.Down.OnSubscribe(&s.demand)
}

// reject discards v, which must not be boxed for nothing, and replaces it.
func reject[T any](s *sieve, v T) {
	if s.discard != nil {
		s.discard(v)
	}
	s.demand.replace()
}

// sieveDemand is the subscription that a sieve hands down.
type sieveDemand struct {
	up        reactor.Subscription
	unbounded atomic.Bool // demand is unlimited: no need to replace what is rejected
}

func (d *sieveDemand) Request(n int64) {
	if n == reactor.Unbounded {
		d.unbounded.Store(true)
	}
	d.up.Request(n)
}

func (d *sieveDemand) Cancel() { d.up.Cancel() }

// replace requests one more for an element that was not let through.
func (d *sieveDemand) replace() {
	if !d.unbounded.Load() {
		d.up.Request(1)
	}
}
