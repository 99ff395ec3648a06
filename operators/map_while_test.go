package operators_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/marbles"
)

func TestMapWhile(t *testing.T) {
	upper := func(v string) (string, bool) { return strings.ToUpper(v), v != "x" }
	play(t,
		diagram{"it ends before the first without a result", "-a-b-x-c-|", "-A-B-|", func(src strs) strs { return operators.MapWhile(src, upper) }},
		diagram{"it ends with the source", "-a-b-|", "-A-B-|", func(src strs) strs { return operators.MapWhile(src, upper) }},
		diagram{"an error ends it", "-a-#", "-A-#", func(src strs) strs { return operators.MapWhile(src, upper) }},
	)
	t.Run("what ends it is discarded, and nothing more is taken", func(t *testing.T) {
		s := between(func(src ints) ints {
			return operators.MapWhile(src, func(v int) (int, bool) { return 10 * v, v < 3 })
		})
		s.down.Request(9)
		for v := range 5 {
			s.up.OnNext(v)
		}
		assert.Equal(t, []any{0, 10, 20}, s.out)
		assert.Equal(t, []any{3}, s.discarded)
		assert.Equal(t, []any{4}, s.dropped)
		assert.Equal(t, 1, s.cancelled)
		assert.EqualValues(t, 9, s.requested)
		assert.True(t, s.completed)
	})
	marbles.Play(t, "Flux.MapWhile", marbles.OnInts(func(f flux.Flux[int]) flux.Flux[int] {
		return f.MapWhile(func(n int) (int, bool) { return 10 * n, n < 3 })
	}))
}
