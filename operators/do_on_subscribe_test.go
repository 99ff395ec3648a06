package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestDoOnSubscribeHandsOutAUsableSubscription(t *testing.T) {
	ctx, hooks := recordHooks()
	p := probeOf[int](0)
	p.requested = 2
	DoOnSubscribe(FromSlice([]int{1, 2, 3}), func(s reactor.Subscription) { s.Request(0) }).Subscribe(ctx, p)
	if assert.Len(t, hooks.droppedErrors, 1) {
		assert.ErrorIs(t, hooks.droppedErrors[0].(error), reactor.ErrIllegalRequest)
	}
	p = probeOf[int](1)
	DoOnSubscribe(FromSlice([]int{1, 2, 3}), func(s reactor.Subscription) { s.Cancel() }).Subscribe(ctx, p)
	p.assertOpen(t)
}
