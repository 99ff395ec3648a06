package operators

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func sum(items []int) int {
	total := 0
	for _, v := range items {
		total += v
	}
	return total
}

func TestMonoZip(t *testing.T) {
	list := func(ps ...reactor.Publisher[int]) []reactor.Publisher[int] { return ps }
	run(MonoZip(list(Just(1), Just(2), Just(3)), sum)).assertCompleted(t, 6)
	run(MonoZip(list(Just(1)), sum)).assertCompleted(t, 1)
	run(MonoZip(nil, sum)).assertCompleted(t)
	run(MonoZip(list(Just(1), Empty[int]()), sum)).assertCompleted(t)
	run(MonoZip(list(Just(1), Error[int](errBoom)), sum)).assertFailed(t, errBoom)
	p := run(MonoZip(list(Error[int](errBoom), Empty[int](), Error[int](errOther)), sum, DelayErrors()))
	p.assertFailed(t, errBoom)
	assert.Equal(t, errors.Join(errBoom, errOther), p.failure())
	run(MonoZip(list(Error[int](errBoom), Just(1)), sum, DelayErrors())).assertFailed(t, errBoom)
	run(MonoZip(list(Empty[int](), Just(1)), sum, DelayErrors())).assertCompleted(t)
}

func TestMonoZipOfDifferentTypes(t *testing.T) {
	one, yes, name := Just(1), Just(true), Just("x")
	run(MonoZip2(one, yes, func(a int, b bool) string { return fmt.Sprint(a, b) })).assertCompleted(t, "1 true")
	run(MonoZip3(one, yes, name, func(a int, b bool, c string) string { return fmt.Sprint(a, b, c) })).assertCompleted(t, "1 truex")
	run(MonoZip4(one, one, one, one, func(a, b, c, d int) int { return a + b + c + d })).assertCompleted(t, 4)
	run(MonoZip5(one, one, one, one, one, func(a, b, c, d, e int) int { return a + b + c + d + e })).assertCompleted(t, 5)
	run(MonoZip6(one, one, one, one, one, one, func(a, b, c, d, e, f int) int { return a + b + c + d + e + f })).assertCompleted(t, 6)
	run(MonoZip7(one, one, one, one, one, one, yes, func(a, b, c, d, e, f int, g bool) int { return a + b + c + d + e + f })).assertCompleted(t, 6)
	run(MonoZip8(one, one, one, one, one, one, yes, name, func(a, b, c, d, e, f int, g bool, h string) string {
		return fmt.Sprint(a+b+c+d+e+f, g, h)
	})).assertCompleted(t, "6 truex")
}

func TestMonoZipStartsAtTheFirstRequestAndStopsAtTheFirstEnd(t *testing.T) {
	ctx, hooks := recordHooks()
	a, b, c := &puppet[int]{}, &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](0)
	MonoZip([]reactor.Publisher[int]{a, b, c}, sum).Subscribe(ctx, p)
	assert.Zero(t, a.count())
	p.request(1)
	p.request(1)
	assert.Equal(t, 1, a.count())
	assert.Equal(t, reactor.Unbounded, a.last().requested.Load())
	a.last().OnNext(1)
	a.last().OnComplete()
	c.last().OnError(errBoom)
	p.assertFailed(t, errBoom)
	assert.Equal(t, []any{1}, hooks.discarded)
	assert.Zero(t, a.last().cancels.Load(), "it has given its element")
	assert.Equal(t, int64(1), b.last().cancels.Load())
	b.last().OnNext(5)
	assert.Equal(t, []any{1, 5}, hooks.discarded)
	b.last().OnError(errOther)
	assert.Equal(t, []any{errOther}, hooks.droppedErrors)
}

// As with Reactor: what comes after a source that ends the stream at once is subscribed
// and cancelled; after a cancellation nothing is subscribed.
func TestMonoZipWithASourceThatEndsAtOnce(t *testing.T) {
	later := &puppet[int]{}
	run(MonoZip2[int, int](Error[int](errBoom), later, func(a, b int) int { return a })).assertFailed(t, errBoom)
	assert.Equal(t, 1, later.count())
	assert.Equal(t, int64(1), later.last().cancels.Load())
	assert.Zero(t, later.last().requested.Load())

	later = &puppet[int]{}
	p := probeOf[int](0)
	first := &puppet[int]{onSubscription: func(int, *puppetSubscription[int]) { p.cancel() }}
	MonoZip2[int, int](first, later, func(a, b int) int { return a }).Subscribe(context.Background(), p)
	p.request(1)
	assert.Equal(t, int64(1), first.last().cancels.Load())
	assert.Zero(t, later.count())
}

func TestMonoZipCancelled(t *testing.T) {
	race(t, 2000, func() ([]func(), func()) {
		ctx, hooks := recordHooks()
		a, b := &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](1)
		MonoZip2[int, int](a, b, func(x, y int) int { return x + y }).Subscribe(ctx, p)
		sides := []func(){
			func() { a.last().OnNext(1); a.last().OnComplete() },
			func() { b.last().OnNext(2); b.last().OnComplete() },
			p.cancel,
		}
		return sides, func() {
			if p.ended() {
				p.assertCompleted(t, 3)
				assert.Empty(t, hooks.discarded)
			} else {
				p.assertOpen(t)
				assert.ElementsMatch(t, []any{1, 2}, hooks.discarded)
			}
		}
	})
}

func TestMonoZipWithAFunctionThatFails(t *testing.T) {
	ctx, hooks := recordHooks()
	p := runWith(ctx, MonoZip2(Just(1), Just(2), func(int, int) int { panic(errBoom) }))
	p.assertFailed(t, errBoom)
	assert.Equal(t, []any{1, 2}, hooks.discarded)

	failing := Map(MonoZip2(Just(1), Just(2), func(a, b int) int { return a + b }), func(int) int { panic(errBoom) })
	run(failing).assertFailed(t, errBoom)
	assert.PanicsWithValue(t, "reactor: zip: the combiner is nil", func() { MonoZip2[int, int, int](Just(1), Just(2), nil) })
}

// An element that waits for its counterpart is discarded if that does not come.
func TestMonoZipWhenDiscardsTheElement(t *testing.T) {
	sum := func(v, w int) int { return v + w }
	for name, test := range map[string]struct {
		other   reactor.Publisher[int]
		combine func(int, int) int
		want    []any
	}{
		"empty":     {Empty[int](), sum, []any{3}},
		"failed":    {Error[int](errBoom), sum, []any{3}},
		"cancelled": {Never[int](), sum, []any{3}},
		"panic":     {Hide(Just(4)), func(int, int) int { panic(errBoom) }, []any{3, 4}},
		"delivered": {Hide(Just(4)), sum, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var discarded []any
			ctx := reactor.AddDiscard(t.Context(), func(v any) { discarded = append(discarded, v) })
			p := probeOf[int](reactor.Unbounded)
			MonoZipWhen[int, int](Just(3), func(int) reactor.Publisher[int] { return test.other }, test.combine).Subscribe(ctx, p)
			p.up.Cancel()
			assert.ElementsMatch(t, test.want, discarded)
		})
	}
}

func TestMonoZipWhen(t *testing.T) {
	twice := func(v int) reactor.Publisher[int] { return Just(2 * v) }
	text := func(a, b int) string { return fmt.Sprint(a, b) }
	run(MonoZipWhen[int, int](Just(3), twice, text)).assertCompleted(t, "3 6")
	run(MonoZipWhen[int, int](Empty[int](), twice, text)).assertCompleted(t)
	run(MonoZipWhen[int, int](Just(3), func(int) reactor.Publisher[int] { return Empty[int]() }, text)).assertCompleted(t)
	run(MonoZipWhen[int, int](Just(3), func(int) reactor.Publisher[int] { return Error[int](errBoom) }, text)).assertFailed(t, errBoom)
	run(MonoZipWhen[int, int](Just(3), func(int) reactor.Publisher[int] { panic(errBoom) }, text)).assertFailed(t, errBoom)
	run(MonoZipWhen[int, int](Just(3), twice, func(int, int) string { panic(errBoom) })).assertFailed(t, errBoom)
	assert.PanicsWithValue(t, "reactor: zipWhen: the combiner is nil", func() { MonoZipWhen[int, int, int](Just(3), twice, nil) })
}

func TestWhen(t *testing.T) {
	list := func(ps ...reactor.Publisher[int]) []reactor.Publisher[int] { return ps }
	run(When(list(FromSlice([]int{1, 2}), Empty[int]()))).assertCompleted(t)
	run(When(list(FromSlice([]int{1, 2})))).assertCompleted(t)
	run(When[int](nil)).assertCompleted(t)
	run(When(list(Never[int](), Error[int](errBoom)))).assertFailed(t, errBoom)
	p := run(When(list(failing(1), Just(1), Error[int](errOther)), DelayErrors()))
	assert.Equal(t, errors.Join(errBoom, errOther), p.failure())
	run(And(Just(1), Just("a"))).assertCompleted(t)
	run(And(Just(1), Error[string](errBoom))).assertFailed(t, errBoom)

	ctx, hooks := recordHooks()
	runWith(ctx, When(list(FromSlice([]int{1, 2}), Just(3)))).assertCompleted(t)
	assert.Equal(t, []any{1, 2, 3}, hooks.discarded)
}

// Without a request nothing starts, though there is no element that could be asked for.
func TestWhenAwaitsTheFirstRequest(t *testing.T) {
	for name, stage := range map[string]func(a, b reactor.Publisher[int]) reactor.Publisher[struct{}]{
		"when": func(a, b reactor.Publisher[int]) reactor.Publisher[struct{}] {
			return When([]reactor.Publisher[int]{a, b})
		},
		"and": And[int, int],
	} {
		a, b := &puppet[int]{}, &puppet[int]{}
		p := probeOf[struct{}](0)
		stage(a, b).Subscribe(t.Context(), p)
		assert.Zero(t, a.count()+b.count(), name)
		p.request(1)
		assert.Equal(t, [2]int{1, 1}, [2]int{a.count(), b.count()}, name)
		p.request(1)
		assert.Equal(t, [2]int{1, 1}, [2]int{a.count(), b.count()}, name)
	}
	alone := &puppet[int]{}
	When([]reactor.Publisher[int]{alone}).Subscribe(t.Context(), probeOf[struct{}](0))
	assert.Equal(t, 1, alone.count(), "there is nothing to hold back")
}

func TestWhenCancelsTheOthers(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	p := run(When([]reactor.Publisher[int]{a, b}))
	a.last().OnError(errBoom)
	p.assertFailed(t, errBoom)
	assert.Equal(t, int64(1), b.last().cancels.Load())

	a, b = &puppet[int]{}, &puppet[int]{}
	p = run(When([]reactor.Publisher[int]{a, b}))
	p.cancel()
	assert.Equal(t, int64(1), a.last().cancels.Load())
	assert.Equal(t, int64(1), b.last().cancels.Load())
	p.assertOpen(t)
}

func TestFirstWithSignal(t *testing.T) {
	run(FirstWithSignal(Never[int](), FromSlice([]int{1, 2}), Just(3))).assertCompleted(t, 1, 2)
	run(FirstWithSignal(Never[int](), Empty[int](), Just(3))).assertCompleted(t)
	run(FirstWithSignal(Error[int](errBoom), Just(3))).assertFailed(t, errBoom)
	run(FirstWithSignal(Just(3))).assertCompleted(t, 3)
	run(FirstWithSignal[int]()).assertCompleted(t)
	run(Or(Or(Never[int](), Never[int]()), Just(3))).assertCompleted(t, 3)
	assert.Len(t, Or(Or(Never[int](), Never[int]()), Just(3)).(*firstPublisher[int]).sources, 3)
}

func TestFirstWithSignalAsksAllUntilOneHasWon(t *testing.T) {
	ctx, hooks := recordHooks()
	a, b := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](2)
	FirstWithSignal[int](a, b).Subscribe(ctx, p)
	assert.Equal(t, int64(2), a.last().requested.Load())
	assert.Equal(t, int64(2), b.last().requested.Load())
	b.last().OnNext(7)
	assert.Equal(t, int64(1), a.last().cancels.Load())
	p.request(3)
	assert.Equal(t, int64(5), b.last().requested.Load())
	assert.Equal(t, int64(2), a.last().requested.Load())
	a.last().OnNext(1)
	a.last().OnError(errBoom)
	assert.Equal(t, []any{1}, hooks.discarded)
	assert.Equal(t, []any{errBoom}, hooks.droppedErrors)
	p.assertOpen(t, 7)
	p.cancel()
	assert.Equal(t, int64(1), b.last().cancels.Load())
}

func TestFirstRaces(t *testing.T) {
	for name, first := range map[string]func(...reactor.Publisher[int]) reactor.Publisher[int]{
		"signal": FirstWithSignal[int], "value": FirstWithValue[int],
	} {
		t.Run(name, func(t *testing.T) {
			race(t, 2000, func() ([]func(), func()) {
				ctx, hooks := recordHooks()
				a, b := &puppet[int]{}, &puppet[int]{}
				p := probeOf[int](5)
				first(a, b).Subscribe(ctx, p)
				sides := []func(){
					func() { a.last().OnNext(1); a.last().OnComplete() },
					func() { b.last().OnNext(2); b.last().OnComplete() },
					func() { p.request(1) },
				}
				return sides, func() {
					if assert.Len(t, p.got(), 1) {
						won := p.got()[0]
						p.assertCompleted(t, won)
						assert.Equal(t, []any{3 - won}, hooks.discarded)
					}
				}
			})
			race(t, 1000, func() ([]func(), func()) {
				a, b := &puppet[int]{}, &puppet[int]{}
				p := probeOf[int](5)
				first(a, b).Subscribe(quiet(), p)
				return []func(){func() { a.last().OnNext(1) }, p.cancel}, func() {
					assert.Equal(t, int64(1), a.last().cancels.Load())
					assert.Equal(t, int64(1), b.last().cancels.Load())
				}
			})
		})
	}
}

func TestFirstWithValue(t *testing.T) {
	run(FirstWithValue(Error[int](errBoom), Empty[int](), FromSlice([]int{1, 2}))).assertCompleted(t, 1, 2)
	run(FirstWithValue(failing(1), Just(2))).assertFailed(t, errBoom, 1)
	run(FirstWithValue(Just(3))).assertCompleted(t, 3)
	run(FirstWithValue[int]()).assertCompleted(t)
	p := run(FirstWithValue(Error[int](errBoom), Empty[int]()))
	p.assertFailed(t, reactor.ErrNoElements)
	assert.ErrorIs(t, p.failure(), errBoom)
}

func TestThen(t *testing.T) {
	ctx, hooks := recordHooks()
	runWith(ctx, Then(FromSlice([]int{1, 2}))).assertCompleted(t)
	assert.Equal(t, []any{1, 2}, hooks.discarded)
	run(IgnoreElements(failing(1))).assertFailed(t, errBoom)
	run(ThenMany(FromSlice([]int{1, 2}), FromSlice([]string{"a", "b"}))).assertCompleted(t, "a", "b")
	run(ThenMany(failing(1), Just("a"))).assertFailed(t, errBoom)
	run(ThenMono(FromSlice([]int{1, 2}), Just("a"))).assertCompleted(t, "a")
	run(ThenMono(Just(1), Empty[string]())).assertCompleted(t)
	run(ThenMono(Just(1), Error[string](errBoom))).assertFailed(t, errBoom)
	run(ThenMono(failing(1), Just("a"))).assertFailed(t, errBoom)
	run(ThenEmpty(Just(1), FromSlice([]int{1, 2}))).assertCompleted(t)
	run(ThenReturn(Just(1), "a")).assertCompleted(t, "a")
}

func TestThenMonoAndDemand(t *testing.T) {
	ctx, hooks := recordHooks()
	src, other := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](0)
	ThenMono[int, int](src, other).Subscribe(ctx, p)
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	src.last().OnNext(1)
	src.last().OnComplete()
	assert.Equal(t, reactor.Unbounded, other.last().requested.Load())
	other.last().OnNext(2)
	p.assertOpen(t)
	p.request(1)
	p.assertCompleted(t, 2)
	other.last().OnNext(3)
	other.last().OnError(errBoom)
	assert.Equal(t, []any{1, 3}, hooks.discarded)
	assert.Equal(t, []any{errBoom}, hooks.droppedErrors)
}

func TestThenMonoCancelled(t *testing.T) {
	ctx, hooks := recordHooks()
	src, other := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](0)
	ThenMono[int, int](src, other).Subscribe(ctx, p)
	p.cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
	src.last().OnComplete()
	assert.Zero(t, other.count())

	src, other = &puppet[int]{}, &puppet[int]{}
	p = probeOf[int](0)
	ThenMono[int, int](src, other).Subscribe(ctx, p)
	src.last().OnComplete()
	other.last().OnNext(9)
	p.cancel()
	assert.Equal(t, int64(1), other.last().cancels.Load())
	assert.Equal(t, []any{9}, hooks.discarded)

	race(t, 2000, func() ([]func(), func()) {
		src, other := &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](1)
		ThenMono[int, int](src, other).Subscribe(context.Background(), p)
		return []func(){func() { src.last().OnComplete() }, p.cancel}, func() {
			if other.count() == 1 {
				assert.Equal(t, int64(1), other.last().cancels.Load())
			}
		}
	})
}

func TestHasElementAndSingleOptional(t *testing.T) {
	run(HasElement(Just(1))).assertCompleted(t, true)
	run(HasElement(Empty[int]())).assertCompleted(t, false)
	run(HasElement(Error[int](errBoom))).assertFailed(t, errBoom)
	text := func(v int, ok bool) string { return fmt.Sprint(v, ok) }
	run(SingleOptional(Just(1), text)).assertCompleted(t, "1 true")
	run(SingleOptional(Empty[int](), text)).assertCompleted(t, "0 false")
	run(SingleOptional(Error[int](errBoom), text)).assertFailed(t, errBoom)
	broken := func(int, bool) string { panic(errBoom) }
	run(SingleOptional(Just(1), broken)).assertFailed(t, errBoom)
	run(SingleOptional(Empty[int](), broken)).assertFailed(t, errBoom)

	src := &puppet[int]{}
	p := probeOf[bool](0)
	HasElement[int](src).Subscribe(context.Background(), p)
	assert.Zero(t, src.last().requested.Load())
	src.last().OnComplete()
	p.assertOpen(t)
	p.request(1)
	p.assertCompleted(t, false)

	ctx, hooks := recordHooks()
	runWith(ctx, HasElement(Just(1)))
	assert.Equal(t, []any{1}, hooks.discarded)
	src = &puppet[int]{}
	p = run(HasElement[int](src))
	p.cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
}

func TestMonoDelayUntil(t *testing.T) {
	run(MonoDelayUntil[int, string](Just(1), func(int) reactor.Publisher[string] { return FromSlice([]string{"a", "b"}) })).assertCompleted(t, 1)
	run(MonoDelayUntil[int, string](Empty[int](), func(int) reactor.Publisher[string] { panic(errBoom) })).assertCompleted(t)
	run(MonoDelayUntil[int, string](Error[int](errBoom), func(int) reactor.Publisher[string] { return Never[string]() })).assertFailed(t, errBoom)
	for name, trigger := range map[string]func(int) reactor.Publisher[string]{
		"error": func(int) reactor.Publisher[string] { return Error[string](errBoom) },
		"panic": func(int) reactor.Publisher[string] { panic(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := recordHooks()
			runWith(ctx, MonoDelayUntil[int, string](Just(1), trigger)).assertFailed(t, errBoom)
			assert.Equal(t, []any{1}, hooks.discarded)
		})
	}
}

func TestMonoDelayUntilCancelled(t *testing.T) {
	race(t, 2000, func() ([]func(), func()) {
		ctx, hooks := recordHooks()
		src, trigger := &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](1)
		MonoDelayUntil[int, int](src, func(int) *puppet[int] { return trigger }).Subscribe(ctx, p)
		src.last().OnNext(1)
		src.last().OnComplete()
		return []func(){func() { trigger.last().OnComplete() }, p.cancel}, func() {
			if p.ended() {
				p.assertCompleted(t, 1)
				assert.Empty(t, hooks.discarded)
			} else if len(p.got()) == 0 {
				assert.Equal(t, []any{1}, hooks.discarded)
				assert.LessOrEqual(t, trigger.last().cancels.Load(), int64(1))
			}
		}
	})
	race(t, 2000, func() ([]func(), func()) {
		ctx, hooks := recordHooks()
		src, trigger := &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](1)
		MonoDelayUntil[int, int](src, func(int) *puppet[int] { return trigger }).Subscribe(ctx, p)
		return []func(){func() { src.last().OnNext(1) }, p.cancel}, func() {
			assert.Equal(t, []any{1}, hooks.discarded)
			if trigger.count() == 1 {
				assert.Equal(t, int64(1), trigger.last().cancels.Load())
			}
		}
	})
}

func TestSequenceEqual(t *testing.T) {
	of := func(items ...int) reactor.Publisher[int] { return FromSlice(items) }
	run(SequenceEqual(of(1, 2, 3), of(1, 2, 3))).assertCompleted(t, true)
	run(SequenceEqual(of(1, 2, 3), of(1, 2, 3), Prefetch(1))).assertCompleted(t, true)
	run(SequenceEqual(of(), of())).assertCompleted(t, true)
	run(SequenceEqual(of(1, 2, 3), of(1, 2))).assertCompleted(t, false)
	run(SequenceEqual(of(1, 2), of(1, 2, 3))).assertCompleted(t, false)
	run(SequenceEqual(of(1, 2, 3), of(1, 5, 3))).assertCompleted(t, false)
	run(SequenceEqual(Range(0, 10_000), Range(0, 10_000))).assertCompleted(t, true)
	run(SequenceEqual(failing(1), of(1))).assertFailed(t, errBoom)
	run(SequenceEqual(of(1), failing(1))).assertFailed(t, errBoom)
	run(SequenceEqualFunc(of(1), of(2), func(int, int) bool { panic(errBoom) })).assertFailed(t, errBoom)
	p := probeOf[bool](0)
	SequenceEqual(of(1), of(1)).Subscribe(context.Background(), p)
	p.assertOpen(t)
	p.request(1)
	p.assertCompleted(t, true)
	assert.PanicsWithValue(t, "reactor: sequenceEqual: prefetch must be positive, got 0", func() { SequenceEqual(of(), of(), Prefetch(0)) })
}

func TestSequenceEqualDiscardsWhatWasNotCompared(t *testing.T) {
	ctx, hooks := recordHooks()
	a, b := &puppet[int]{}, &puppet[int]{}
	p := probeOf[bool](1)
	SequenceEqual[int](a, b).Subscribe(ctx, p)
	a.last().OnNext(1)
	a.last().OnNext(2)
	b.last().OnNext(1)
	b.last().OnNext(3)
	p.assertCompleted(t, false)
	assert.Equal(t, int64(1), a.last().cancels.Load())
	assert.ElementsMatch(t, []any{2, 3}, hooks.discarded)
	a.last().OnNext(7)
	assert.ElementsMatch(t, []any{2, 3, 7}, hooks.discarded)

	race(t, 1000, func() ([]func(), func()) {
		ctx, hooks := recordHooks()
		a, b := &puppet[int]{}, &puppet[int]{}
		p := probeOf[bool](1)
		SequenceEqual[int](a, b).Subscribe(ctx, p)
		sides := []func(){
			func() { a.last().OnNext(1); a.last().OnNext(2); a.last().OnComplete() },
			func() { b.last().OnNext(1); b.last().OnNext(2); b.last().OnComplete() },
			p.cancel,
		}
		return sides, func() {
			if p.ended() {
				p.assertCompleted(t, true)
			} else {
				elements := slices.DeleteFunc(hooks.discarded, func(v any) bool { return v == true }) // the result
				assert.Zero(t, len(elements)%2, "compared in pairs")
			}
		}
	})
}

// A side that has ended while the other one has an element left decides: nothing that
// comes later could make them equal.
func TestSequenceEqualIsDecidedAsSoonAsItIsKnown(t *testing.T) {
	t.Run("more than the prefetch", func(t *testing.T) {
		run(SequenceEqual(Just(0), Range(0, 258))).assertCompleted(t, false)
		run(SequenceEqual(Range(0, 258), Just(0))).assertCompleted(t, false)
		run(SequenceEqual(Empty[int](), Range(0, 5), Prefetch(1))).assertCompleted(t, false)
		run(SequenceEqual(Range(0, 258), Range(0, 258))).assertCompleted(t, true)
	})
	for _, first := range []int{0, 1} {
		t.Run("silent after an element", func(t *testing.T) {
			ctx, hooks := recordHooks()
			sides := [2]*puppet[int]{{}, {}}
			p := runWith(ctx, SequenceEqual[int](sides[0], sides[1]))
			long, short := sides[first].last(), sides[1-first].last()
			long.OnNext(7)
			p.assertOpen(t)
			short.OnComplete()
			p.assertItems(t, false)
			assert.True(t, p.ended())
			assert.EqualValues(t, 1, long.cancels.Load())
			assert.Zero(t, short.cancels.Load(), "it has ended")
			assert.Equal(t, []any{7}, hooks.discarded)
		})
		t.Run("an element after the end of the other", func(t *testing.T) {
			sides := [2]*puppet[int]{{}, {}}
			p := run(SequenceEqual[int](sides[0], sides[1]))
			sides[1-first].last().OnComplete()
			p.assertOpen(t)
			sides[first].last().OnNext(7)
			p.assertItems(t, false)
			assert.True(t, p.ended())
		})
	}
	t.Run("to the letter", func(t *testing.T) {
		sides := [2]*puppet[int]{{}, {}}
		p := run(SequenceEqual[int](sides[0], sides[1], Verbatim()))
		sides[0].last().OnNext(7)
		sides[1].last().OnComplete()
		p.assertOpen(t)
		sides[0].last().OnComplete()
		p.assertItems(t, false)
		run(SequenceEqual(Just(0), Range(0, 258), Verbatim())).assertOpen(t)
	})
	t.Run("an error before", func(t *testing.T) {
		sides := [2]*puppet[int]{{}, {}}
		p := run(SequenceEqual[int](sides[0], sides[1]))
		sides[0].last().OnComplete()
		sides[1].last().OnError(errBoom)
		p.assertItems(t)
		assert.ErrorIs(t, p.failure(), errBoom)
	})
}
