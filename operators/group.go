package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor/internal/unicast"
)

// group is one group as a publisher.
type group[K comparable, V any] struct {
	unicast.Publisher[V]
	main    groupOwner[K, V]
	key     K
	number  int64       // groups opened before
	emitted atomic.Bool // downstream may have seen it; written by the owner of the stream of groups, before
	counted bool        // the first element was accounted for; owner of the group's drain
}

type groupOwner[K comparable, V any] interface {
	groupReleased(g *group[K, V], cancelled bool)
	groupDelivered(n int64)
	groupPassed() // one element, within a signal of src
	groupLost(n int64)
}

// Released implements unicast.Owner.
func (g *group[K, V]) Released(cancelled bool) { g.main.groupReleased(g, cancelled) }

// Discarded implements reactor.Discardable.
func (g *group[K, V]) Discarded() { g.Abandon() }

// Delivered implements unicast.Producer.
func (g *group[K, V]) Delivered(n int64) {
	if g.IsCancelled() {
		g.Lost(n)
	} else if n = g.toReplenish(n); n > 0 {
		g.main.groupDelivered(n)
	}
}

// Passed implements unicast.Producer.
func (g *group[K, V]) Passed() {
	if g.IsCancelled() {
		g.Lost(1)
	} else if g.toReplenish(1) > 0 {
		g.main.groupPassed()
	}
}

// Lost implements unicast.Producer.
func (g *group[K, V]) Lost(n int64) {
	if n = g.toReplenish(n); n > 0 {
		g.main.groupLost(n)
	}
}

// toReplenish returns how many of the next n elements src is to be asked for again. The
// first element of the group isn't: it was when the group was emitted.
func (g *group[K, V]) toReplenish(n int64) int64 {
	if !g.counted && g.emitted.Load() {
		n--
	}
	g.counted = true
	return n
}
