package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCache(t *testing.T) {
	src := &puppet[int]{}
	cached := Cache[int](src, History(1))
	a := run(cached)
	a.Cancel()
	assert.Zero(t, src.last().cancels.Load())
	src.last().OnNext(1)
	src.last().OnNext(2)
	run(cached).Open(t, 2)
	src.last().OnComplete()
	run(cached).Done(t, 2)
	assert.Equal(t, 1, src.count())
}
