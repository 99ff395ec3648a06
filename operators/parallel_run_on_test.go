package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

func TestParallelRunOn(t *testing.T) {
	h := &handScheduler{}
	rails := subscribeRails(context.Background(), ParallelRunOn(Parallel(Range(0, 4), 2), h), reactor.Unbounded)
	rails[0].Open(t)
	h.run()
	rails[0].Done(t, 0, 2)
	rails[1].Done(t, 1, 3)
	assert.Len(t, h.workers, 2)
	h.assertReleased(t)
	h.refuse(schedulers.ErrCapacity)
	rails = subscribeRails(context.Background(), ParallelRunOn(Parallel(Range(0, 4), 2), h), reactor.Unbounded)
	rails[0].Failed(t, reactor.ErrRejected)
	assert.ErrorContains(t, rails[0].Failure(), "runOn")
}
