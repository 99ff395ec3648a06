package operators_test

import (
	"testing"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestTryFilter(t *testing.T) {
	play(t, diagram{"the first error ends it", "-1-a-x-2-|", "-1---#", func(src strs) strs {
		return operators.TryFilter(src, func(v string) (bool, error) {
			if v == "x" {
				return true, reactortest.ErrMarble
			}
			return v == "1", nil
		})
	}})
	even := func(src ints) ints {
		return operators.TryFilter(src, func(v int) (bool, error) { return v%2 == 0, failAt13(v) })
	}
	leavingOut(t, true, even)
	failingAt13(t, even)
}
