package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// Who subscribes again within the failure begins a new run: nobody is asked about an element twice that is to be discarded.
func TestMonoCacheInvalidateIfSubscribedAgainWithinTheFailure(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, _ := counted()
	asked := 0
	cached := MonoCacheInvalidateIf(src, func(int64) bool {
		asked++
		panic(errBoom)
	})
	runWith(ctx, cached).Done(t, 1)
	runWith(ctx, OnErrorResume(cached, func(error) reactor.Publisher[int64] { return cached })).Done(t, 2)
	assert.Equal(t, 1, asked)
	assert.Equal(t, []any{int64(1)}, hooks.Discarded)
}
