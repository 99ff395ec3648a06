package operators

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestOnErrorReturn(t *testing.T) {
	run(OnErrorReturn(failing(1, 2), 9)).Done(t, 1, 2, 9)
	run(OnErrorReturn(failing[int](), 9)).Done(t, 9)
	run(OnErrorReturn(FromSlice([]int{1, 2}), 9)).Done(t, 1, 2)
	run(OnErrorReturn(failing(1), 9, WhenIs(io.EOF))).Failed(t, errBoom, 1)
	run(OnErrorReturn(failing(1), 9, WhenIs(io.EOF), WhenIs(errOther, errBoom))).Done(t, 1, 9)
}

func TestOnErrorReturnWaitsForDemand(t *testing.T) {
	p := probeOf[int](2)
	OnErrorReturn(failing(1, 2), 9).Subscribe(context.Background(), p)
	p.Open(t, 1, 2)
	p.Request(1)
	p.Done(t, 1, 2, 9)
}

func TestOnErrorReturnCancelledWhileTheFallbackWaits(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](1)
	OnErrorReturn(failing(1), 9).Subscribe(ctx, p)
	p.Cancel()
	p.Request(5)
	p.Open(t, 1)
	assert.Empty(t, hooks.Discarded, "others may need it")
}
