package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// filtering is the base of subscribers that let some elements through: an element that
// they reject is discarded and replaced by a further request.
type filtering struct {
	protocol.Link
	discard func(any) // nil if nobody wants discarded elements
	demand  filteringDemand
}

// initFiltering sets s up and returns the subscriber that gets the elements that pass.
func initFiltering[R any](ctx context.Context, s *filtering, down reactor.Subscriber[R]) reactor.Subscriber[R] {
	down = protocol.Strict(ctx, down)
	s.Ctx, s.Down, s.discard = ctx, down, reactor.DiscardHookFor[R](ctx)
	return down
}

func (s *filtering) OnSubscribe(up reactor.Subscription) {
	s.Up, s.demand.up = up, up
	s.Down.OnSubscribe(&s.demand)
}

// reject discards v, which must not be boxed needlessly, and requests another element
// in its place.
func reject[T any](s *filtering, v T) {
	if s.discard != nil {
		s.discard(v)
	}
	s.demand.replace()
}

// filteringDemand is the subscription that a filtering hands down.
type filteringDemand struct {
	up        reactor.Subscription
	unbounded atomic.Bool // demand is unlimited: no need to replace what is rejected
}

func (d *filteringDemand) Request(n int64) {
	if n == reactor.Unbounded {
		d.unbounded.Store(true)
	}
	d.up.Request(n)
}

func (d *filteringDemand) Cancel() { d.up.Cancel() }

// Attach lets h know of the runs of the source.
func (d *filteringDemand) Attach(h *protocol.Half) bool { return h.Attach(d.up) }

// Host returns the protocol.Host behind it.
func (d *filteringDemand) Host() protocol.Host { return protocol.HostOf(d.up) }

// replace requests one more for an element that was not let through.
func (d *filteringDemand) replace() {
	if !d.unbounded.Load() {
		d.up.Request(1)
	}
}
