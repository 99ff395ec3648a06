package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestSkipWhile(t *testing.T) {
	isX := func(v string) bool { return v == "x" }
	play(t,
		diagram{"skipWhile asks until the first that does not match", "-x-a-x-|", "---a-x-|", func(src strs) strs { return operators.SkipWhile(src, isX) }},
		diagram{"skipUntil begins with the one that matches", "-a-x-b-|", "---x-b-|", func(src strs) strs { return operators.SkipUntil(src, isX) }},
	)
	leavingOut(t, true, func(src ints) ints { return operators.SkipWhile(src, func(v int) bool { return v%2 == 1 }) })
	t.Run("the function is not called any more", func(t *testing.T) {
		calls := 0
		s := between(func(src ints) ints { return operators.SkipWhile(src, func(int) bool { calls++; return false }) })
		s.down.Request(3)
		s.up.OnNext(1)
		s.up.OnNext(2)
		assert.Equal(t, 1, calls)
	})
}

func TestSkipUntil(t *testing.T) {
	isB := func(v string) bool { return v == "b" }
	play(t,
		diagram{"from the first on", "a-b-a-b|", "--b-a-b|", func(s strs) strs { return operators.SkipUntil(s, isB) }},
		diagram{"there is none", "a-a|", "---|", func(s strs) strs { return operators.SkipUntil(s, isB) }},
	)
}
