package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// ConcatMapOption configures [Flux.ConcatMap]: [Prefetch], [DelayErrors],
// [DelayErrorsToBoundary].
type ConcatMapOption = operators.ConcatMapOption

// DelayErrorsToBoundary holds the error of the source back until the current inner
// publisher has ended; no further one is subscribed.
func DelayErrorsToBoundary() BoundaryErrorsOption { return operators.DelayErrorsToBoundary() }

// ConcatMap emits the elements of the publishers that fn returns, one publisher after the other.
// f is asked for 32 elements ahead, or as many as [Prefetch] says; with Prefetch(0) each element
// is requested when the publisher of the element before has completed.
//
//	f:    1 - 2 ------------ |
//	      ConcatMap(n => 10n and 10n+1, each 3 later)
//	out:  --- 10 - 11 - 20 - 21 |
//
// f is asked for 32 elements ([Prefetch]), which wait in a queue, and for another three
// quarters of that number whenever as many were taken. With Prefetch(0) the first request asks
// f for one element; the next one is requested when the publisher of the element before has
// completed. Demand goes to the current inner publisher, and demand that it leaves open to the
// next one. Publishers that have at most one element and know it at once ([Just], [Empty], …)
// are not subscribed to.
//
// An error of f or of an inner publisher ends the stream at once, cancels the other side and
// discards what waits. There are two exceptions to "at once": while an inner publisher computes
// its elements on request, as Range and FromSlice do, an error of f takes effect before its next
// element; and with Prefetch(0) an error of f comes when the publisher of the element before it
// was subscribed. With [DelayErrors] the errors, joined if there are several, come when
// everything else was delivered; with [DelayErrorsToBoundary] the first one comes when the
// current inner publisher has ended. A panic of fn, or a nil publisher, ends the stream at once
// in any case. With Prefetch(0) the options work differently: DelayErrors delays such a panic as
// well, keeps the first error only and reports the others as dropped, and DelayErrorsToBoundary
// has no effect.
//
// Cancellation cancels f and the current inner publisher; errors held back so far are then
// lost, as they are when fn ends the stream. fn runs, and the next publisher is subscribed, on
// the goroutine of f or of the publisher that has completed. The stack depth is constant,
// however many publishers complete at once. Elements come on the goroutines of the inner
// publishers.
func (f Flux[T]) ConcatMap[R any, P reactor.Publisher[R]](fn func(T) P, opts ...ConcatMapOption) Flux[R] {
	return Flux[R]{operators.ConcatMap(f.Source(), publishers[R]("concatMap", fn), opts...)}
}

// ConcatMap emits the elements of the publishers that fn returns, each rail by itself and one
// publisher of a rail after the other.
//
//	p:    1 - 2 ------------ |
//	      ConcatMap(n => 10n and 10n+1, each 3 later)
//	out:  --- 10 - 11 20 21 -|      one rail each
//
// Each rail behaves as a stream under [Flux.ConcatMap] does: demand, options, errors (which end
// their rail), cancellation and goroutines are the same.
func (p ParallelFlux[T]) ConcatMap[R any, Q reactor.Publisher[R]](fn func(T) Q, opts ...ConcatMapOption) ParallelFlux[R] {
	inner := publishers[R]("concatMap", fn)
	return onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[R] { return operators.ConcatMap(rail, inner, opts...) })
}

// SwitchMapOption configures [Flux.SwitchMap] and [SwitchOnNext]: [Prefetch], [DelayErrors].
type SwitchMapOption = operators.SwitchMapOption

// SwitchMap emits the elements of the publisher that fn returns for the newest element of f; each
// element cancels the publisher of the element before.
//
//	f:    1 ----- 2 -------------- |
//	      SwitchMap(n => 10n, 10n+1, 10n+2, every 5)
//	out:  --- 10 ---- 20 - 21 - 22 |
//
// Everything is requested of f. Demand goes to the current inner publisher, and demand that it
// leaves open to the next one. With [Prefetch] each inner publisher is asked for that many
// elements ahead of demand instead; they wait in a queue, and are discarded when the next
// publisher comes. The stream completes when f and the newest inner publisher have completed.
//
// The first error, of f, of fn or of the current inner publisher, cancels everything and ends the
// stream. With [DelayErrors] an error of f waits until the current inner publisher has ended, and
// an error of an inner publisher until the end of the stream; several errors are joined. A nil
// publisher is an error of fn. Errors of publishers that were replaced are reported as dropped.
//
// Cancellation cancels f and the current inner publisher, unless they have ended. As in Reactor, a
// publisher that is replaced is cancelled even if it has completed: its [Flux.DoOnCancel] runs
// after its end. Without Prefetch the current publisher is also cancelled when f fails, even if it
// has completed.
//
// fn runs on the goroutine of f. But if an element of the publisher that is to be replaced is on
// its way down, fn runs after that delivery, on the goroutine of that publisher; of the elements of
// f that come meanwhile only the newest is used, and the others are discarded. Elements come on the
// goroutines of the inner publishers or, with Prefetch, on whatever goroutine delivers first: that
// of an inner publisher or of a request.
func (f Flux[T]) SwitchMap[R any, P reactor.Publisher[R]](fn func(T) P, opts ...SwitchMapOption) Flux[R] {
	return Flux[R]{operators.SwitchMap(f.Source(), publishers[R]("switchMap", fn), opts...)}
}

// ExhaustMapOption configures [Flux.ExhaustMap]: [Prefetch] (default 32), [DelayErrors].
type ExhaustMapOption = operators.ExhaustMapOption

// ExhaustMap emits the elements of the publisher that fn returns for an element, and discards the
// elements of f that come meanwhile. Reactor has no such operator. The name is that of RxJS.
//
//	f:    1 - 2 ----- 3 --------- |
//	      ExhaustMap(n => 10n and 10n+1, each 4 later)
//	out:  --- 10 - 11 --- 30 - 31 |
//
// Everything is requested of f, and no element of f waits. One inner publisher is subscribed at a
// time; until it has completed and everything that it sent was delivered, elements of f are
// discarded, and [Flux.DoOnDiscard] tells which. The inner publisher is asked for 32 elements
// ahead of demand, or for as many as [Prefetch] says. The stream completes when f and the last
// inner publisher have completed.
//
// The first error, of f, of fn, or of the inner publisher, cancels the other side, discards the
// elements that wait and ends the stream. With [DelayErrors] the errors, joined if there are
// several, come when f and the last inner publisher have ended. A nil publisher is an error of
// fn.
//
// Cancellation cancels f and the inner publisher. fn runs on the goroutine of f. If the inner
// publisher works on that goroutine too, no element of f can come meanwhile, and nothing is
// discarded. Elements are emitted on whatever goroutine delivers first: that of the inner publisher
// or of a request.
func (f Flux[T]) ExhaustMap[R any, P reactor.Publisher[R]](fn func(T) P, opts ...ExhaustMapOption) Flux[R] {
	return Flux[R]{operators.ExhaustMap(f.Source(), publishers[R]("exhaustMap", fn), opts...)}
}

// SwitchOnNext emits the elements of the newest publisher that sources has sent.
//
//	src:  a ----- b --------------- |
//	a:    --- 10 -X
//	b:            --- 20 -- 21 -- 22 |
//	      SwitchOnNext(src)
//	out:  --- 10 ---- 20 -- 21 -- 22 |
//
// Everything is requested of sources. Demand goes to the current inner publisher, and demand that
// it leaves open to the next one. With [Prefetch] each inner publisher is asked for that many
// elements ahead of demand instead; they wait in a queue, and are discarded when the next
// publisher comes. The stream completes when sources and the newest inner publisher have
// completed.
//
// The first error, of sources or of the current inner publisher, cancels everything and ends the
// stream. With [DelayErrors] an error of sources waits until the current inner publisher has
// ended, and an error of an inner publisher until the end of the stream; several errors are
// joined. A nil publisher ends the stream with an error at once. Errors of publishers that were
// replaced are reported as dropped.
//
// Cancellation cancels sources and the current inner publisher. A publisher is subscribed on the
// goroutine of sources. But if an element of the publisher that is to be replaced is on its way
// down, the new one is subscribed after that delivery, on the goroutine of the old one; a publisher
// that is replaced meanwhile is never subscribed. Elements come on the goroutines of the inner
// publishers or, with Prefetch, on whatever goroutine delivers first: that of an inner publisher or
// of a request.
func SwitchOnNext[T any, P reactor.Publisher[T]](sources reactor.Publisher[P], opts ...SwitchMapOption) Flux[T] {
	return Flux[T]{operators.SwitchOnNext(sources, opts...)}
}

// FlatMapSequentialOption configures [Flux.FlatMapSequential] and [MergeSequentialAll]:
// [Concurrency] (default 256), [Prefetch] (default 32), [DelayErrors].
type FlatMapSequentialOption = operators.FlatMapSequentialOption

// FlatMapSequential subscribes at once to the publisher that fn returns for each element, and
// emits what these publishers send, in the order of the elements. Up to 256 of them are
// subscribed at a time, or as many as [Concurrency] says.
//
//	f:    1 - 2 ------------ |
//	      FlatMapSequential(1 => 10, 11, every 6; 2 => 20, 21, every 2)
//	out:  ----- 10 ---- 11 20 21 |
//
// At most [Concurrency] inner publishers are subscribed at a time: that many elements are
// requested from f, and one more for each publisher whose turn is over. Each inner publisher is
// asked for [Prefetch] elements ahead of demand; they wait in a queue of its own until the
// publisher's turn comes.
//
// The first error, of f, of fn, or of an inner publisher, cancels f and all inner publishers,
// discards the elements that wait and ends the stream. With [DelayErrors] inner publishers and
// f run on, and their errors, joined if there are several, come at the end. A nil publisher is
// an error of fn.
//
// Cancellation cancels f and all inner publishers; errors held back so far are then lost. fn runs
// on the goroutine of f. Elements are emitted on the goroutine that makes it possible: that of the
// inner publisher whose turn it is, that of the inner publisher before it, or that of a request.
func (f Flux[T]) FlatMapSequential[R any, P reactor.Publisher[R]](fn func(T) P, opts ...FlatMapSequentialOption) Flux[R] {
	return Flux[R]{operators.FlatMapSequential(f.Source(), publishers[R]("flatMapSequential", fn), opts...)}
}

// MergeSequentialOption configures [MergeSequential]: [Concurrency], [Prefetch], [DelayErrors].
type MergeSequentialOption = operators.MergeSequentialOption

// MergeSequential subscribes to all sources at once, or to as many at a time as [Concurrency] says,
// and emits what they send in the order of the sources: all of the first source, then all of the
// second, and so on.
//
//	a:    1 ------------ 2 |
//	b:    --- 10 - 20 |
//	      MergeSequential(a, b)
//	out:  1 ------------ 2 - 10 - 20 |
//
// Each source is asked for 32 elements ahead of demand ([Prefetch]); they wait in a queue of its
// own until the source's turn comes. The first error of any source cancels the others, discards the
// elements that wait and ends the stream; with [DelayErrors] the sources run on, and errors, joined
// if there are several, come at the end. Cancellation cancels all sources; errors held back so far
// are then lost. Elements are emitted on the goroutine that makes it possible, see
// [Flux.FlatMapSequential].
func MergeSequential[T any, P reactor.Publisher[T]](sources []P, opts ...MergeSequentialOption) Flux[T] {
	return Flux[T]{operators.MergeSequential(sourcesOf[T](sources), opts...)}
}

// MergeSequentialAll subscribes at once to the publishers that sources sends, and emits what
// they send in the order of the publishers.
//
//	src:  a - b ------------ |
//	a:    ----- 10 ---- 11 |
//	b:        - 20 - 21 |
//	      MergeSequentialAll(src)
//	out:  ----- 10 ---- 11 20 21 |
//
// At most [Concurrency] inner publishers are subscribed at a time: that many elements are requested
// from sources, and one more for each publisher whose turn is over. Each inner publisher is asked
// for [Prefetch] elements ahead of demand; they wait in a queue of its own until the publisher's
// turn comes.
//
// The first error, of sources or of an inner publisher, cancels sources and all inner publishers,
// discards the elements that wait and ends the stream. With [DelayErrors] inner publishers and
// sources run on, and their errors, joined if there are several, come at the end. A nil publisher
// is an error of sources.
//
// Cancellation cancels sources and all inner publishers; errors held back so far are then lost.
// Inner publishers are subscribed on the goroutine of sources. Elements are emitted on the
// goroutine that makes it possible: that of the inner publisher whose turn it is, that of the inner
// publisher before it, or that of a request.
func MergeSequentialAll[T any, P reactor.Publisher[T]](sources reactor.Publisher[P], opts ...FlatMapSequentialOption) Flux[T] {
	return Flux[T]{operators.MergeSequentialAll(sources, opts...)}
}

// MergeComparingOption configures [MergeComparing] and [MergePriority]: [Prefetch],
// [DelayErrors].
type MergeComparingOption = operators.MergeComparingOption

// MergeComparing merges sources, each of which is sorted in the order of compare, into one stream
// in that order.
//
//	a:    1 ----- 4 ----- 5 |
//	b:    --- 2 ----- 6 ----- 7 |
//	      MergeComparing(cmp.Compare, a, b)
//	out:  --- 1 - 2 - 4 - 5 - 6 - 7 |
//
// All sources are subscribed at once, from left to right. Each is asked for 256 elements
// ([Prefetch]), which wait in a queue of its own, and for another three quarters of that number
// whenever as many were delivered. The first error cancels the other sources, discards the
// elements that wait and ends the stream; with [DelayErrors] the sources run on, and errors,
// joined if there are several, come at the end. A panic of compare ends the stream at once.
// Cancellation cancels all sources. Elements are emitted on the goroutine that makes it
// possible: that of a source or of a request.
func MergeComparing[T any, P reactor.Publisher[T]](compare func(a, b T) int, sources []P, opts ...MergeComparingOption) Flux[T] {
	return Flux[T]{operators.MergeComparing(compare, sourcesOf[T](sources), opts...)}
}

// MergePriority merges sources, and of the elements that have come it emits the smallest first.
//
//	a:    1 ----- 4 ----- 5 |
//	b:    --- 2 ----- 3 |
//	      MergePriority(cmp.Compare, a, b)
//	out:  1 - 2 - 4 - 3 - 5 |
//
// So elements are in order only where they have waited for demand. Everything else is as with
// [MergeComparing].
func MergePriority[T any, P reactor.Publisher[T]](compare func(a, b T) int, sources []P, opts ...MergeComparingOption) Flux[T] {
	return Flux[T]{operators.MergePriority(compare, sourcesOf[T](sources), opts...)}
}

// MergeComparingWith merges f and other, each of which is sorted in the order of compare, into
// one stream in that order.
//
//	f:      1 ----- 4 ----- 5 |
//	other:  --- 2 ----- 6 ----- 7 |
//	        MergeComparingWith(other, cmp.Compare)
//	out:    --- 1 - 2 - 4 - 5 - 6 - 7 |
//
// All sources are subscribed at once, from left to right. Each is asked for 256 elements
// ([Prefetch]), which wait in a queue of its own, and for another three quarters of that number
// whenever as many were delivered. The first error cancels the other sources, discards the
// elements that wait and ends the stream; with [DelayErrors] the sources run on, and errors,
// joined if there are several, come at the end. A panic of compare ends the stream at once.
// Cancellation cancels all sources. Elements are emitted on the goroutine that makes it
// possible: that of a source or of a request.
func (f Flux[T]) MergeComparingWith[F Self[T]](other reactor.Publisher[T], compare func(a, b T) int, opts ...MergeComparingOption) F {
	return wrap[F](operators.MergeComparingWith(f.Source(), other, compare, opts...))
}

// SwitchOnFirstOption configures [Flux.SwitchOnFirst]: [KeepSource].
type SwitchOnFirstOption = operators.SwitchOnFirstOption

// KeepSource lets the source run on when the result has completed: the subscriber of the source
// gets the rest. A source without a subscriber is not cancelled either: its first element, and an
// error behind it, wait for a later subscriber; if none comes, the element is not discarded and the
// error is not reported.
func KeepSource() KeepSourceOption { return operators.KeepSource() }

// SwitchOnFirst lets the first signal decide what to do with the stream: fn gets that signal
// and all of f, the first signal included, and returns the publisher whose elements are
// emitted.
//
//	f:    1 - 2 - 3 |
//	      SwitchOnFirst((first, all) => all times first)
//	out:  1 - 2 - 3 |
//
// f is asked for one element when it is subscribed. all can be subscribed once, by the
// publisher that fn returns; it sends the first element on the first request, and then what is
// requested beyond that element. If the first signal is the end of f, all ends with it too.
// Demand goes to the publisher that fn has returned.
//
// When that publisher ends, f is cancelled, and the subscriber of all gets
// reactor.ErrCancelled; with [KeepSource] that happens only if the publisher has failed. An
// error of f goes to the subscriber of all. A panic of fn, or a nil publisher, cancels f and
// ends the stream. Cancellation cancels the publisher of fn and f. A first element that was
// never requested is discarded. fn runs on the goroutine of f; the first element goes down on
// that of the request.
func (f Flux[T]) SwitchOnFirst[R any, P reactor.Publisher[R]](
	fn func(first reactor.Signal[T], all Flux[T]) P, opts ...SwitchOnFirstOption,
) Flux[R] {
	argument.Given("switchOnFirst", "function", fn != nil)
	return Flux[R]{operators.SwitchOnFirst(f.Source(), func(first reactor.Signal[T], all reactor.Publisher[T]) reactor.Publisher[R] {
		return source[R](fn(first, Flux[T]{all}))
	}, opts...)}
}
