package operators_test

import (
	"testing"

	"github.com/goreactor/reactor/operators"
)

func TestMapIndexed(t *testing.T) {
	play(t, diagram{"elements are counted from 0", "-a-b-c-|", "-0-1-2-|", func(src strs) strs {
		return operators.MapIndexed(src, func(i int, _ string) string { return string(rune('0' + i)) })
	}})
	oneForOne(t, func(src ints) ints {
		return operators.MapIndexed(src, func(i int, _ int) int { return 10 * (i + 1) })
	})
}
