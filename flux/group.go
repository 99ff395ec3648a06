package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// GroupedFlux is one group of [Flux.GroupBy]: a Flux of the elements that have the
// key. It can be subscribed once.
type GroupedFlux[K comparable, T any] struct {
	Flux[T]
	key K
}

// Key returns what the elements of the group have in common.
func (g GroupedFlux[K, T]) Key() K { return g.key }

// GroupOf is satisfied by GroupedFlux[K, T] alone; see [Self] for why it exists.
type GroupOf[K comparable, T any] interface{ GroupedFlux[K, T] }

// GroupByOption configures [Flux.GroupBy]: [Prefetch] (default 256), [MaxGroups],
// [Patience], [On].
type GroupByOption = operators.GroupByOption

// GroupBy splits the elements into one Flux for each key.
//
// Every group has to be read or cancelled: all of them live on one supply of 256
// elements, or as many as [Prefetch] says, and elements that wait in a group nobody
// reads use it up, until nothing moves any more. In particular the [Concurrency] of a
// FlatMap over the groups must not be less than the number of groups that are open at
// a time. [MaxGroups] and [Patience] make an error of that; otherwise it is reported as
// a dropped error after half a minute.
//
// See [operators.GroupBy] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) GroupBy[K comparable, G GroupOf[K, T]](key func(T) K, opts ...GroupByOption) Flux[G] {
	return Flux[G]{operators.GroupBy(f.Source(), key, grouped[G, K, T], opts...)}
}

// GroupByMap is [Flux.GroupBy] whose groups get value(v) in the place of v.
//
// See [operators.GroupBy] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) GroupByMap[K comparable, V any, G GroupOf[K, V]](key func(T) K, value func(T) V, opts ...GroupByOption) Flux[G] {
	return Flux[G]{operators.GroupByMap(f.Source(), key, value, grouped[G, K, V], opts...)}
}

// grouped makes a group of the publisher behind it.
func grouped[G GroupOf[K, T], K comparable, T any](key K, elements reactor.Publisher[T]) G {
	return G(GroupedFlux[K, T]{Flux[T]{elements}, key})
}
