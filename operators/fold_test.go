package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestFold(t *testing.T) {
	m := reactortest.NewMarbles(t)
	join := func(src strs) strs {
		return operators.Map(operators.Fold(src, func() string { return "" }, func(all, v string) string { return all + v }), func(all string) string {
			if all == "abc" {
				return "x"
			}
			return "e"
		})
	}
	m.ExpectMarbles(join(m.Cold("a-b-c|")), "-----(x|)")
	m.ExpectMarbles(join(m.Cold("--|")), "--(e|)")
	m.ExpectMarbles(join(m.Cold("a-#")), "--#")
	m.Run()
}

func TestFoldFunctionPanics(t *testing.T) {
	s := between(func(src ints) ints {
		return operators.Fold(src, func() int { return 0 }, func(all, v int) int { panicAt13(v); return all + v })
	})
	s.down.Request(1)
	s.up.OnNext(13)
	var p *reactor.PanicError
	assert.ErrorAs(t, s.err, &p)
	assert.Equal(t, 1, s.cancelled)
}

// Whoever panics with the accumulator of a stream that was cancelled meanwhile gives it back to be discarded.
func TestFoldFunctionPanicsBehindACancellation(t *testing.T) {
	var s *stepwise[int]
	s = between(func(src ints) ints {
		return operators.Fold(src, func() int { return 0 }, func(all, v int) int {
			if v == 13 {
				s.down.Cancel()
				assert.Empty(t, s.discarded, "it is the function's")
				panic("no")
			}
			return all + v
		})
	})
	s.down.Request(1)
	s.up.OnNext(5)
	s.up.OnNext(13)
	assert.Contains(t, s.discarded, 5)
	assert.Len(t, s.droppedErrs, 1)
}
