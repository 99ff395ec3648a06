package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestTakeLast(t *testing.T) {
	play(t,
		diagram{"two", "a-b-c|", "-----(bc|)", func(s strs) strs { return operators.TakeLast(s, 2) }},
		diagram{"fewer", "a-|", "--(a|)", func(s strs) strs { return operators.TakeLast(s, 2) }},
		diagram{"none", "a-|", "--|", func(s strs) strs { return operators.TakeLast(s, 0) }},
		diagram{"an error", "a-#", "--#", func(s strs) strs { return operators.TakeLast(s, 2) }},
	)
	s := between(func(src ints) ints { return operators.TakeLast(src, 2) })
	s.down.Request(1)
	assert.Equal(t, reactor.Unbounded, s.requested)
	for i := range 3 {
		s.up.OnNext(i)
	}
	assert.Equal(t, []any{0}, s.discarded)
	s.up.OnComplete()
	assert.Equal(t, []any{1}, s.out)
	assert.False(t, s.completed)
	s.down.Request(1)
	assert.Equal(t, []any{1, 2}, s.out)
	assert.True(t, s.completed)
}
