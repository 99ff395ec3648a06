package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
)

func TestFromCallable(t *testing.T) {
	calls := 0
	src := FromCallable(func() (int, error) { calls++; return calls, nil })
	run(src).assertCompleted(t, 1)
	run(src).assertCompleted(t, 2)
	p := probeOf[int](0)
	src.Subscribe(context.Background(), p)
	p.assertOpen(t)
	assert.Equal(t, 2, calls, "not before the first request")
	p.request(2)
	p.request(1)
	p.assertCompleted(t, 3)
	run(FromCallable(func() (int, error) { return 0, errBoom })).assertFailed(t, errBoom)
	run(FromSupplier(func() int { return 4 })).assertCompleted(t, 4)
	run(FromOptional(func() (int, bool, error) { return 4, true, nil })).assertCompleted(t, 4)
	run(FromOptional(func() (int, bool, error) { return 4, false, nil })).assertCompleted(t)
	run(FromOptional(func() (int, bool, error) { return 4, true, errBoom })).assertFailed(t, errBoom)
	assert.Panics(t, func() { FromCallable[int](nil) })
	assert.Panics(t, func() { FromSupplier[int](nil) })
	assert.Panics(t, func() { FromOptional[int](nil) })
}

func TestFromCallableCanBeCalled(t *testing.T) {
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
		OperatorError: func(_ context.Context, err error, _ any) error { return errOther },
	})
	call := func(p reactor.Publisher[int]) (int, bool, error) { return p.(direct.Callable[int]).Call(ctx) }
	v, ok, err := call(FromSupplier(func() int { return 4 }))
	assert.True(t, v == 4 && ok && err == nil)
	_, ok, err = call(FromCallable(func() (int, error) { return 4, errBoom }))
	assert.False(t, ok)
	assert.Equal(t, errOther, err)
	_, ok, err = call(FromRunnable[int](func() error { return nil }))
	assert.True(t, !ok && err == nil)
	_, _, err = call(FromRunnable[int](func() error { return errBoom }))
	assert.Equal(t, errOther, err)
	_, _, err = call(ErrorFrom[int](func() error { return nil }))
	assert.Equal(t, reactor.ErrNilError, err)
}

func TestFromCallablePanics(t *testing.T) {
	p := run(FromCallable(func() (int, error) { panic(errBoom) }))
	p.assertFailed(t, errBoom)
	ctx, hooks := recordHooks()
	runWith(ctx, Map(FromSupplier(func() int { return 4 }), func(int) int { panic(errBoom) })).assertFailed(t, errBoom)
	assert.Equal(t, []any{4}, hooks.discarded)
}

func TestFromCallableCancelled(t *testing.T) {
	ctx, hooks := recordHooks()
	p := probeOf[int](0)
	FromCallable(func() (int, error) { p.cancel(); return 4, nil }).Subscribe(ctx, p)
	p.request(1)
	p.assertOpen(t)
	assert.Equal(t, []any{4}, hooks.discarded)

	q := probeOf[int](0)
	FromCallable(func() (int, error) { q.cancel(); return 4, errBoom }).Subscribe(ctx, q)
	q.request(1)
	q.assertOpen(t)
	assert.Equal(t, []any{errBoom}, hooks.droppedErrors)

	r := probeOf[int](1)
	r.onNext = func(int) { r.cancel() }
	FromSupplier(func() int { return 4 }).Subscribe(ctx, r)
	r.assertOpen(t, 4)

	r = probeOf[int](0)
	FromSupplier(func() int { t.Error("called"); return 4 }).Subscribe(ctx, r)
	r.cancel()
	r.request(1)
	r.assertOpen(t)
}
