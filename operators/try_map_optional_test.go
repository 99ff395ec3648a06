package operators_test

import (
	"testing"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestTryMapOptional(t *testing.T) {
	play(t, diagram{"a result, none, and an error", "-a-b-x-c-|", "-a---#", func(src strs) strs {
		return operators.TryMapOptional(src, func(v string) (string, bool, error) {
			if v == "x" {
				return "", true, reactortest.ErrMarble
			}
			return v, v == "a", nil
		})
	}})
	even := func(src ints) ints {
		return operators.TryMapOptional(src, func(v int) (int, bool, error) { return v, v%2 == 0, failAt13(v) })
	}
	leavingOut(t, false, even)
	failingAt13(t, even)
}
