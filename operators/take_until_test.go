package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestTakeUntil(t *testing.T) {
	isX := func(v string) bool { return v == "x" }
	play(t,
		diagram{"it ends with the one that matches", "-a-x-b-|", "-a-(x|)", func(src strs) strs { return operators.TakeUntil(src, isX) }},
		diagram{"it ends with the source", "-a-b-|", "-a-b-|", func(src strs) strs { return operators.TakeUntil(src, isX) }},
	)
	t.Run("the source is cancelled once the last one has gone down", func(t *testing.T) {
		s := between(func(src ints) ints { return operators.TakeUntil(src, func(v int) bool { return v == 2 }) })
		s.down.Request(9)
		for v := range 4 {
			s.up.OnNext(v)
		}
		assert.Equal(t, []any{0, 1, 2}, s.out)
		assert.Equal(t, []any{3}, s.dropped)
		assert.Empty(t, s.discarded)
		assert.Equal(t, 1, s.cancelled)
		assert.True(t, s.completed)
	})
}
