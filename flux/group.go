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
// Every group has to be read or cancelled: all of them share one prefetch of 256 elements, or
// as many as [Prefetch] says, and elements that wait in a group nobody reads use it up, until
// nothing moves any more. In particular the [Concurrency] of a FlatMap over the groups must not
// be less than the number of groups that are open at a time. [MaxGroups] and [Patience] make an
// error of that; otherwise it is reported as a dropped error after 15 to 30 s.
//
//	f:        1 - 2 - 3 - 4 - 5 |
//	          GroupBy(n => n%2)
//	out:      a - b ------------|
//	group a:  1 ----- 3 ----- 5 |
//	group b:  --- 2 ----- 4 ----|
//
// # Demand
//
// A group can be subscribed once. It keeps what it has got until its subscriber requests it,
// and all groups share one prefetch: f is asked for 256 elements ([Prefetch]), and for another
// one for each group that is emitted and each further element that a group delivers. So
// elements that nobody takes out of their group use the prefetch up, and then everything stands
// still: the source has not ended, and nobody asks it for more. So every group has to be subscribed
// and read, or cancelled. In a [Flux.FlatMap] over the groups [Concurrency] (256 unless set) must not
// be less than the number of groups that are open at a time. A group that nobody needs is read with
// [Flux.IgnoreElements]; elements that nobody needs are better filtered out before they are grouped.
// Where keys have no bound, give the groups an end, for example
// with [Flux.Take] or [Flux.TakeFor]. A larger Prefetch lets more elements wait, it does not
// remove the condition.
//
// Two options make an error of that, which matches reactor.ErrOverflow: with [MaxGroups] a
// group too many fails the stream at once, and with [Patience] the stream fails when for some
// time nothing could move because all elements wait in groups that nobody has subscribed to.
// Without Patience, that is reported as a dropped error after 15 to 30 s, once for each subscription.
// Groups whose subscribers request nothing are no reason for either.
//
// # The end
//
// A group that is cancelled discards what it holds and is forgotten: the next element with its
// key opens another group. f is asked again for what was discarded, three quarters of the prefetch
// at a time. If the stream of groups is cancelled, open groups go on, elements without one
// are discarded and others asked for in their place, and f is cancelled with the last group.
// (For those that come while a group is being cancelled others are asked 100 ms later, on
// schedulers.Parallel() or see [On], and only if a group is open then. Else an f that emits where it is
// asked would hold up whoever cancels one group after the other.)
//
// When f completes, the groups complete, then the stream does.
// Groups end in the order of their keys if those are numbers or strings,
// else in the order in which they were opened. An error of f, or a panic of key, fails every
// group and the stream at once; elements in a group are still delivered before, groups that
// were not emitted are discarded.
//
// Groups come on the goroutine of f or the one that requests, elements of a group on that of f
// or the one that requests from the group.
func (f Flux[T]) GroupBy[K comparable, G GroupOf[K, T]](key func(T) K, opts ...GroupByOption) Flux[G] {
	return Flux[G]{operators.GroupBy(f.Source(), key, grouped[G, K, T], opts...)}
}

// GroupByMap is [Flux.GroupBy] whose groups get value(v) in the place of v.
//
//	f:        1 - 2 - 3 - 4 - 5 |
//	          GroupByMap(n => n%2, n => 10n)
//	out:      a - b ------------|
//	group a:  10 ---- 30 ---- 50 |
//	group b:  --- 20 ---- 40 ---|
//
// Every group has to be read or cancelled. That, and everything else, is as with [Flux.GroupBy]; a
// panic of value is like one of key.
func (f Flux[T]) GroupByMap[K comparable, V any, G GroupOf[K, V]](key func(T) K, value func(T) V, opts ...GroupByOption) Flux[G] {
	return Flux[G]{operators.GroupByMap(f.Source(), key, value, grouped[G, K, V], opts...)}
}

// grouped makes a group of the publisher behind it.
func grouped[G GroupOf[K, T], K comparable, T any](key K, elements reactor.Publisher[T]) G {
	return G(GroupedFlux[K, T]{Flux[T]{elements}, key})
}
