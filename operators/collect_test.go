package operators_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestCollectSlice(t *testing.T) {
	m := reactortest.NewMarbles(t)
	all := func(letters string) reactortest.Values[[]string] {
		return reactortest.Values[[]string]{'a': strings.Split(letters, "")}
	}
	m.ExpectMarbles(operators.CollectSlice(m.Cold("a-b-c|")), "-----(a|)", all("abc"))
	m.ExpectMarbles(operators.CollectSlice(m.Cold("a-b-#")), "----#", all("ab"))
	m.ExpectMarbles(operators.CollectSlice(m.Cold("--|")), "--(e|)", reactortest.Values[[]string]{'e': {}})
	m.Run()
}

func TestCollectSorted(t *testing.T) {
	got, err := operators.Block(t.Context(), operators.CollectSorted(operators.JustAll(3, 1, 2), cmp.Compare[int]))
	assert.NoError(t, err)
	assert.Equal(t, []int{1, 2, 3}, got)
}

func TestCollectMap(t *testing.T) {
	first := func(s string) byte { return s[0] }
	got, err := operators.Block(t.Context(), operators.CollectMap(operators.JustAll("ada", "bob", "ann"), first, strings.ToUpper))
	assert.NoError(t, err)
	assert.Equal(t, map[byte]string{'a': "ANN", 'b': "BOB"}, got, "the last one of a key")
}

func TestCollectMultimap(t *testing.T) {
	first := func(s string) byte { return s[0] }
	got, err := operators.Block(t.Context(), operators.CollectMultimap(operators.JustAll("ada", "bob", "ann"), first, strings.ToUpper))
	assert.NoError(t, err)
	assert.Equal(t, map[byte][]string{'a': {"ADA", "ANN"}, 'b': {"BOB"}}, got)
}

// What was collected is given up if it will not be delivered.
func TestCollectSliceDiscards(t *testing.T) {
	s := between(operators.CollectSlice[int])
	s.down.Request(1)
	assert.Equal(t, reactor.Unbounded, s.requested)
	s.up.OnNext(1)
	s.up.OnNext(2)
	s.up.OnError(errFailed)
	assert.Equal(t, errFailed, s.err)
	assert.Equal(t, []any{1, 2}, s.discarded)
}
