package operators_test

import (
	"testing"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestTryDoOnNext(t *testing.T) {
	play(t, diagram{"the first error ends it", "-a-x-b-|", "-a-#", func(src strs) strs {
		return operators.TryDoOnNext(src, func(v string) error {
			if v == "x" {
				return reactortest.ErrMarble
			}
			return nil
		})
	}})
	failingAt13(t, func(src ints) ints { return operators.TryDoOnNext(src, failAt13) })
}
