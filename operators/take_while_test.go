package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestTakeWhile(t *testing.T) {
	noX := func(v string) bool { return v != "x" }
	play(t,
		diagram{"it ends before the first that does not match", "-a-b-x-c-|", "-a-b-|", func(src strs) strs { return operators.TakeWhile(src, noX) }},
		diagram{"it ends with the source", "-a-b-|", "-a-b-|", func(src strs) strs { return operators.TakeWhile(src, noX) }},
		diagram{"an error ends it", "-a-#", "-a-#", func(src strs) strs { return operators.TakeWhile(src, noX) }},
	)
	t.Run("what ends it is discarded, and nothing more is taken", func(t *testing.T) {
		s := between(func(src ints) ints { return operators.TakeWhile(src, func(v int) bool { return v < 3 }) })
		s.down.Request(9)
		for v := range 5 {
			s.up.OnNext(v)
		}
		assert.Equal(t, []any{0, 1, 2}, s.out)
		assert.Equal(t, []any{3}, s.discarded)
		assert.Equal(t, []any{4}, s.dropped)
		assert.Equal(t, 1, s.cancelled)
		assert.EqualValues(t, 9, s.requested)
		assert.True(t, s.completed)
	})
}
