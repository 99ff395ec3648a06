package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestFromRunnable(t *testing.T) {
	ran := 0
	p := probeOf[int](0)
	FromRunnable[int](func() error { ran++; return nil }).Subscribe(context.Background(), p)
	p.Done(t)
	assert.Equal(t, 1, ran)
	run(FromRunnable[int](func() error { return errBoom })).Failed(t, errBoom)
	run(FromRunnable[int](func() error { panic(errBoom) })).Failed(t, errBoom)
	p = probeOf[int](0)
	p.Subscribed = func(up reactor.Subscription) { up.Cancel() }
	FromRunnable[int](func() error { ran++; return nil }).Subscribe(context.Background(), p)
	p.Open(t)
	assert.Equal(t, 1, ran)
	ctx, hooks := probe.Recorded()
	q := probeOf[int](0)
	FromRunnable[int](func() error { q.Cancel(); return errBoom }).Subscribe(ctx, q)
	q.Open(t)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
	assert.Panics(t, func() { FromRunnable[int](nil) })
}
