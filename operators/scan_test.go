package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestScanByMarbles(t *testing.T) {
	latest := func(acc, v string) string { return max(acc, v) }
	play(t,
		diagram{"the first as it is, then what has been accumulated", "-a-c-b-|", "-a-c-c-|", func(src strs) strs { return operators.Scan(src, latest) }},
		diagram{"an error ends it", "-a-#", "-a-#", func(src strs) strs { return operators.Scan(src, latest) }},
	)
	// 1, 2, 3 become 10, 20, 30: what was emitted before does not matter here.
	oneForOne(t, func(src ints) ints {
		return operators.Scan(operators.Map(src, func(v int) int { return 10 * v }), func(_, v int) int { return v })
	})
	t.Run("it adds up", func(t *testing.T) {
		s := between(func(src ints) ints { return operators.Scan(src, add) })
		s.down.Request(3)
		s.up.OnNext(1)
		s.up.OnNext(2)
		s.up.OnNext(3)
		assert.Equal(t, []any{1, 3, 6}, s.out)
	})
}
