package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

type set = map[int]bool

func newSet() set { return set{} }

func addTo(c set, v int) bool {
	known := c[v]
	c[v] = true
	return !known
}

func TestBufferInto(t *testing.T) {
	src := FromSlice([]int{1, 2, 2, 2, 5})
	run(BufferInto(src, 2, newSet, addTo)).Done(t, set{1: true, 2: true}, set{2: true, 5: true})
	run(BufferInto(src, 1, newSet, addTo, Stride(4))).Done(t, set{1: true}, set{5: true})

	ctx, hooks := probe.Recorded()
	p := runWith(ctx, BufferInto(src, 2, newSet, func(set, int) bool { panic(errBoom) }))
	p.Failed(t, errBoom)
	assert.ElementsMatch(t, []any{1, 2, 2, 2, 5}, hooks.Discarded, "those of src as well")
	assert.PanicsWithValue(t, "reactor: bufferInto: the container function is nil", func() { BufferInto(src, 1, nil, addTo) })
	assert.PanicsWithValue(t, "reactor: bufferInto: the function is nil", func() { BufferInto[int, set](src, 1, newSet, nil) })
	ctx, hooks = probe.Recorded()
	runWith(ctx, BufferInto(src, 2, func() set { panic(errBoom) }, addTo)).Failed(t, errBoom)
	assert.ElementsMatch(t, []any{1, 2, 2, 2, 5}, hooks.Discarded)
}

// What the container does not take is discarded, and made up for.
func TestBufferIntoRefused(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[set](1)
	BufferInto(src, 3, newSet, addTo).Subscribe(ctx, p)
	up := src.last()
	assert.EqualValues(t, 3, up.requested.Load())
	for _, v := range []int{1, 1, 2, 1, 2} {
		up.OnNext(v)
	}
	p.Open(t)
	assert.EqualValues(t, 6, up.requested.Load())
	assert.Equal(t, []any{1, 1, 2}, hooks.Discarded)
	up.OnNext(3)
	p.Open(t, set{1: true, 2: true, 3: true})
	p.Request(1)
	assert.EqualValues(t, 9, up.requested.Load())
	up.OnNext(1)
	p.Cancel()
	assert.Equal(t, []any{1, 1, 2, 1}, hooks.Discarded, "the open container")

	// Whatever src has, two at a time.
	never := func(set, int) bool { return false }
	run(BufferInto(Range(0, 100_000), 2, newSet, never)).Done(t)
	ctx, hooks = probe.Recorded()
	runWith(ctx, BufferInto(FromSlice([]int{1, 2, 1, 1, 3, 4}), 2, newSet, addTo)).Done(t, set{1: true, 2: true}, set{1: true, 3: true}, set{4: true})
	assert.Equal(t, []any{1}, hooks.Discarded)
	// With a stride places count.
	ctx, hooks = probe.Recorded()
	runWith(ctx, BufferInto(FromSlice([]int{1, 1, 2, 3, 3, 3}), 2, newSet, addTo, Stride(3))).Done(t, set{1: true}, set{3: true})
	assert.Equal(t, []any{1, 2, 3, 3}, hooks.Discarded)
	ctx, hooks = probe.Recorded()
	even := func(c set, v int) bool { return v%2 == 0 && addTo(c, v) }
	runWith(ctx, BufferInto(FromSlice([]int{1, 2, 3, 5, 6, 7}), 2, newSet, even, Stride(3))).Done(t, set{2: true}, set{6: true})
	assert.ElementsMatch(t, []any{1, 3, 5, 7}, hooks.Discarded)

	// One demand, one container.
	p = probeOf[set](1)
	p.Each = func(set) { p.Request(1) }
	BufferInto(FromSlice([]int{1, 1, 2, 2, 3, 3, 4}), 2, newSet, addTo).Subscribe(context.Background(), p)
	p.Done(t, set{1: true, 2: true}, set{2: true, 3: true}, set{3: true, 4: true})
}

func TestBufferIntoStridePanicDiscardsEachOnce(t *testing.T) {
	ctx, hooks := probe.Recorded()
	add := func(c *[]int, v int) bool {
		if v == 3 {
			panic(errBoom)
		}
		*c = append(*c, v)
		return v != 2
	}
	newContainer := func() *[]int { return new([]int) }
	runWith(ctx, BufferInto(FromSlice([]int{1, 2, 3, 4}), 3, newContainer, add, Stride(4))).Failed(t, errBoom)
	assert.ElementsMatch(t, []any{1, 2, 3, 4}, hooks.Discarded)
}

// What a container has refused is discarded once, and all else too, if something fails below.
func TestBufferIntoStrideFailureBelowDiscardsEachOnce(t *testing.T) {
	for _, size := range []int{2, 3, 5} {
		ctx, hooks := probe.Recorded()
		containers := BufferInto(FromSlice([]int{1, 2, 3}), size, func() *[]int { return new([]int) },
			func(_ *[]int, v int) bool { return v != 2 && v != 3 }, Stride(6))
		runWith(ctx, Map(containers, func(*[]int) int { panic(errBoom) })).Failed(t, errBoom)
		assert.ElementsMatch(t, []any{1, 2, 3}, hooks.Discarded, size)
	}
}
