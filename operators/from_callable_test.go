package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestFromCallable(t *testing.T) {
	calls := 0
	src := FromCallable(func() (int, error) { calls++; return calls, nil })
	run(src).Done(t, 1)
	run(src).Done(t, 2)
	p := probeOf[int](0)
	src.Subscribe(context.Background(), p)
	p.Open(t)
	assert.Equal(t, 2, calls, "not before the first request")
	p.Request(2)
	p.Request(1)
	p.Done(t, 3)
	run(FromCallable(func() (int, error) { return 0, errBoom })).Failed(t, errBoom)
	run(FromSupplier(func() int { return 4 })).Done(t, 4)
	run(FromOptional(func() (int, bool, error) { return 4, true, nil })).Done(t, 4)
	run(FromOptional(func() (int, bool, error) { return 4, false, nil })).Done(t)
	run(FromOptional(func() (int, bool, error) { return 4, true, errBoom })).Failed(t, errBoom)
	assert.Panics(t, func() { FromCallable[int](nil) })
	assert.Panics(t, func() { FromSupplier[int](nil) })
	assert.Panics(t, func() { FromOptional[int](nil) })
}

func TestFromCallableCanBeCalled(t *testing.T) {
	// The hook is the caller's business.
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
		OperatorError: func(_ context.Context, err error, _ any) error { return errOther },
	})
	call := func(p reactor.Publisher[int]) (int, bool, error) { return p.(direct.Callable[int]).Call(ctx) }
	v, ok, err := call(FromSupplier(func() int { return 4 }))
	assert.True(t, v == 4 && ok && err == nil)
	_, ok, err = call(FromCallable(func() (int, error) { return 4, errBoom }))
	assert.False(t, ok)
	assert.Equal(t, errBoom, err)
	_, ok, err = call(FromRunnable[int](func() error { return nil }))
	assert.True(t, !ok && err == nil)
	_, _, err = call(FromRunnable[int](func() error { return errBoom }))
	assert.Equal(t, errBoom, err)
	_, _, err = call(ErrorFrom[int](func() error { return nil }))
	assert.Equal(t, reactor.ErrNilError, err)
}

func TestFromCallablePanics(t *testing.T) {
	p := run(FromCallable(func() (int, error) { panic(errBoom) }))
	p.Failed(t, errBoom)
	ctx, hooks := probe.Recorded()
	runWith(ctx, Map(FromSupplier(func() int { return 4 }), func(int) int { panic(errBoom) })).Failed(t, errBoom)
	assert.Equal(t, []any{4}, hooks.Discarded)
}

// The hooks hear once of a source that fails, also where the stage behind it calls it without subscribing.
func TestFromCallableFailuresAreHooked(t *testing.T) {
	ops := map[string]func(src stream) stream{
		"itself":            func(src stream) stream { return src },
		"flatMap":           func(src stream) stream { return FlatMap(src, Just[int]) },
		"flatMapSequential": func(src stream) stream { return FlatMapSequential(src, Just[int]) },
		"flatMapSlice":      func(src stream) stream { return FlatMapSlice(src, func(v int) []int { return []int{v} }) },
		"concatMap":         func(src stream) stream { return ConcatMap(src, Just[int]) },
		"switchMap":         func(src stream) stream { return SwitchMap(src, Just[int]) },
		"exhaustMap":        func(src stream) stream { return ExhaustMap(src, Just[int]) },
		"monoFlatMap":       func(src stream) stream { return MonoFlatMap(src, Just[int]) },
		"flatMapMany":       func(src stream) stream { return MonoFlatMapMany(src, Just[int]) },
	}
	for name, op := range ops {
		for way, fn := range map[string]func() (int, error){
			"error": func() (int, error) { return 0, errBoom },
			"panic": func() (int, error) { panic(errBoom) },
		} {
			t.Run(name+" "+way, func(t *testing.T) {
				heard := 0
				ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
					OperatorError: func(_ context.Context, err error, _ any) error { heard++; return err },
				})
				runWith(ctx, op(FromCallable(fn))).Failed(t, errBoom)
				assert.Equal(t, 1, heard)
			})
		}
	}
}

// So they do of an inner publisher that fails, with the element that it is for where the stage has that.
func TestFromCallableFailuresAreHookedWhereTheyAreInner(t *testing.T) {
	for name, row := range map[string]struct {
		op   func(src, fails stream) stream
		told any // what the hook gets with the error
		sent []int
	}{
		"flatMap":               {func(src, p stream) stream { return FlatMap(src, always(p)) }, 1, nil},
		"flatMap, delayed":      {func(src, p stream) stream { return FlatMap(src, always(p), DelayErrors()) }, 1, nil},
		"flatMap of one":        {func(_, p stream) stream { return FlatMap(Just(1), always(p)) }, nil, nil},
		"flatMapSequential":     {func(src, p stream) stream { return FlatMapSequential(src, always(p)) }, nil, nil},
		"concatMap":             {func(src, p stream) stream { return ConcatMap(src, always(p)) }, 1, nil},
		"concatMap, delayed":    {func(src, p stream) stream { return ConcatMap(src, always(p), DelayErrors()) }, 1, nil},
		"concatMap, one by one": {func(src, p stream) stream { return ConcatMap(src, always(p), Prefetch(0)) }, 1, nil},
		"switchMap":             {func(src, p stream) stream { return SwitchMap(src, always(p)) }, nil, nil},
		"exhaustMap":            {func(src, p stream) stream { return ExhaustMap(src, always(p)) }, 1, nil},
		"monoFlatMap":           {func(src, p stream) stream { return MonoFlatMap(src, always(p)) }, 1, nil},
		"flatMapMany":           {func(src, p stream) stream { return MonoFlatMapMany(src, always(p)) }, 1, nil},
		"flatMapSignal": {func(src, p stream) stream {
			return FlatMapSignal(src, Just[int], nil, func() stream { return p })
		}, nil, []int{1}},
		"filterWhen": {func(src, p stream) stream {
			call := func() (bool, error) { _, _, err := p.(direct.Callable[int]).Call(t.Context()); return false, err }
			return FilterWhen(src, func(int) reactor.Publisher[bool] { return FromCallable(call) })
		}, 1, nil},
		"zip":            {func(src, p stream) stream { return Zip([]stream{src, p}, func([]int) int { return 0 }) }, nil, nil},
		"merge":          {func(src, p stream) stream { return Merge(src, p) }, nil, []int{1}},
		"merge, delayed": {func(src, p stream) stream { return MergeSlice([]stream{p, src}, DelayErrors()) }, nil, []int{1}},
		"usingWhen": {func(src, p stream) stream {
			return UsingWhen(p, always(src), AsyncCleanup[int, int]{Complete: always(Empty[int]())})
		}, nil, nil},
	} {
		for way, fn := range map[string]func() (int, error){
			"error": func() (int, error) { return 0, errBoom },
			"panic": func() (int, error) { panic(errBoom) },
		} {
			t.Run(name+" "+way, func(t *testing.T) {
				var told []any
				ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
					OperatorError: func(_ context.Context, err error, v any) error { told = append(told, v); return err },
				})
				runWith(ctx, row.op(Hide(Just(1)), FromCallable(fn))).Failed(t, errBoom, row.sent...)
				assert.Equal(t, []any{row.told}, told)
			})
		}
	}
}

func always(p stream) func(int) stream { return func(int) stream { return p } }

func TestFromCallableCancelled(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](0)
	FromCallable(func() (int, error) { p.Cancel(); return 4, nil }).Subscribe(ctx, p)
	p.Request(1)
	p.Open(t)
	assert.Equal(t, []any{4}, hooks.Discarded)

	q := probeOf[int](0)
	FromCallable(func() (int, error) { q.Cancel(); return 4, errBoom }).Subscribe(ctx, q)
	q.Request(1)
	q.Open(t)
	assert.Equal(t, []any{errBoom}, hooks.Errs)

	r := probeOf[int](1)
	r.Each = func(int) { r.Cancel() }
	FromSupplier(func() int { return 4 }).Subscribe(ctx, r)
	r.Open(t, 4)

	r = probeOf[int](0)
	FromSupplier(func() int { t.Error("called"); return 4 }).Subscribe(ctx, r)
	r.Cancel()
	r.Request(1)
	r.Open(t)
}
