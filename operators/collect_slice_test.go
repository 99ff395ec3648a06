package operators_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// The first element makes room for a few, unless elements are so large that the room would be wasted.
func TestCollectSliceMakesRoomForAFew(t *testing.T) {
	small, err := operators.Block(t.Context(), operators.CollectSlice(operators.Range(0, 2)))
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1}, small)
	assert.Equal(t, 8, cap(small))
	large, err := operators.Collect(t.Context(), operators.Just([32 << 10]byte{}))
	require.NoError(t, err)
	assert.Equal(t, 1, cap(large))
	none, err := operators.Block(t.Context(), operators.CollectSlice(operators.Empty[int]()))
	require.NoError(t, err)
	assert.Zero(t, cap(none), "which costs nothing")
}
