package operators

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
