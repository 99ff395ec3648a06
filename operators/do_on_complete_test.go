package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestDoOnComplete(t *testing.T) {
	calls := 0
	var s *stepwise[int]
	use := func(src ints) ints {
		return operators.DoOnComplete(src, func() { calls++; assert.False(t, s.completed, "called before it goes down") })
	}
	s = between(use)
	s.down.Request(1)
	s.up.OnNext(1)
	assert.Zero(t, calls)
	s.up.OnComplete()
	assert.Equal(t, 1, calls)
	assert.True(t, s.completed)

	s = between(use)
	s.up.OnError(errFailed)
	assert.Equal(t, errFailed, s.err)
	s = between(use)
	s.down.Cancel()
	assert.Equal(t, 1, calls, "neither an error nor a cancellation is completion")
}

func TestDoOnCompleteFunctionPanics(t *testing.T) {
	s := between(func(src ints) ints { return operators.DoOnComplete(src, func() { panic("no") }) })
	s.up.OnComplete()
	assert.False(t, s.completed)
	var p *reactor.PanicError
	assert.ErrorAs(t, s.err, &p)
}
