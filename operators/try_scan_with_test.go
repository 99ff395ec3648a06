package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestTryScanWithAfterItsEnd(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, TryScanWith(src, tryScanSeed(1, nil), addUpTo(1)))
	push := protocol.Push(src.last().Subscriber)
	push(1)
	push(2)
	src.last().OnNext(3)
	src.last().OnError(errOther)
	p.Failed(t, errBoom, 1)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Equal(t, []any{2, 3}, hooks.Dropped)
	assert.Equal(t, []any{errOther}, hooks.Errs)
}
