package operators_test

import (
	"testing"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestTryFlatMapSlice(t *testing.T) {
	use := func(s strs) strs {
		return operators.TryFlatMapSlice(s, func(v string) ([]string, error) {
			if v == "x" {
				return nil, reactortest.ErrMarble
			}
			return twoOf(v), nil
		})
	}
	play(t,
		diagram{"slices take no time", "a---b---|", "(aa)(bb)|", use},
		diagram{"an error of the function", "a---x-b-|", "(aa)#", use},
		diagram{"an error of the source", "a---#", "(aa)#", use},
	)
}
