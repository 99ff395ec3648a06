package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSwitchIfEmpty(t *testing.T) {
	run(SwitchIfEmpty(Empty[int](), FromSlice([]int{1, 2}))).Done(t, 1, 2)
	run(SwitchIfEmpty(Empty[int](), Empty[int]())).Done(t)
	run(SwitchIfEmpty(Just(1), Just(2))).Done(t, 1)
	run(SwitchIfEmpty(Error[int](errBoom), Just(2))).Failed(t, errBoom)
	run(DefaultIfEmpty(Empty[int](), 5)).Done(t, 5)
	run(DefaultIfEmpty(FromSlice([]int{1, 2}), 5)).Done(t, 1, 2)

	p := probeOf[int](0)
	DefaultIfEmpty(Empty[int](), 5).Subscribe(context.Background(), p)
	p.Open(t)
	p.Request(1)
	p.Done(t, 5)
}

func TestSwitchIfEmptyAndCancel(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](3)
	SwitchIfEmpty[int](src, other).Subscribe(context.Background(), p)
	p.Cancel()
	src.last().OnComplete()
	assert.Zero(t, other.count())

	race(t, 3000, func() ([]func(), func()) {
		src, other := &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](3)
		SwitchIfEmpty[int](src, other).Subscribe(context.Background(), p)
		return []func(){func() { src.last().OnComplete() }, p.Cancel, func() { p.Request(2) }}, func() {
			if other.count() == 1 {
				assert.Equal(t, int64(1), other.last().cancels.Load())
			}
			p.Open(t)
		}
	})
}
