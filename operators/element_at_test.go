package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestElementAt(t *testing.T) {
	second := func(s strs) strs { return operators.ElementAt(s, 1) }
	play(t,
		diagram{"it is there", "a--b--c|", "---(b|)", second},
		diagram{"an error before it", "a--#", "---#", second},
	)
	_, err := operators.Block(t.Context(), operators.ElementAt(operators.JustAll("a"), 1))
	assert.ErrorIs(t, err, reactor.ErrIndexOutOfRange)

	s := between(func(src ints) ints { return operators.ElementAt(src, 1) })
	s.down.Request(1)
	s.up.OnNext(1)
	s.up.OnNext(2)
	assert.Equal(t, []any{2}, s.out)
	assert.Equal(t, []any{1}, s.discarded)
	assert.Equal(t, 1, s.cancelled, "no more is needed")
}

func TestElementAtOr(t *testing.T) {
	second := func(s strs) strs { return operators.ElementAtOr(s, 1, "z") }
	play(t,
		diagram{"it is there", "a--b--c|", "---(b|)", second},
		diagram{"it is not", "a--|", "---(z|)", second},
		diagram{"an error", "a--#", "---#", second},
	)
}
