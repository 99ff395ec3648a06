package operators_test

import (
	"testing"

	"github.com/goreactor/reactor/operators"
)

func TestFilter(t *testing.T) {
	digit := func(v string) bool { return v >= "0" && v <= "9" }
	play(t,
		diagram{"some pass", "-1-a-2-b-|", "-1---2---|", func(src strs) strs { return operators.Filter(src, digit) }},
		diagram{"none passes", "-a-b-|", "-----|", func(src strs) strs { return operators.Filter(src, digit) }},
		diagram{"an error ends it", "-a-1-#", "---1-#", func(src strs) strs { return operators.Filter(src, digit) }},
	)
	leavingOut(t, true, func(src ints) ints { return operators.Filter(src, func(v int) bool { return v%2 == 0 }) })
	continuing(t, func(src ints) ints { return operators.Filter(src, func(v int) bool { panicAt13(v); return true }) })
}
