package operators

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestHasElementAndSingleOptional(t *testing.T) {
	run(HasElement(Just(1))).Done(t, true)
	run(HasElement(Empty[int]())).Done(t, false)
	run(HasElement(Error[int](errBoom))).Failed(t, errBoom)
	text := func(v int, ok bool) string { return fmt.Sprint(v, ok) }
	run(SingleOptional(Just(1), text)).Done(t, "1 true")
	run(SingleOptional(Empty[int](), text)).Done(t, "0 false")
	run(SingleOptional(Error[int](errBoom), text)).Failed(t, errBoom)
	broken := func(int, bool) string { panic(errBoom) }
	run(SingleOptional(Just(1), broken)).Failed(t, errBoom)
	run(SingleOptional(Empty[int](), broken)).Failed(t, errBoom)

	src := &puppet[int]{}
	p := probeOf[bool](0)
	HasElement[int](src).Subscribe(context.Background(), p)
	assert.Zero(t, src.last().requested.Load())
	src.last().OnComplete()
	p.Open(t)
	p.Request(1)
	p.Done(t, false)

	ctx, hooks := probe.Recorded()
	runWith(ctx, HasElement(Just(1)))
	assert.Equal(t, []any{1}, hooks.Discarded)
	src = &puppet[int]{}
	p = run(HasElement[int](src))
	p.Cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
}
