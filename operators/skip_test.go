package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestSkip(t *testing.T) {
	play(t,
		diagram{"the first two", "a-b-c-d|", "----c-d|", func(s strs) strs { return operators.Skip(s, 2) }},
		diagram{"none", "a-b|", "a-b|", func(s strs) strs { return operators.Skip(s, 0) }},
		diagram{"more than there are", "a-b|", "---|", func(s strs) strs { return operators.Skip(s, 3) }},
		diagram{"an error", "a-#", "--#", func(s strs) strs { return operators.Skip(s, 2) }},
	)
	s := between(func(src ints) ints { return operators.Skip(src, 2) })
	s.down.Request(3)
	assert.EqualValues(t, 5, s.requested, "also those that are left out")
	s.down.Request(3)
	assert.EqualValues(t, 8, s.requested)
	s.up.OnNext(1)
	assert.Equal(t, []any{1}, s.discarded)
	assert.Panics(t, func() { operators.Skip(s, -1) })
}
