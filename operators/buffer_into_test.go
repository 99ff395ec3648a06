package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBufferInto(t *testing.T) {
	newSet := func() map[int]bool { return map[int]bool{} }
	add := func(set map[int]bool, v int) { set[v] = true }
	src := FromSlice([]int{1, 2, 2, 2, 5})
	run(BufferInto(src, 2, newSet, add)).assertCompleted(t, map[int]bool{1: true, 2: true}, map[int]bool{2: true}, map[int]bool{5: true})
	run(BufferInto(src, 1, newSet, add, Stride(4))).assertCompleted(t, map[int]bool{1: true}, map[int]bool{5: true})

	ctx, hooks := recordHooks()
	p := runWith(ctx, BufferInto(src, 2, newSet, func(map[int]bool, int) { panic(errBoom) }))
	p.assertFailed(t, errBoom)
	assert.ElementsMatch(t, []any{1, 2, 2, 2, 5}, hooks.discarded, "those of src as well")
	assert.PanicsWithValue(t, "reactor: bufferInto: the container function is nil", func() { BufferInto(src, 1, nil, add) })
	assert.PanicsWithValue(t, "reactor: bufferInto: the function is nil", func() { BufferInto(src, 1, newSet, nil) })
}
