package operators_test

import (
	"testing"

	"github.com/goreactor/reactor/operators"
)

func TestMapOptional(t *testing.T) {
	next := func(v string) (string, bool) { return string(v[0] + 1), v != "x" }
	play(t, diagram{"what has a result is mapped", "-a-x-b-|", "-b---c-|", func(src strs) strs { return operators.MapOptional(src, next) }})
	leavingOut(t, false, func(src ints) ints {
		return operators.MapOptional(src, func(v int) (int, bool) { return v, v%2 == 0 })
	})
	continuing(t, func(src ints) ints {
		return operators.MapOptional(src, func(v int) (int, bool) { panicAt13(v); return v, true })
	})
}
