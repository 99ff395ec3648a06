package operators

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestMonoFlatMap(t *testing.T) {
	to := func(p reactor.Publisher[int]) func(int) reactor.Publisher[int] {
		return func(int) reactor.Publisher[int] { return p }
	}
	for _, inner := range []reactor.Publisher[int]{Just(7), Hide(Just(7))} {
		run(MonoFlatMap(Just(1), to(inner))).Done(t, 7)
	}
	for _, inner := range []reactor.Publisher[int]{Empty[int](), Hide(Empty[int]())} {
		run(MonoFlatMap(Just(1), to(inner))).Done(t)
	}
	for _, inner := range []reactor.Publisher[int]{Error[int](errBoom), Hide(Error[int](errBoom)), nil} {
		p := run(MonoFlatMap(Just(1), to(inner)))
		p.Items(t)
		assert.Error(t, p.Failure())
	}
	run(MonoFlatMap(Empty[int](), to(Just(7)))).Done(t)
	run(MonoFlatMap(Error[int](errBoom), to(Just(7)))).Failed(t, errBoom)
	run(MonoFlatMap(Just(1), func(int) reactor.Publisher[int] { panic(errBoom) })).Failed(t, errBoom)
	run(MonoFlatMap(Just(1), to(FromSupplier(func() int { panic(errBoom) })))).Failed(t, errBoom)
	assert.Panics(t, func() { MonoFlatMap[int, int](Just(1), nil) })
}

// standIn stands for a publisher as a Mono does.
type standIn struct{ publisher reactor.Publisher[int] }

func (s standIn) Source() reactor.Publisher[int] { return s.publisher }

func TestMonoFlatMapTo(t *testing.T) {
	to := func(p reactor.Publisher[int]) func(int) standIn {
		return func(int) standIn { return standIn{p} }
	}
	for _, src := range []reactor.Publisher[int]{Just(1), Hide(Just(1)), FromSupplier(func() int { return 1 })} {
		for _, inner := range []reactor.Publisher[int]{Just(7), Hide(Just(7)), FromSupplier(func() int { return 7 })} {
			all := MonoFlatMapTo(src, to(inner))
			run(all).Done(t, 7)
			v, err := Block(t.Context(), all)
			assert.NoError(t, err)
			assert.Equal(t, 7, v)
		}
		_, err := Block(t.Context(), MonoFlatMapTo(src, to(Error[int](errBoom))))
		assert.ErrorIs(t, err, errBoom)
		_, err = Block(t.Context(), MonoFlatMapTo(src, to(nil)))
		assert.ErrorContains(t, err, "flatMap: the publisher is nil")
		_, ok, err := BlockOptional(t.Context(), MonoFlatMapTo(src, to(Empty[int]())))
		assert.NoError(t, err)
		assert.False(t, ok)
	}
	assert.PanicsWithValue(t, "reactor: flatMap: the mapper is nil", func() { MonoFlatMapTo[int, int, standIn](Just(1), nil) })
}

func TestMonoFlatMapFailureBelow(t *testing.T) {
	fail := func(int) int { panic(errBoom) }
	for _, inner := range []reactor.Publisher[int]{Just(7), Hide(Just(7))} {
		ctx, hooks := probe.Recorded()
		src := MonoFlatMap(Just(1), func(int) reactor.Publisher[int] { return inner })
		runWith(ctx, Map(src, fail)).Failed(t, errBoom)
		assert.Len(t, hooks.Discarded, 1)
		assert.Empty(t, hooks.Errs)
	}
}

func TestMonoFlatMapCancel(t *testing.T) {
	outer, inner := &puppet[int]{}, &puppet[int]{}
	src := MonoFlatMap(outer, func(int) reactor.Publisher[int] { return inner })
	p := run(src)
	p.Cancel()
	assert.EqualValues(t, 1, outer.last().cancels.Load())
	p = run(src)
	outer.last().OnNext(1)
	p.Cancel()
	assert.EqualValues(t, 1, inner.last().cancels.Load())
	p = run(src)
	p.Cancel()
	outer.last().OnNext(1)
	assert.EqualValues(t, 1, inner.last().cancels.Load(), "what comes after the cancellation is cancelled at once")
}

func TestMonoFlatMapTooMuch(t *testing.T) {
	ctx, hooks := probe.Recorded()
	outer, inner := &puppet[int]{}, &puppet[int]{}
	p := runWith(ctx, MonoFlatMap(outer, func(int) reactor.Publisher[int] { return inner }))
	outer.last().OnNext(1)
	outer.last().OnNext(2)
	outer.last().OnError(errBoom)
	outer.last().OnComplete()
	inner.last().OnNext(3)
	inner.last().OnNext(4)
	inner.last().OnError(errOther)
	inner.last().OnComplete()
	p.Done(t, 3)
	assert.Equal(t, []any{2, 4}, hooks.Dropped)
	assert.Equal(t, []any{errBoom, errOther}, hooks.Errs)
}

func TestMonoFlatMapRaces(t *testing.T) {
	for range racetest.Iterations(300) {
		l := ledger.New(t)
		outer, inner := &puppet[int]{}, &puppet[*ledger.Element]{}
		p := probeOf[*ledger.Element](reactor.Unbounded)
		p.Each = func(e *ledger.Element) { l.Delivered(e) }
		MonoFlatMap(outer, func(int) reactor.Publisher[*ledger.Element] { return inner }).
			Subscribe(l.Context(context.Background()), p)
		racetest.Race(func() { outer.last().OnNext(1); inner.last().OnNext(l.Produce()) }, func() { p.Cancel() })
		assert.True(t, p.Over() || inner.last().cancels.Load() == 1)
		assert.Empty(t, p.Faults())
		l.Check()
	}
}

// What is computed instead of being subscribed to must come out the same.
func TestDirectEqualsSubscribed(t *testing.T) {
	double := func(v int) int { return 2 * v }
	refuse := func(int) (int, error) { return 0, errBoom }
	broken := func(int) int { panic(errBoom) }
	to := func(p reactor.Publisher[int]) func(int) reactor.Publisher[int] {
		return func(int) reactor.Publisher[int] { return p }
	}
	subscribed := reactor.WithHooks(context.Background(), reactor.Hooks{})
	for name, src := range map[string]reactor.Publisher[int]{
		"just":                Just(1),
		"empty":               Empty[int](),
		"error":               Error[int](errBoom),
		"map":                 Map(Just(1), double),
		"map empty":           Map(Empty[int](), double),
		"map error":           Map(Error[int](errBoom), double),
		"map panic":           Map(Just(1), broken),
		"tryMap":              TryMap(Just(1), func(v int) (int, error) { return v + 1, nil }),
		"tryMap error":        TryMap(Just(1), refuse),
		"tryMap empty":        TryMap(Empty[int](), refuse),
		"map map":             Map(Map(Just(1), double), double),
		"callable panic":      Map(FromSupplier(func() int { panic(errBoom) }), double),
		"callable error":      Map(FromCallable(func() (int, error) { return 1, errBoom }), double),
		"flatMap":             MonoFlatMap(Map(Just(1), double), to(Just(9))),
		"flatMap computed":    MonoFlatMap(Just(1), to(Map(Just(9), double))),
		"flatMap subscribed":  MonoFlatMap(Just(1), to(Hide(Just(9)))),
		"flatMap empty":       MonoFlatMap(Just(1), to(Empty[int]())),
		"flatMap panic":       MonoFlatMap(Just(1), func(int) reactor.Publisher[int] { panic(errBoom) }),
		"flatMap inner panic": MonoFlatMap(Just(1), to(Map(Just(1), broken))),
		"flatMap map":         Map(MonoFlatMap(Just(1), to(Just(9))), double),
		"flatMap of empty":    MonoFlatMap(Empty[int](), to(Just(9))),
	} {
		t.Run(name, func(t *testing.T) {
			v1, ok1, err1 := BlockOptional(context.Background(), src)
			v2, ok2, err2 := BlockOptional(subscribed, src)
			assert.Equal(t, v2, v1)
			assert.Equal(t, ok2, ok1)
			assert.Equal(t, errors.Is(err2, errBoom), errors.Is(err1, errBoom))
			assert.Equal(t, err2 == nil, err1 == nil)
			var p1, p2 *reactor.PanicError
			if errors.As(err2, &p2) && assert.ErrorAs(t, err1, &p1) {
				assert.Equal(t, p2.Op, p1.Op)
			}
		})
	}
}

// owner is an element that has to be told if nobody gets it.
type owner struct{ told *int }

func (o owner) Discarded() { *o.told++ }

func TestDirectTellsWhatIsDiscarded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	for name, build := range map[string]func(src reactor.Publisher[owner]) reactor.Publisher[int]{
		"map": func(src reactor.Publisher[owner]) reactor.Publisher[int] {
			return Map(src, func(owner) int { panic(errBoom) })
		},
		"error": func(src reactor.Publisher[owner]) reactor.Publisher[int] {
			return TryMap(src, func(owner) (int, error) { return 0, errBoom })
		},
		"panic": func(src reactor.Publisher[owner]) reactor.Publisher[int] {
			return TryMap(src, func(owner) (int, error) { panic(errBoom) })
		},
		"flatMap": func(src reactor.Publisher[owner]) reactor.Publisher[int] {
			return MonoFlatMap(src, func(owner) reactor.Publisher[int] { panic(errBoom) })
		},
	} {
		computed, subscribed := 0, 0
		_, err := Block(context.Background(), build(FromSupplier(func() owner { return owner{&computed} })))
		assert.ErrorIs(t, err, errBoom, name)
		_, err = Block(context.Background(), build(Hide(FromSupplier(func() owner { return owner{&subscribed} }))))
		assert.ErrorIs(t, err, errBoom, name)
		assert.Equal(t, 1, subscribed, name)
		assert.Equal(t, 1, computed, name)
	}
	told := 0
	_, err := Block(ctx, FromSupplier(func() owner { cancel(); return owner{&told} }))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, told)
}

func TestDirectEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	_, err := Block(ctx, FromSupplier(func() int { cancel(errOther); return 1 }))
	assert.Equal(t, errOther, err)
	_, err = Block(ctx, FromSupplier(func() int { t.Error("called"); return 1 }))
	assert.Equal(t, errOther, err)
}
