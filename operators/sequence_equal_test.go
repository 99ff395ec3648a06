package operators

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestSequenceEqual(t *testing.T) {
	of := func(items ...int) reactor.Publisher[int] { return FromSlice(items) }
	run(SequenceEqual(of(1, 2, 3), of(1, 2, 3))).Done(t, true)
	run(SequenceEqual(of(1, 2, 3), of(1, 2, 3), Prefetch(1))).Done(t, true)
	run(SequenceEqual(of(), of())).Done(t, true)
	run(SequenceEqual(of(1, 2, 3), of(1, 2))).Done(t, false)
	run(SequenceEqual(of(1, 2), of(1, 2, 3))).Done(t, false)
	run(SequenceEqual(of(1, 2, 3), of(1, 5, 3))).Done(t, false)
	run(SequenceEqual(Range(0, 10_000), Range(0, 10_000))).Done(t, true)
	run(SequenceEqual(failing(1), of(1))).Failed(t, errBoom)
	run(SequenceEqual(of(1), failing(1))).Failed(t, errBoom)
	run(SequenceEqualFunc(of(1), of(2), func(int, int) bool { panic(errBoom) })).Failed(t, errBoom)
	p := probeOf[bool](0)
	SequenceEqual(of(1), of(1)).Subscribe(context.Background(), p)
	p.Open(t)
	p.Request(1)
	p.Done(t, true)
	assert.PanicsWithValue(t, "reactor: sequenceEqual: prefetch must be positive, got 0", func() { SequenceEqual(of(), of(), Prefetch(0)) })
}

func TestSequenceEqualDiscardsWhatWasNotCompared(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a, b := &puppet[int]{}, &puppet[int]{}
	p := probeOf[bool](1)
	SequenceEqual[int](a, b).Subscribe(ctx, p)
	a.last().OnNext(1)
	a.last().OnNext(2)
	b.last().OnNext(1)
	b.last().OnNext(3)
	p.Done(t, false)
	assert.Equal(t, int64(1), a.last().cancels.Load())
	assert.ElementsMatch(t, []any{2, 3}, hooks.Discarded)
	a.last().OnNext(7)
	assert.ElementsMatch(t, []any{2, 3, 7}, hooks.Discarded)

	race(t, 1000, func() ([]func(), func()) {
		ctx, hooks := probe.Recorded()
		a, b := &puppet[int]{}, &puppet[int]{}
		p := probeOf[bool](1)
		SequenceEqual[int](a, b).Subscribe(ctx, p)
		sides := []func(){
			func() { a.last().OnNext(1); a.last().OnNext(2); a.last().OnComplete() },
			func() { b.last().OnNext(1); b.last().OnNext(2); b.last().OnComplete() },
			p.Cancel,
		}
		return sides, func() {
			if p.Over() {
				p.Done(t, true)
			} else {
				elements := slices.DeleteFunc(hooks.Discarded, func(v any) bool { return v == true }) // the result
				assert.Zero(t, len(elements)%2, "compared in pairs")
			}
		}
	})
}

// The result that has gone down is not given up as well, whoever looks again.
func TestSequenceEqualIsDecidedOnce(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a, b := &puppet[int]{}, &puppet[int]{}
	both := func(x, y int) bool {
		a.last().OnComplete()
		b.last().OnComplete()
		return x == y
	}
	p := runWith(ctx, SequenceEqualFunc[int](a, b, both))
	a.last().OnNext(1)
	b.last().OnNext(1)
	p.Done(t, true)
	assert.Empty(t, hooks.Discarded)

	race(t, 1000, func() ([]func(), func()) {
		ctx, hooks := probe.Recorded()
		a, b := &puppet[int]{}, &puppet[int]{}
		p := probeOf[bool](1)
		SequenceEqual[int](a, b).Subscribe(ctx, p)
		return []func(){a.last().OnComplete, b.last().OnComplete}, func() {
			p.Done(t, true)
			assert.Empty(t, hooks.Discarded)
		}
	})
}

// A side that has ended while the other one has an element left decides: nothing that
// comes later could make them equal.
func TestSequenceEqualIsDecidedAsSoonAsItIsKnown(t *testing.T) {
	t.Run("more than the prefetch", func(t *testing.T) {
		run(SequenceEqual(Just(0), Range(0, 258))).Done(t, false)
		run(SequenceEqual(Range(0, 258), Just(0))).Done(t, false)
		run(SequenceEqual(Empty[int](), Range(0, 5), Prefetch(1))).Done(t, false)
		run(SequenceEqual(Range(0, 258), Range(0, 258))).Done(t, true)
	})
	for _, first := range []int{0, 1} {
		t.Run("silent after an element", func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			sides := [2]*puppet[int]{{}, {}}
			p := runWith(ctx, SequenceEqual[int](sides[0], sides[1]))
			long, short := sides[first].last(), sides[1-first].last()
			long.OnNext(7)
			p.Open(t)
			short.OnComplete()
			p.Items(t, false)
			assert.True(t, p.Over())
			assert.EqualValues(t, 1, long.cancels.Load())
			assert.Zero(t, short.cancels.Load(), "it has ended")
			assert.Equal(t, []any{7}, hooks.Discarded)
		})
		t.Run("an element after the end of the other", func(t *testing.T) {
			sides := [2]*puppet[int]{{}, {}}
			p := run(SequenceEqual[int](sides[0], sides[1]))
			sides[1-first].last().OnComplete()
			p.Open(t)
			sides[first].last().OnNext(7)
			p.Items(t, false)
			assert.True(t, p.Over())
		})
	}
	t.Run("to the letter", func(t *testing.T) {
		sides := [2]*puppet[int]{{}, {}}
		p := run(SequenceEqual[int](sides[0], sides[1], Verbatim()))
		sides[0].last().OnNext(7)
		sides[1].last().OnComplete()
		p.Open(t)
		sides[0].last().OnComplete()
		p.Items(t, false)
		run(SequenceEqual(Just(0), Range(0, 258), Verbatim())).Open(t)
	})
	t.Run("an error before", func(t *testing.T) {
		sides := [2]*puppet[int]{{}, {}}
		p := run(SequenceEqual[int](sides[0], sides[1]))
		sides[0].last().OnComplete()
		sides[1].last().OnError(errBoom)
		p.Items(t)
		assert.ErrorIs(t, p.Failure(), errBoom)
	})
}

func TestSequenceEqualFunc(t *testing.T) {
	fold := func(src ...string) reactor.Publisher[string] { return FromSlice(src) }
	run(SequenceEqualFunc(fold("a", "B"), fold("A", "b"), strings.EqualFold)).Done(t, true)
	run(SequenceEqualFunc(fold("a"), fold("a", "b"), strings.EqualFold)).Done(t, false)
	run(SequenceEqualFunc(fold("a"), fold("b"), strings.EqualFold)).Done(t, false)
	run(SequenceEqualFunc(fold("a"), Error[string](errBoom), strings.EqualFold)).Failed(t, errBoom)
}

// The outcome comes although what hears of the cancellation ends the goroutine.
func TestSequenceEqualGoexitInTheCancellation(t *testing.T) {
	for name, last := range map[string]func(b *puppetSubscription[int]){
		"a difference":  func(b *puppetSubscription[int]) { b.OnNext(2) },
		"one has ended": func(b *puppetSubscription[int]) { b.OnComplete() },
		"an error":      func(b *puppetSubscription[int]) { b.OnError(errBoom) },
	} {
		for _, asked := range []int64{0, 1} {
			t.Run(fmt.Sprint(name, ", asked for ", asked), func(t *testing.T) {
				a, b, p := &puppet[int]{}, &puppet[int]{}, probeOf[bool](asked)
				SequenceEqual(DoOnCancel(a, runtime.Goexit), b).Subscribe(t.Context(), p)
				a.last().OnNext(1)
				racetest.Aside(func() { last(b.last()) })
				if name == "an error" {
					p.Failed(t, errBoom)
					return
				}
				if asked == 0 {
					p.Open(t)
					p.Request(1)
				}
				p.Done(t, false)
			})
		}
	}
}
