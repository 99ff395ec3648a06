package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestDoOnSubscribeHandsOutAUsableSubscription(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](0)
	p.Allow(2)
	DoOnSubscribe(FromSlice([]int{1, 2, 3}), func(s reactor.Subscription) { s.Request(0) }).Subscribe(ctx, p)
	if assert.Len(t, hooks.Errs, 1) {
		assert.ErrorIs(t, hooks.Errs[0].(error), reactor.ErrIllegalRequest)
	}
	p = probeOf[int](1)
	DoOnSubscribe(FromSlice([]int{1, 2, 3}), func(s reactor.Subscription) { s.Cancel() }).Subscribe(ctx, p)
	p.Open(t)
}
