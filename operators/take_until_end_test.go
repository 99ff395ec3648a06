package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

// The function ends the source and then panics: the stream has ended by then.
func TestTakeUntilWhoseFunctionEndsTheSource(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, TakeUntil(src, func(int) bool { src.last().OnComplete(); panic(errBoom) }))
	src.last().OnNext(1)
	p.Done(t, 1)
	if assert.Len(t, hooks.Errs, 1) {
		assert.ErrorIs(t, hooks.Errs[0].(error), errBoom)
	}
	assert.Empty(t, hooks.Discarded)
}
