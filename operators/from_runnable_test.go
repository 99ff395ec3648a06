package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestFromRunnable(t *testing.T) {
	ran := 0
	p := probeOf[int](0)
	FromRunnable[int](func() error { ran++; return nil }).Subscribe(context.Background(), p)
	p.assertCompleted(t)
	assert.Equal(t, 1, ran)
	run(FromRunnable[int](func() error { return errBoom })).assertFailed(t, errBoom)
	run(FromRunnable[int](func() error { panic(errBoom) })).assertFailed(t, errBoom)
	p = probeOf[int](0)
	p.onSubscribe = func(up reactor.Subscription) { up.Cancel() }
	FromRunnable[int](func() error { ran++; return nil }).Subscribe(context.Background(), p)
	p.assertOpen(t)
	assert.Equal(t, 1, ran)
	ctx, hooks := recordHooks()
	q := probeOf[int](0)
	FromRunnable[int](func() error { q.cancel(); return errBoom }).Subscribe(ctx, q)
	q.assertOpen(t)
	assert.Equal(t, []any{errBoom}, hooks.droppedErrors)
	assert.Panics(t, func() { FromRunnable[int](nil) })
}
