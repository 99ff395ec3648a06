package operators

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOnErrorReturn(t *testing.T) {
	run(OnErrorReturn(failing(1, 2), 9)).assertCompleted(t, 1, 2, 9)
	run(OnErrorReturn(failing[int](), 9)).assertCompleted(t, 9)
	run(OnErrorReturn(FromSlice([]int{1, 2}), 9)).assertCompleted(t, 1, 2)
	run(OnErrorReturn(failing(1), 9, WhenIs(io.EOF))).assertFailed(t, errBoom, 1)
	run(OnErrorReturn(failing(1), 9, WhenIs(io.EOF), WhenIs(errOther, errBoom))).assertCompleted(t, 1, 9)
}

func TestOnErrorReturnWaitsForDemand(t *testing.T) {
	p := probeOf[int](2)
	OnErrorReturn(failing(1, 2), 9).Subscribe(context.Background(), p)
	p.assertOpen(t, 1, 2)
	p.request(1)
	p.assertCompleted(t, 1, 2, 9)
}

func TestOnErrorReturnCancelledWhileTheFallbackWaits(t *testing.T) {
	ctx, hooks := recordHooks()
	p := probeOf[int](1)
	OnErrorReturn(failing(1), 9).Subscribe(ctx, p)
	p.cancel()
	p.request(5)
	p.assertOpen(t, 1)
	assert.Empty(t, hooks.discarded, "others may need it")
}
