package mono

import (
	"fmt"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// Zip emits what fn makes of the elements of both. If one is empty or fails, so does the
// result; with [DelayErrors] it waits for the other one first.
//
//	a:    --- 1 |
//	b:    --------- 2 |
//	      Zip(a, b, sum)
//	out:  --------- 3 |
//
// The sources are subscribed by the first request, in order. They run at the same time if they do
// so by themselves: one that works where it is asked, such as [FromFunc], needs a
// [Mono.SubscribeOn], else it keeps the next one waiting. The first one that fails or is empty
// ends the stream so, and cancels the others; with [DelayErrors] all run to their end first, and
// several errors are joined in the order of the sources. Elements that do not get to fn are
// discarded. A panic of fn ends the stream. fn runs on the goroutine of the source that is last.
func Zip[A, B, R any](a Mono[A], b Mono[B], fn func(A, B) R, opts ...ZipOption) Mono[R] {
	return Mono[R]{operators.MonoZip2(a.Source(), b.Source(), fn, opts...)}
}

// Zip3 is [Zip] for three Monos.
func Zip3[A, B, C, R any](
	a Mono[A], b Mono[B], c Mono[C],
	fn func(A, B, C) R, opts ...ZipOption,
) Mono[R] {
	return Mono[R]{operators.MonoZip3(a.Source(), b.Source(), c.Source(), fn, opts...)}
}

// Zip4 is [Zip] for four Monos.
func Zip4[A, B, C, D, R any](
	a Mono[A], b Mono[B], c Mono[C], d Mono[D],
	fn func(A, B, C, D) R, opts ...ZipOption,
) Mono[R] {
	return Mono[R]{operators.MonoZip4(a.Source(), b.Source(), c.Source(), d.Source(), fn, opts...)}
}

// Zip5 is [Zip] for five Monos.
func Zip5[A, B, C, D, E, R any](
	a Mono[A], b Mono[B], c Mono[C], d Mono[D], e Mono[E],
	fn func(A, B, C, D, E) R, opts ...ZipOption,
) Mono[R] {
	return Mono[R]{operators.MonoZip5(a.Source(), b.Source(), c.Source(), d.Source(), e.Source(), fn, opts...)}
}

// Zip6 is [Zip] for six Monos.
func Zip6[A, B, C, D, E, F, R any](
	a Mono[A], b Mono[B], c Mono[C], d Mono[D], e Mono[E], f Mono[F],
	fn func(A, B, C, D, E, F) R, opts ...ZipOption,
) Mono[R] {
	return Mono[R]{operators.MonoZip6(a.Source(), b.Source(), c.Source(), d.Source(), e.Source(), f.Source(), fn, opts...)}
}

// Zip7 is [Zip] for seven Monos.
func Zip7[A, B, C, D, E, F, G, R any](
	a Mono[A], b Mono[B], c Mono[C], d Mono[D], e Mono[E], f Mono[F], g Mono[G],
	fn func(A, B, C, D, E, F, G) R, opts ...ZipOption,
) Mono[R] {
	return Mono[R]{operators.MonoZip7(a.Source(), b.Source(), c.Source(), d.Source(), e.Source(), f.Source(), g.Source(), fn, opts...)}
}

// Zip8 is [Zip] for eight Monos.
func Zip8[A, B, C, D, E, F, G, H, R any](
	a Mono[A], b Mono[B], c Mono[C], d Mono[D], e Mono[E], f Mono[F], g Mono[G], h Mono[H],
	fn func(A, B, C, D, E, F, G, H) R, opts ...ZipOption,
) Mono[R] {
	return Mono[R]{operators.MonoZip8(a.Source(), b.Source(), c.Source(), d.Source(), e.Source(), f.Source(), g.Source(), h.Source(), fn, opts...)}
}

// ZipSlice is [Zip] for any number of Monos of one type; fn owns the slice that it gets.
//
//	a:    --- 1 |
//	b:    --------- 2 |
//	      ZipSlice([a, b], sum)
//	out:  --------- 3 |
//
// The sources are subscribed by the first request, in order. They run at the same time if they do
// so by themselves: one that works where it is asked, such as [FromFunc], needs a
// [Mono.SubscribeOn], else it keeps the next one waiting. The first one that fails or is empty
// ends the stream so, and cancels the others; with [DelayErrors] all run to their end first, and
// several errors are joined in the order of the sources. Elements that do not get to fn are
// discarded. A panic of fn ends the stream. fn runs on the goroutine of the source that is last.
// It owns the slice.
func ZipSlice[T, R any](sources []Mono[T], fn func([]T) R, opts ...ZipOption) Mono[R] {
	return Mono[R]{operators.MonoZip(publishers(sources), fn, opts...)}
}

// ZipOption is an option of [Zip] and its like: [DelayErrors].
type ZipOption = operators.MonoZipOption

// ZipWith emits what fn makes of the elements of m and of other.
//
//	m:      --- 1 |
//	other:  --------- 2 |
//	        ZipWith(other, sum)
//	out:    --------- 3 |
//
// Both are subscribed by the first request, m first. They run at the same time if they do so by
// themselves: one that works where it is asked, such as [FromFunc], needs a [Mono.SubscribeOn],
// else it keeps the other one waiting. The first one that fails or is empty ends the stream so,
// and cancels the other. An element that does not get to fn is discarded. A panic of fn ends the
// stream. fn runs on the goroutine of the one that is last.
func (m Mono[T]) ZipWith[U, R any](other Mono[U], fn func(T, U) R) Mono[R] {
	return Mono[R]{operators.MonoZip2(m.Source(), other.Source(), fn)}
}

// ZipWhen emits combine(v, w) for the element v of m and the element w of the Mono fn(v).
//
//	m:      --- 1 |
//	fn(1):        --- 9 |
//	        ZipWhen(fn, pair)
//	out:    --------- (1, 9) |
//
// If either is empty, so is the result. Demand passes to m; everything is requested of the
// publisher of fn. Errors of both pass; a panic of a function ends the stream. Cancellation
// goes to whichever is running. An element whose counterpart does not come is discarded.
// combine runs on the goroutine of the publisher.
func (m Mono[T]) ZipWhen[U, R any](fn func(T) Mono[U], combine func(T, U) R) Mono[R] {
	return Mono[R]{operators.MonoZipWhen(m.Source(), fn, combine)}
}

// When completes when all sources have completed; the first error ends it at once. The sources
// are subscribed at the first request: a subscriber that never requests, though there is no
// element to come, starts none of them. A single source is subscribed at once.
//
//	a:    1 ----- 2 |
//	b:    --- 3 -------- |
//	      When(a, b)
//	out:  -------------- |
//
// The sources are subscribed in order, with unbounded demand. They run at the same time if they do
// so by themselves: one that works where it is asked, such as [FromFunc], needs a
// [Mono.SubscribeOn], else it keeps the next one waiting. The first error cancels the others; to let all sources run to
// their end first there is [WhenSlice] with [DelayErrors]. The end comes on the goroutine of the
// source that ends last. Sources of different types can be mixed by [Mono.Then]. [Mono.Run] waits
// for the end.
func When[T any](sources ...reactor.Publisher[T]) Mono[struct{}] {
	return Mono[struct{}]{operators.When(sources)}
}

// WhenOption is an option of [When2] and its like: [DelayErrors].
type WhenOption = operators.WhenOption

// endOf is the end of the source of When2 and its like at an index, which is refused under their name.
func endOf[T any](i int, src reactor.Publisher[T]) reactor.Publisher[struct{}] {
	if src == nil {
		argument.NotNil("when", fmt.Sprintf("publisher at index %d", i), src)
	}
	return operators.Then(src)
}

// When2 is [When] for two publishers of different types; [DelayErrors] lets all of them run to
// their end before it fails. Of more than four, those of a type of their own come as m.Then().
//
//	a:    1 ----- |
//	b:    --- x -------- |
//	      When2(a, b)
//	out:  -------------- |
//
// The sources are subscribed by the first request, in order, with unbounded demand. They run at
// the same time if they do so by themselves: one that works where it is asked, such as
// [FromFunc], needs a [Mono.SubscribeOn], else it keeps the next one waiting. The first error
// ends the stream and cancels the others; with [DelayErrors] all sources run to their end first,
// and several errors are joined in the order of the sources. The end comes on the goroutine of
// the source that ends last.
func When2[A, B any](a reactor.Publisher[A], b reactor.Publisher[B], opts ...WhenOption) Mono[struct{}] {
	return Mono[struct{}]{operators.When([]reactor.Publisher[struct{}]{endOf(0, a), endOf(1, b)}, opts...)}
}

// When3 is [When] for three publishers of different types.
//
//	a:    1 ----- 2 |
//	b:    --- 3 -------- |
//	c:    ---- |
//	      When3(a, b, c)
//	out:  -------------- |
//
// The sources are subscribed by the first request, in order, with unbounded demand. They run at
// the same time if they do so by themselves: one that works where it is asked, such as
// [FromFunc], needs a [Mono.SubscribeOn], else it keeps the next one waiting. The first error
// ends the stream and cancels the others; with [DelayErrors] all sources run to their end first,
// and several errors are joined in the order of the sources. The end comes on the goroutine of
// the source that ends last.
func When3[A, B, C any](a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], opts ...WhenOption) Mono[struct{}] {
	return Mono[struct{}]{operators.When([]reactor.Publisher[struct{}]{endOf(0, a), endOf(1, b), endOf(2, c)}, opts...)}
}

// When4 is [When] for four publishers of different types.
//
//	a:    1 ----- 2 |
//	b:    --- 3 -------- |
//	c:    ---- |
//	d:    - 4 - 5 - |
//	      When4(a, b, c, d)
//	out:  -------------- |
//
// The sources are subscribed by the first request, in order, with unbounded demand. They run at
// the same time if they do so by themselves: one that works where it is asked, such as
// [FromFunc], needs a [Mono.SubscribeOn], else it keeps the next one waiting. The first error
// ends the stream and cancels the others; with [DelayErrors] all sources run to their end first,
// and several errors are joined in the order of the sources. The end comes on the goroutine of
// the source that ends last.
func When4[A, B, C, D any](a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], opts ...WhenOption) Mono[struct{}] {
	return Mono[struct{}]{operators.When([]reactor.Publisher[struct{}]{endOf(0, a), endOf(1, b), endOf(2, c), endOf(3, d)}, opts...)}
}

// WhenSlice is [When] for a slice of publishers of one type, such as []Mono[T]; [DelayErrors] lets all of them
// run to their end before it fails.
//
// Demand, errors, cancellation and goroutines are those of [When].
func WhenSlice[T any, P reactor.Publisher[T]](sources []P, opts ...WhenOption) Mono[struct{}] {
	all := make([]reactor.Publisher[T], len(sources))
	for i, p := range sources {
		all[i] = p
	}
	return Mono[struct{}]{operators.When(all, opts...)}
}

// WhenDelayError is [When] that lets all sources run to their end before it fails.
//
//	a:    1 ----- #
//	b:    --- 3 -------- |
//	      WhenDelayError(a, b)
//	out:  -------------- #
//
// The sources are subscribed by the first request, in order, with unbounded demand; a single one
// is subscribed at once. They run at the same time if they do so by themselves: one that works
// where it is asked, such as [FromFunc], needs a [Mono.SubscribeOn], else it keeps the next one
// waiting. All of them run to their end, and several errors are joined in the order of the
// sources. The end comes on the goroutine of the source that ends last. Sources of different
// types can be mixed by [Mono.Then].
func WhenDelayError[T any](sources ...reactor.Publisher[T]) Mono[struct{}] {
	return Mono[struct{}]{operators.When(sources, operators.DelayErrors())}
}

// And completes when m and other have completed. Both are subscribed at the first request: a
// subscriber that never requests, though there is no element to come, starts neither.
//
//	m:      --- 1 |
//	other:  --- 3 -------- |
//	        And(other)
//	out:    -------------- |
//
// m is subscribed first; the demand for both is unbounded. They run at the same time if they do so by
// themselves: one that works where it is asked, such as [FromFunc], needs a [Mono.SubscribeOn],
// else it keeps the other one waiting. The first error ends the stream and cancels the other one;
// to let both run to their end first there is [When2] with [DelayErrors]. The end comes on the
// goroutine of the one that ends last.
func (m Mono[T]) And[U any](other reactor.Publisher[U]) Mono[struct{}] {
	return Mono[struct{}]{operators.And(m.Source(), other)}
}

// FirstWithSignal becomes whichever Mono is the first to send an element or to end.
//
//	a:    ----- 1 |
//	b:    -- 8 |
//	      FirstWithSignal(a, b)
//	out:  -- 8 |
//
// Every request goes to all sources until one has won, then to that one. Sources are subscribed
// in order, until one has won or the stream is cancelled. What a loser still sends is discarded
// or reported as dropped. Signals come on the goroutine of the winner.
func FirstWithSignal[T any](sources ...Mono[T]) Mono[T] {
	return Mono[T]{operators.FirstWithSignal(publishers(sources)...)}
}

// FirstWithValue becomes whichever Mono is the first to send an element.
//
//	a:    #
//	b:    -- |
//	c:    ----- 8 |
//	      FirstWithValue(a, b, c)
//	out:  ----- 8 |
//
// Every request goes to all sources until one has won, then to that one. Sources are subscribed
// in order, until one has won or the stream is cancelled. What a loser still sends is
// discarded. Sources that fail or complete before have lost; if all do, the stream fails with
// reactor.ErrNoElements and what became of each source, in order. Without a source it is empty;
// one alone is passed on as it is. Signals come on the goroutine of the winner.
func FirstWithValue[T any](sources ...Mono[T]) Mono[T] {
	return Mono[T]{operators.FirstWithValue(publishers(sources)...)}
}

// Or becomes m or other, whichever is the first to send an element or to end.
//
//	m:      ----- 1 |
//	other:  -- 8 |
//	        Or(other)
//	out:    -- 8 |
//
// Every request goes to all sources until one has won, then to that one. Sources are subscribed
// in order, until one has won or the stream is cancelled. What a loser still sends is discarded
// or reported as dropped. Signals come on the goroutine of the winner.
func (m Mono[T]) Or[M Self[T]](other M) M {
	return wrap[M](operators.Or(m.Source(), Mono[T](other).Source()))
}

// SequenceEqual reports whether both sources send equal elements in the same order.
//
//	a:    1 --- 2 --- 3 |
//	b:    1 - 2 - 4 ---- |
//	      SequenceEqual(a, b)
//	out:  ----------- false |
//
// Each source is asked for a prefetch (256, or [Prefetch]) at once, and for more as elements
// are compared. The first difference cancels both, and so does an element for which the other
// source, which has completed, has none; an error of either cancels the other and passes. The
// result waits for demand. Elements that were not compared are discarded; the others are used
// up. The comparison runs on the goroutine of the source that sends last.
func SequenceEqual[T comparable](a, b reactor.Publisher[T], opts ...SequenceEqualOption) Mono[bool] {
	return Mono[bool]{operators.SequenceEqual(a, b, opts...)}
}

// SequenceEqualFunc is [SequenceEqual] for elements that eq compares.
//
//	a:    1 --- 2 --- 3 |
//	b:    1 - 2 - 4 ---- |
//	      SequenceEqualFunc(a, b, equal)
//	out:  ----------- false |
//
// Each source is asked for a prefetch (256, or [Prefetch]) at once, and for more as elements
// are compared. The first difference cancels both, and so does an element for which the other
// source, which has completed, has none; an error of either cancels the other and passes. The
// result waits for demand. Elements that were not compared are discarded; the others are used
// up. The comparison runs on the goroutine of the source that sends last.
func SequenceEqualFunc[T any](a, b reactor.Publisher[T], eq func(x, y T) bool, opts ...SequenceEqualOption) Mono[bool] {
	return Mono[bool]{operators.SequenceEqualFunc(a, b, eq, opts...)}
}

// publishers returns what stands behind a list of Monos.
func publishers[T any](ms []Mono[T]) []reactor.Publisher[T] {
	out := make([]reactor.Publisher[T], len(ms))
	for i, m := range ms {
		out[i] = m.Source()
	}
	return out
}
