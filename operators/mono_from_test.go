package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/direct"
)

func TestMonoFrom(t *testing.T) {
	p := probeOf[int](5)
	src := &puppet[int]{}
	MonoFrom(src).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	p.Done(t, 1)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	_, callable := MonoFrom(Just(1)).(direct.Callable[int])
	assert.True(t, callable)
	run(MonoFrom(Empty[int]())).Done(t)
}
