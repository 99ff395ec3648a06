package operators

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

func TestBufferFor(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(BufferFor(src, 10, On(h)))
	src.last().OnNext(1)
	h.forward(9)
	src.last().OnNext(2)
	p.Open(t)
	h.forward(1)
	p.Open(t, []int{1, 2})
	h.forward(10)
	src.last().OnNext(3)
	h.forward(10)
	p.Open(t, []int{1, 2}, []int{3})
	src.last().OnComplete()
	p.Done(t, []int{1, 2}, []int{3})
	assert.Zero(t, h.pending())
	h.assertReleased(t)
}

func TestBufferForOpenEvery(t *testing.T) {
	for _, c := range []struct {
		name      string
		every     time.Duration
		want      [][]int // of 1, 2, 3, … at 5, 15, 25, …, with buffers of 20
		discarded []any
	}{
		{"overlapping", 10, [][]int{{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5}}, nil},
		{"gaps", 30, [][]int{{1, 2}, {4, 5}}, []any{3}},
		{"as long", 20, [][]int{{1, 2}, {3, 4}, {5}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			h := &handScheduler{}
			src := &puppet[int]{}
			p := runWith(ctx, BufferFor(src, 20, OpenEvery(c.every), On(h)))
			h.forward(0)
			for i := 1; i <= 5; i++ {
				h.forward(5)
				src.last().OnNext(i)
				if i < 5 {
					h.forward(5)
				}
			}
			src.last().OnComplete()
			p.Done(t, c.want...)
			assert.Equal(t, c.discarded, hooks.Discarded)
			assert.Zero(t, h.pending())
			h.assertReleased(t)
		})
	}
}

func TestBufferForRejected(t *testing.T) {
	for _, every := range []time.Duration{10, 20} {
		h := &handScheduler{}
		h.refuse(schedulers.ErrUnavailable)
		src := &puppet[int]{}
		run(BufferFor(src, 10, OpenEvery(every), On(h))).Failed(t, reactor.ErrRejected)
		assert.EqualValues(t, 1, src.last().cancels.Load())
	}
}

func TestBufferForBadArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: bufferFor: duration must be positive, got 0s", func() { BufferFor(Empty[int](), 0) })
	assert.PanicsWithValue(t, "reactor: bufferFor: time between two buffers must be positive, got 0s", func() { BufferFor(Just(1), 1, OpenEvery(0)) })
	assert.PanicsWithValue(t, "reactor: bufferFor: the scheduler is nil", func() { BufferFor(Empty[int](), 1, On(nil)) })
	assert.PanicsWithValue(t, "reactor: bufferOther: the publisher is nil", func() { BufferOther[int, int](Empty[int](), nil) })
}
