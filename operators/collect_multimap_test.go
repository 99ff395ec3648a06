package operators_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestCollectMultimap(t *testing.T) {
	first := func(s string) byte { return s[0] }
	got, err := operators.Block(t.Context(), operators.CollectMultimap(operators.JustAll("ada", "bob", "ann"), first, strings.ToUpper))
	assert.NoError(t, err)
	assert.Equal(t, map[byte][]string{'a': {"ADA", "ANN"}, 'b': {"BOB"}}, got)
}

// All values of a map that nobody gets are discarded, each by itself.
func TestCollectMultimapDiscards(t *testing.T) {
	assert.ElementsMatch(t, []any{0, 10, 20, 30}, discardedOfFour(func(src ints) reactor.Publisher[map[int][]int] {
		return operators.CollectMultimap(src, lastBit, tenfold)
	}))
}
