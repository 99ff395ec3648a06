package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

func TestCancelOnCancelsOnTheScheduler(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(CancelOn(src, h))
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	src.last().OnNext(1)
	p.Cancel()
	p.Cancel()
	assert.Zero(t, src.last().cancels.Load())
	h.run()
	assert.EqualValues(t, 1, src.last().cancels.Load())
	p.Open(t, 1)
}

func TestCancelOnPassesTheEnd(t *testing.T) {
	h := &handScheduler{}
	run(CancelOn(Range(1, 2), h)).Done(t, 1, 2)
	run(CancelOn(Error[int](errBoom), h)).Failed(t, errBoom)
	assert.Zero(t, h.pending())
}

func TestCancelOnRejected(t *testing.T) {
	h := &handScheduler{}
	h.refuse(schedulers.ErrUnavailable)
	src := &puppet[int]{}
	run(CancelOn(src, h)).Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load(), "in place: it must not get lost")
}
