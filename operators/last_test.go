package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestLast(t *testing.T) {
	play(t,
		diagram{"the last one", "a-b-c|", "-----(c|)", func(s strs) strs { return operators.Last(s) }},
		diagram{"an error", "a-#", "--#", func(s strs) strs { return operators.Last(s) }},
	)
	_, err := operators.Block(t.Context(), operators.Last(operators.Empty[int]()))
	assert.ErrorIs(t, err, reactor.ErrNoElements)

	s := between(operators.Last[int])
	s.down.Request(1)
	s.up.OnNext(1)
	s.up.OnNext(2)
	assert.Equal(t, []any{1}, s.discarded)
	s.down.Cancel()
	assert.Equal(t, []any{1, 2}, s.discarded)
}

func TestLastOr(t *testing.T) {
	use := func(s strs) strs { return operators.LastOr(s, "z") }
	play(t,
		diagram{"the last one", "a-b-c|", "-----(c|)", use},
		diagram{"none", "---|", "---(z|)", use},
		diagram{"an error", "---#", "---#", use},
	)
}
