package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestZipWithSlice(t *testing.T) {
	second := func(_, item string) string { return item }
	play(t,
		diagram{"it ends with the last item", "-a-b-c-|", "-1-(2|)", func(src strs) strs {
			return operators.ZipWithSlice(src, []string{"1", "2"}, second)
		}},
		diagram{"it ends with the source", "-a-|", "-1-|", func(src strs) strs {
			return operators.ZipWithSlice(src, []string{"1", "2"}, second)
		}},
	)
	oneForOne(t, func(src ints) ints {
		return operators.ZipWithSlice(src, []int{10, 20, 30, 40}, func(_, item int) int { return item })
	})
	t.Run("the last item cancels", func(t *testing.T) {
		s := between(func(src ints) ints { return operators.ZipWithSlice(src, []int{1}, add) })
		s.down.Request(2)
		s.up.OnNext(1)
		assert.True(t, s.completed)
		assert.Equal(t, 1, s.cancelled)
		s.up.OnNext(2)
		assert.Equal(t, []any{2}, s.dropped)
	})
}
