package operators_test

import (
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestWindowWhile(t *testing.T) {
	notX := func(v string) bool { return v != "x" }
	use := func(s strs, window func(strs) strs) reactor.Publisher[strs] {
		return operators.WindowWhile(s, notX, window)
	}
	cut(t, "a---b-x-c---|", "(/a)b---(/c)|", use)
	cut(t, "a---#", "(/a)#", use)
}
