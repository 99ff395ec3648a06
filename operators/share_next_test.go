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
	a.cancel()
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	assert.Zero(t, src.last().cancels.Load())
	src.last().OnNext(1)
	assert.Equal(t, int64(1), src.last().cancels.Load())
	b.assertOpen(t)
	b.request(1)
	b.assertCompleted(t, 1)
	run(shared).assertCompleted(t, 1)
	assert.Equal(t, 1, src.count())
	run(ShareNext(Empty[int]())).assertCompleted(t)
	run(ShareNext(Error[int](errBoom))).assertFailed(t, errBoom)
}
