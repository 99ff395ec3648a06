package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCache(t *testing.T) {
	src := &puppet[int]{}
	cached := Cache[int](src, History(1))
	a := run(cached)
	a.cancel()
	assert.Zero(t, src.last().cancels.Load())
	src.last().OnNext(1)
	src.last().OnNext(2)
	run(cached).assertOpen(t, 2)
	src.last().OnComplete()
	run(cached).assertCompleted(t, 2)
	assert.Equal(t, 1, src.count())
}
