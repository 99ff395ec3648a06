package operators

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestMonoZip(t *testing.T) {
	list := func(ps ...reactor.Publisher[int]) []reactor.Publisher[int] { return ps }
	run(MonoZip(list(Just(1), Just(2), Just(3)), sum)).Done(t, 6)
	run(MonoZip(list(Just(1)), sum)).Done(t, 1)
	run(MonoZip(nil, sum)).Done(t)
	run(MonoZip(list(Just(1), Empty[int]()), sum)).Done(t)
	run(MonoZip(list(Just(1), Error[int](errBoom)), sum)).Failed(t, errBoom)
	p := run(MonoZip(list(Error[int](errBoom), Empty[int](), Error[int](errOther)), sum, DelayErrors()))
	p.Failed(t, errBoom)
	assert.Equal(t, errors.Join(errBoom, errOther), p.Failure())
	run(MonoZip(list(Error[int](errBoom), Just(1)), sum, DelayErrors())).Failed(t, errBoom)
	run(MonoZip(list(Empty[int](), Just(1)), sum, DelayErrors())).Done(t)
}

func TestMonoZipOfDifferentTypes(t *testing.T) {
	one, yes, name := Just(1), Just(true), Just("x")
	run(MonoZip2(one, yes, func(a int, b bool) string { return fmt.Sprint(a, b) })).Done(t, "1 true")
	run(MonoZip3(one, yes, name, func(a int, b bool, c string) string { return fmt.Sprint(a, b, c) })).Done(t, "1 truex")
	run(MonoZip4(one, one, one, one, func(a, b, c, d int) int { return a + b + c + d })).Done(t, 4)
	run(MonoZip5(one, one, one, one, one, func(a, b, c, d, e int) int { return a + b + c + d + e })).Done(t, 5)
	run(MonoZip6(one, one, one, one, one, one, func(a, b, c, d, e, f int) int { return a + b + c + d + e + f })).Done(t, 6)
	run(MonoZip7(one, one, one, one, one, one, yes, func(a, b, c, d, e, f int, g bool) int { return a + b + c + d + e + f })).Done(t, 6)
	run(MonoZip8(one, one, one, one, one, one, yes, name, func(a, b, c, d, e, f int, g bool, h string) string {
		return fmt.Sprint(a+b+c+d+e+f, g, h)
	})).Done(t, "6 truex")
}

func TestMonoZipStartsAtTheFirstRequestAndStopsAtTheFirstEnd(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a, b, c := &puppet[int]{}, &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](0)
	MonoZip([]reactor.Publisher[int]{a, b, c}, sum).Subscribe(ctx, p)
	assert.Zero(t, a.count())
	p.Request(1)
	p.Request(1)
	assert.Equal(t, 1, a.count())
	assert.Equal(t, reactor.Unbounded, a.last().requested.Load())
	a.last().OnNext(1)
	a.last().OnComplete()
	c.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.Zero(t, a.last().cancels.Load(), "it has given its element")
	assert.Equal(t, int64(1), b.last().cancels.Load())
	b.last().OnNext(5)
	assert.Equal(t, []any{1, 5}, hooks.Discarded)
	b.last().OnError(errOther)
	assert.Equal(t, []any{errOther}, hooks.Errs)
}

// As with Reactor: what comes after a source that ends the stream at once is subscribed
// and cancelled; after a cancellation nothing is subscribed.
func TestMonoZipWithASourceThatEndsAtOnce(t *testing.T) {
	later := &puppet[int]{}
	run(MonoZip2[int, int](Error[int](errBoom), later, func(a, b int) int { return a })).Failed(t, errBoom)
	assert.Equal(t, 1, later.count())
	assert.Equal(t, int64(1), later.last().cancels.Load())
	assert.Zero(t, later.last().requested.Load())

	later = &puppet[int]{}
	p := probeOf[int](0)
	first := &puppet[int]{onSubscription: func(int, *puppetSubscription[int]) { p.Cancel() }}
	MonoZip2[int, int](first, later, func(a, b int) int { return a }).Subscribe(context.Background(), p)
	p.Request(1)
	assert.Equal(t, int64(1), first.last().cancels.Load())
	assert.Zero(t, later.count())
}

func TestMonoZipCancelled(t *testing.T) {
	race(t, 2000, func() ([]func(), func()) {
		ctx, hooks := probe.Recorded()
		a, b := &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](1)
		MonoZip2[int, int](a, b, func(x, y int) int { return x + y }).Subscribe(ctx, p)
		sides := []func(){
			func() { a.last().OnNext(1); a.last().OnComplete() },
			func() { b.last().OnNext(2); b.last().OnComplete() },
			p.Cancel,
		}
		return sides, func() {
			if p.Over() {
				p.Done(t, 3)
				assert.Empty(t, hooks.Discarded)
			} else {
				p.Open(t)
				assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
			}
		}
	})
}

func TestMonoZipWithAFunctionThatFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, MonoZip2(Just(1), Just(2), func(int, int) int { panic(errBoom) }))
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1, 2}, hooks.Discarded)

	failing := Map(MonoZip2(Just(1), Just(2), func(a, b int) int { return a + b }), func(int) int { panic(errBoom) })
	run(failing).Failed(t, errBoom)
	assert.PanicsWithValue(t, "reactor: zip: the combiner is nil", func() { MonoZip2[int, int, int](Just(1), Just(2), nil) })
}

// What computes it, as Block does, gets the same as who subscribes, whatever the second source is.
func TestMonoZipComputed(t *testing.T) {
	one := FromSupplier(func() int { return 1 })
	for name, c := range map[string]struct {
		second reactor.Publisher[int]
		want   int
		ok     bool
		err    error
	}{
		"element":    {FromSupplier(func() int { return 2 }), 3, true, nil},
		"empty":      {Filter(one, func(int) bool { return false }), 0, false, nil},
		"failing":    {Map(one, func(int) int { panic(errBoom) }), 0, false, errBoom},
		"subscribed": {MonoFlatMap(one, func(int) reactor.Publisher[int] { return Hide(Just(2)) }), 3, true, nil},
		"hidden":     {Hide(Just(2)), 3, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for form, zip := range map[string]reactor.Publisher[int]{
				"two":  MonoZip2(one, c.second, add),
				"list": MonoZip([]reactor.Publisher[int]{one, c.second}, sum),
			} {
				v, ok, err := BlockOptional(t.Context(), zip)
				assert.ErrorIs(t, err, c.err, form)
				assert.Equal(t, c.ok, ok, form)
				assert.Equal(t, c.want, v, form)
				p := run(zip)
				if c.ok {
					p.Done(t, c.want)
				} else {
					p.Check(t, c.err, c.err == nil)
				}
			}
		})
	}
}

// The elements are given up if the function fails.
func TestMonoZipComputedWithAFunctionThatFails(t *testing.T) {
	type in = reactor.Publisher[*owned]
	for name, zip := range map[string]func(a, b in) reactor.Publisher[int]{
		"two": func(a, b in) reactor.Publisher[int] { return MonoZip2(a, b, func(_, _ *owned) int { panic(errBoom) }) },
		"list": func(a, b in) reactor.Publisher[int] {
			return MonoZip([]in{a, b}, func([]*owned) int { panic(errBoom) })
		},
	} {
		a, b := &owned{}, &owned{}
		_, err := Block(t.Context(), zip(FromSupplier(func() *owned { return a }), FromSupplier(func() *owned { return b })))
		assert.ErrorIs(t, err, errBoom, name)
		assert.Equal(t, []int{1, 1}, []int{a.discarded, b.discarded}, name)
	}
}

// The result is there when the last one has its element; without that there is none.
func TestMonoZipArities(t *testing.T) {
	type in = reactor.Publisher[int]
	last := &puppet[int]{}
	for n, src := range map[int]reactor.Publisher[string]{
		2: MonoZip2(Just(1), in(last), func(a, b int) string { return fmt.Sprint(a, b) }),
		3: MonoZip3(Just(1), Just(2), in(last), func(a, b, c int) string { return fmt.Sprint(a, b, c) }),
		4: MonoZip4(Just(1), Just(2), Just(3), in(last), func(a, b, c, d int) string { return fmt.Sprint(a, b, c, d) }),
		5: MonoZip5(Just(1), Just(2), Just(3), Just(4), in(last), func(a, b, c, d, e int) string { return fmt.Sprint(a, b, c, d, e) }),
		6: MonoZip6(Just(1), Just(2), Just(3), Just(4), Just(5), in(last), func(a, b, c, d, e, f int) string {
			return fmt.Sprint(a, b, c, d, e, f)
		}),
		7: MonoZip7(Just(1), Just(2), Just(3), Just(4), Just(5), Just(6), in(last), func(a, b, c, d, e, f, g int) string {
			return fmt.Sprint(a, b, c, d, e, f, g)
		}),
		8: MonoZip8(Just(1), Just(2), Just(3), Just(4), Just(5), Just(6), Just(7), in(last), func(a, b, c, d, e, f, g, h int) string {
			return fmt.Sprint(a, b, c, d, e, f, g, h)
		}),
	} {
		p := run(src)
		p.Open(t)
		last.last().OnNext(9)
		last.last().OnComplete()
		p.Done(t, strings.Join(strings.Fields("1 2 3 4 5 6 7")[:n-1], " ")+" 9")
		p = run(src)
		last.last().OnComplete()
		p.Done(t)
	}
}
