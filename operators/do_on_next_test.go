package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestDoOnNext(t *testing.T) {
	play(t, diagram{"elements stay what they are", "-a-b-#", "-a-b-#", func(src strs) strs { return operators.DoOnNext(src, func(string) {}) }})
	oneForOne(t, func(src ints) ints {
		return operators.DoOnNext(operators.Map(src, func(v int) int { return 10 * v }), func(int) {})
	})
	continuing(t, func(src ints) ints { return operators.DoOnNext(src, panicAt13) })
	t.Run("the function is called before downstream", func(t *testing.T) {
		var order []string
		s := between(func(src ints) ints {
			after := func(int) { order = append(order, "second") }
			return operators.DoOnNext(operators.DoOnNext(src, func(int) { order = append(order, "first") }), after)
		})
		s.down.Request(1)
		s.up.OnNext(1)
		assert.Equal(t, []string{"first", "second"}, order)
	})
}
