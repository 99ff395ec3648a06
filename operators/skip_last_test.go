package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestSkipLast(t *testing.T) {
	play(t,
		diagram{"the last two", "a-b-c-d|", "----a-b|", func(s strs) strs { return operators.SkipLast(s, 2) }},
		diagram{"none", "a-b|", "a-b|", func(s strs) strs { return operators.SkipLast(s, 0) }},
		diagram{"an error", "a-b-c#", "----a#", func(s strs) strs { return operators.SkipLast(s, 2) }},
	)
	s := between(func(src ints) ints { return operators.SkipLast(src, 2) })
	s.down.Request(1)
	assert.EqualValues(t, 3, s.requested)
	for i := range 3 {
		s.up.OnNext(i)
	}
	assert.Equal(t, []any{0}, s.out)
	s.up.OnComplete()
	assert.Equal(t, []any{1, 2}, s.discarded)
}
