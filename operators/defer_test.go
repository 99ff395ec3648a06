package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestDefer(t *testing.T) {
	type key struct{}
	n := 0
	src := Defer(func(ctx context.Context) reactor.Publisher[int] {
		n++
		return FromSlice([]int{n, ctx.Value(key{}).(int)})
	})
	ctx := context.WithValue(context.Background(), key{}, 9)
	runWith(ctx, src).Done(t, 1, 9)
	runWith(ctx, src).Done(t, 2, 9)
	p := run(Defer(func(context.Context) reactor.Publisher[int] { return nil }))
	assert.Error(t, p.Failure())
	assert.Panics(t, func() { Defer[int](nil) })
}
