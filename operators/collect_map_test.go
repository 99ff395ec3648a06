package operators_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestCollectMap(t *testing.T) {
	first := func(s string) byte { return s[0] }
	got, err := operators.Block(t.Context(), operators.CollectMap(operators.JustAll("ada", "bob", "ann"), first, strings.ToUpper))
	assert.NoError(t, err)
	assert.Equal(t, map[byte]string{'a': "ANN", 'b': "BOB"}, got, "the last one of a key")
}

// The values of a map that nobody gets are discarded, each by itself.
func TestCollectMapDiscards(t *testing.T) {
	assert.ElementsMatch(t, []any{20, 30}, discardedOfFour(func(src ints) reactor.Publisher[map[int]int] {
		return operators.CollectMap(src, lastBit, tenfold)
	}))
}

// discardedOfFour returns what is discarded if op is cancelled when it has got 0, 1, 2 and 3.
func discardedOfFour[R any](op func(src ints) reactor.Publisher[R]) []any {
	s := between(op)
	s.down.Request(1)
	for v := range 4 {
		s.up.OnNext(v)
	}
	s.down.Cancel()
	return s.discarded
}

func lastBit(v int) int { return v & 1 }

func tenfold(v int) int { return 10 * v }
