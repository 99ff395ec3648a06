package operators_test

import (
	"testing"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestTryMap(t *testing.T) {
	noX := func(v string) (string, error) {
		if v == "x" {
			return "", reactortest.ErrMarble
		}
		return v + v, nil
	}
	play(t,
		diagram{"the first error ends it", "-1-2-x-3-|", "-1-2-#", func(src strs) strs {
			return operators.TryMap(src, func(v string) (string, error) { _, err := noX(v); return v, err })
		}},
		diagram{"without errors it is map", "-a-b-|", "-b-c-|", func(src strs) strs {
			return operators.TryMap(src, func(v string) (string, error) { return string(v[0] + 1), nil })
		}},
	)
	oneForOne(t, func(src ints) ints { return operators.TryMap(src, func(v int) (int, error) { return 10 * v, nil }) })
	failingAt13(t, func(src ints) ints { return operators.TryMap(src, func(v int) (int, error) { return v, failAt13(v) }) })
}
