package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// GroupedFlux is one group of [Flux.GroupBy]: a Flux of the elements that have the
// same key. It can be subscribed once.
type GroupedFlux[K comparable, T any] struct {
	Flux[T]
	key K
}

// Key returns the key that all elements of the group have.
func (g GroupedFlux[K, T]) Key() K { return g.key }

// GroupOf is satisfied by GroupedFlux[K, T] alone; see [Self] for why it exists.
type GroupOf[K comparable, T any] interface{ GroupedFlux[K, T] }

// GroupByOption configures [Flux.GroupBy]: [Prefetch] (default 256), [MaxGroups],
// [Patience], [On].
type GroupByOption = operators.GroupByOption

// GroupBy splits the elements into one Flux for each key.
//
// Every group has to be read or cancelled: all groups share one prefetch of 256 elements, or as
// many as [Prefetch] says, and elements that wait in a group that nobody reads use the prefetch
// up, until nothing moves any more. In particular, the [Concurrency] of a FlatMap over the
// groups must not be less than the number of groups that are open at a time. With [MaxGroups]
// or [Patience] the stream fails instead; without them the stall is reported as a dropped error
// after 15 to 30 s.
//
//	f:        1 - 2 - 3 - 4 - 5 |
//	          GroupBy(n => n%2)
//	out:      a - b ------------|
//	group a:  1 ----- 3 ----- 5 |
//	group b:  --- 2 ----- 4 ----|
//
// # Demand
//
// A group can be subscribed once. It keeps its elements until its subscriber requests them. All
// groups share one prefetch: f is asked for 256 elements ([Prefetch]), and then for one more for
// each group that is emitted and for each further element that a group delivers. So elements that
// nobody takes out of their group use the prefetch up, and then everything stands still: the source
// has not ended, and nobody asks it for more. Therefore every group has to be subscribed and read,
// or cancelled. In a [Flux.FlatMap] over the groups [Concurrency] (256 unless set) must not be less
// than the number of groups that are open at a time. Read a group that you don't need with
// [Flux.IgnoreElements]; better, filter out elements that you don't need before they are grouped.
// If the number of keys has no bound, give the groups an end, for example with [Flux.Take] or
// [Flux.TakeFor]. A larger Prefetch lets more elements wait, but does not remove the condition.
//
// Two options turn such a stall into an error that matches reactor.ErrOverflow. With [MaxGroups]
// the stream fails at once when one group more than allowed opens. With [Patience] the stream fails
// when for some time nothing could move because all elements wait in groups that nobody has
// subscribed to; without Patience, that is reported as a dropped error after 15 to 30 s, once for
// each subscription. Groups whose subscribers request nothing cause neither the failure nor the
// report.
//
// # The end
//
// A cancelled group discards the elements that it holds, and the next element with its key opens
// another group. f is asked for as many elements as were discarded, three quarters of the prefetch
// at a time. If the stream of groups is cancelled, open groups go on, elements without an open
// group are discarded and others requested in their place, and f is cancelled with the last group.
// (For elements that are discarded while a group is being cancelled, others are requested 100 ms
// later, on schedulers.Parallel() or as [On] says, and only if a group is open then. Otherwise an f
// that emits on the goroutine that requests would hold up a caller that cancels one group after the
// other.)
//
// When f completes, the groups complete, then the stream does. Groups end in the order of their
// keys if those are numbers or strings, else in the order in which they were opened. An error of f,
// or a panic of key, fails every group and the stream at once. A group still delivers its elements
// before the error; groups that were not emitted are discarded.
//
// Groups come on the goroutine of f or on the one that requests; elements of a group come on the
// goroutine of f or on the one that requests from the group.
func (f Flux[T]) GroupBy[K comparable, G GroupOf[K, T]](key func(T) K, opts ...GroupByOption) Flux[G] {
	return Flux[G]{operators.GroupBy(f.Source(), key, grouped[G, K, T], opts...)}
}

// GroupByMap is [Flux.GroupBy], but the groups get value(v) in the place of v.
//
//	f:        1 - 2 - 3 - 4 - 5 |
//	          GroupByMap(n => n%2, n => 10n)
//	out:      a - b ------------|
//	group a:  10 ---- 30 ---- 50 |
//	group b:  --- 20 ---- 40 ---|
//
// Every group has to be read or cancelled. This, and everything else, is as with [Flux.GroupBy]; a
// panic of value has the effect of a panic of key.
func (f Flux[T]) GroupByMap[K comparable, V any, G GroupOf[K, V]](key func(T) K, value func(T) V, opts ...GroupByOption) Flux[G] {
	return Flux[G]{operators.GroupByMap(f.Source(), key, value, grouped[G, K, V], opts...)}
}

// grouped makes a group of the publisher behind it.
func grouped[G GroupOf[K, T], K comparable, T any](key K, elements reactor.Publisher[T]) G {
	return G(GroupedFlux[K, T]{Flux[T]{elements}, key})
}
