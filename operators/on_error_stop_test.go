package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestOnErrorStop(t *testing.T) {
	taken := 0
	s := between(func(src ints) ints {
		upper := operators.OnErrorStop(operators.TryMap(src, func(n int) (int, error) { return n, failAt13(n) }))
		return operators.OnErrorContinue(upper, func(error, any) { taken++ })
	})
	s.down.Request(3)
	s.up.OnNext(1)
	s.up.OnNext(13)
	assert.Equal(t, []any{1}, s.out)
	assert.Equal(t, errFailed, s.err)
	assert.Zero(t, taken, "what stands below does not reach above")
}
