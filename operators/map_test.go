package operators_test

import (
	"strings"
	"testing"

	"github.com/goreactor/reactor/operators"
)

func TestMap(t *testing.T) {
	play(t,
		diagram{"each element has a result", "-a-b-c-|", "-A-B-C-|", func(src strs) strs { return operators.Map(src, strings.ToUpper) }},
		diagram{"nothing of nothing", "---|", "---|", func(src strs) strs { return operators.Map(src, strings.ToUpper) }},
		diagram{"an error ends it", "-a-#", "-A-#", func(src strs) strs { return operators.Map(src, strings.ToUpper) }},
	)
	oneForOne(t, func(src ints) ints { return operators.Map(src, func(v int) int { return 10 * v }) })
	continuing(t, func(src ints) ints { return operators.Map(src, func(v int) int { panicAt13(v); return v }) })
}
