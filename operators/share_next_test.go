package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestShareNext(t *testing.T) {
	src := &puppet[int]{}
	shared := ShareNext[int](src)
	a, b := run(shared), probeOf[int](0)
	shared.Subscribe(context.Background(), b)
	a.Cancel()
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	assert.Zero(t, src.last().cancels.Load())
	src.last().OnNext(1)
	assert.Equal(t, int64(1), src.last().cancels.Load())
	b.Open(t)
	b.Request(1)
	b.Done(t, 1)
	run(shared).Done(t, 1)
	assert.Equal(t, 1, src.count())
	run(ShareNext(Empty[int]())).Done(t)
	run(ShareNext(Error[int](errBoom))).Failed(t, errBoom)
}
