package mono

import (
	"fmt"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// Zip emits the result of fn for the elements of both sources. If a source is empty or fails,
// the result is empty or fails too; with [DelayErrors] Zip waits for the other source first.
//
//	a:    --- 1 |
//	b:    --------- 2 |
//	      Zip(a, b, sum)
//	out:  --------- 3 |
//
// The sources are subscribed by the first request, in order. They run at the same time only if
// each works on a goroutine of its own: one that works on the goroutine that requests, such as
// [FromFunc], keeps the next one waiting unless it has a [Mono.SubscribeOn]. The first source that
// fails or is empty ends the stream in the same way, and cancels the others; with [DelayErrors]
// all sources run to their end first, and several errors are joined in the order of the sources.
// Elements that do not get to fn are discarded. A panic of fn ends the stream. fn runs on the
// goroutine of the last source to end.
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
// The sources are subscribed by the first request, in order. They run at the same time only if
// each works on a goroutine of its own: one that works on the goroutine that requests, such as
// [FromFunc], keeps the next one waiting unless it has a [Mono.SubscribeOn]. The first source that
// fails or is empty ends the stream in the same way, and cancels the others; with [DelayErrors]
// all sources run to their end first, and several errors are joined in the order of the sources.
// Elements that do not get to fn are discarded. A panic of fn ends the stream. fn runs on the
// goroutine of the last source to end. fn owns the slice.
func ZipSlice[T, R any](sources []Mono[T], fn func([]T) R, opts ...ZipOption) Mono[R] {
	return Mono[R]{operators.MonoZip(publishers(sources), fn, opts...)}
}

// ZipOption is an option of [Zip] and its like: [DelayErrors].
type ZipOption = operators.MonoZipOption

// ZipWith emits the result of fn for the elements of m and of other.
//
//	m:      --- 1 |
//	other:  --------- 2 |
//	        ZipWith(other, sum)
//	out:    --------- 3 |
//
// Both are subscribed by the first request, m first. They run at the same time only if each works
// on a goroutine of its own: one that works on the goroutine that requests, such as [FromFunc],
// keeps the other one waiting unless it has a [Mono.SubscribeOn]. The first of the two that fails
// or is empty ends the stream in the same way, and cancels the other. An element that does not get
// to fn is discarded. A panic of fn ends the stream. fn runs on the goroutine of the last of the
// two to end.
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
// If either of the two is empty, so is the result. Demand passes to m; everything is requested
// of the Mono that fn returns. Errors of both pass; a panic of a function ends the stream.
// Cancellation goes to whichever of the two is running. An element whose counterpart does not
// come is discarded. combine runs on the goroutine of the Mono that fn returned.
func (m Mono[T]) ZipWhen[U, R any](fn func(T) Mono[U], combine func(T, U) R) Mono[R] {
	return Mono[R]{operators.MonoZipWhen(m.Source(), fn, combine)}
}

// When completes when all sources have completed; the first error ends it at once. The sources
// are subscribed at the first request, although no element will come: a subscriber that never
// requests starts none of them. A single source is subscribed at once.
//
//	a:    1 ----- 2 |
//	b:    --- 3 -------- |
//	      When(a, b)
//	out:  -------------- |
//
// The sources are subscribed in order, with unbounded demand. They run at the same time only if
// each works on a goroutine of its own: one that works on the goroutine that requests, such as
// [FromFunc], keeps the next one waiting unless it has a [Mono.SubscribeOn]. The first error
// cancels the others; to let all sources run to their end first, use [WhenSlice] with
// [DelayErrors]. The end comes on the goroutine of the source that ends last. To mix sources of
// different types, convert them with [Mono.Then]. [Mono.Run] waits for the end.
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
// their end before the result fails. To combine more than four publishers of different types,
// convert them with m.Then() and use [When].
//
//	a:    1 ----- |
//	b:    --- x -------- |
//	      When2(a, b)
//	out:  -------------- |
//
// The sources are subscribed by the first request, in order, with unbounded demand. They run at
// the same time only if each works on a goroutine of its own: one that works on the goroutine
// that requests, such as [FromFunc], keeps the next one waiting unless it has a
// [Mono.SubscribeOn]. The first error ends the stream and cancels the others; with [DelayErrors]
// all sources run to their end first, and several errors are joined in the order of the sources.
// The end comes on the goroutine of the source that ends last.
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
// the same time only if each works on a goroutine of its own: one that works on the goroutine
// that requests, such as [FromFunc], keeps the next one waiting unless it has a
// [Mono.SubscribeOn]. The first error ends the stream and cancels the others; with [DelayErrors]
// all sources run to their end first, and several errors are joined in the order of the sources.
// The end comes on the goroutine of the source that ends last.
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
// the same time only if each works on a goroutine of its own: one that works on the goroutine
// that requests, such as [FromFunc], keeps the next one waiting unless it has a
// [Mono.SubscribeOn]. The first error ends the stream and cancels the others; with [DelayErrors]
// all sources run to their end first, and several errors are joined in the order of the sources.
// The end comes on the goroutine of the source that ends last.
func When4[A, B, C, D any](a reactor.Publisher[A], b reactor.Publisher[B], c reactor.Publisher[C], d reactor.Publisher[D], opts ...WhenOption) Mono[struct{}] {
	return Mono[struct{}]{operators.When([]reactor.Publisher[struct{}]{endOf(0, a), endOf(1, b), endOf(2, c), endOf(3, d)}, opts...)}
}

// WhenSlice is [When] for a slice of publishers of one type, such as []Mono[T]; [DelayErrors] lets
// all of them run to their end before the result fails.
//
// Demand, errors, cancellation and goroutines are those of [When].
func WhenSlice[T any, P reactor.Publisher[T]](sources []P, opts ...WhenOption) Mono[struct{}] {
	all := make([]reactor.Publisher[T], len(sources))
	for i, p := range sources {
		all[i] = p
	}
	return Mono[struct{}]{operators.When(all, opts...)}
}

// WhenDelayError is [When], but lets all sources run to their end before it fails.
//
//	a:    1 ----- #
//	b:    --- 3 -------- |
//	      WhenDelayError(a, b)
//	out:  -------------- #
//
// The sources are subscribed by the first request, in order, with unbounded demand; a single one
// is subscribed at once. They run at the same time only if each works on a goroutine of its own:
// one that works on the goroutine that requests, such as [FromFunc], keeps the next one waiting
// unless it has a [Mono.SubscribeOn]. All of them run to their end, and several errors are joined
// in the order of the sources. The end comes on the goroutine of the source that ends last. To
// mix sources of different types, convert them with [Mono.Then].
func WhenDelayError[T any](sources ...reactor.Publisher[T]) Mono[struct{}] {
	return Mono[struct{}]{operators.When(sources, operators.DelayErrors())}
}

// And completes when m and other have completed. Both are subscribed at the first request, although
// no element will come: a subscriber that never requests starts neither.
//
//	m:      --- 1 |
//	other:  --- 3 -------- |
//	        And(other)
//	out:    -------------- |
//
// m is subscribed first; the demand for both is unbounded. They run at the same time only if each
// works on a goroutine of its own: one that works on the goroutine that requests, such as
// [FromFunc], keeps the other one waiting unless it has a [Mono.SubscribeOn]. The first error ends
// the stream and cancels the other one; to let both run to their end first, use [When2] with
// [DelayErrors]. The end comes on the goroutine of the source that ends last.
func (m Mono[T]) And[U any](other reactor.Publisher[U]) Mono[struct{}] {
	return Mono[struct{}]{operators.And(m.Source(), other)}
}

// FirstWithSignal emits the signals of the Mono that is the first to send an element or to end: the
// winner.
//
//	a:    ----- 1 |
//	b:    -- 8 |
//	      FirstWithSignal(a, b)
//	out:  -- 8 |
//
// Every request goes to all sources until one has won, and then to the winner. Sources are
// subscribed in order, until one has won or the stream is cancelled. What a loser still sends is
// discarded or reported as dropped. Signals come on the goroutine of the winner.
func FirstWithSignal[T any](sources ...Mono[T]) Mono[T] {
	return Mono[T]{operators.FirstWithSignal(publishers(sources)...)}
}

// FirstWithValue emits the signals of the Mono that is the first to send an element: the winner.
//
//	a:    #
//	b:    -- |
//	c:    ----- 8 |
//	      FirstWithValue(a, b, c)
//	out:  ----- 8 |
//
// Every request goes to all sources until one has won, and then to the winner. Sources are
// subscribed in order, until one has won or the stream is cancelled. What a loser still sends
// is discarded. A source that fails or completes before it has sent an element has lost; if all
// sources do, the stream fails with reactor.ErrNoElements and with what became of each source,
// in order. Without sources the stream is empty; a single source is passed on as it is. Signals
// come on the goroutine of the winner.
func FirstWithValue[T any](sources ...Mono[T]) Mono[T] {
	return Mono[T]{operators.FirstWithValue(publishers(sources)...)}
}

// Or emits the signals of m or of other, whichever is the first to send an element or to end.
//
//	m:      ----- 1 |
//	other:  -- 8 |
//	        Or(other)
//	out:    -- 8 |
//
// Every request goes to all sources until one has won, and then to the winner. Sources are
// subscribed in order, until one has won or the stream is cancelled. What a loser still sends is
// discarded or reported as dropped. Signals come on the goroutine of the winner.
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
// are compared. The first difference cancels both sources; an element without a counterpart,
// because the other source has completed, counts as a difference. An error of either source
// passes, and cancels the other source. The result waits for demand. Elements that were not
// compared are discarded; compared elements are used up. The comparison runs on the goroutine
// of the source that sends last.
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
// are compared. The first difference cancels both sources; an element without a counterpart,
// because the other source has completed, counts as a difference. An error of either source
// passes, and cancels the other source. The result waits for demand. Elements that were not
// compared are discarded; compared elements are used up. The comparison runs on the goroutine
// of the source that sends last.
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
