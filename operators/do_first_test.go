package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestDoFirst(t *testing.T) {
	var order []string
	note := func(what string) func() { return func() { order = append(order, what) } }
	src := operators.DoOnSubscribe(operators.JustAll(1), func(reactor.Subscription) { note("subscribed")() })
	first := operators.DoFirst(operators.DoFirst(src, note("upper")), note("lower"))
	assert.Empty(t, order, "nothing happens before the subscription")
	for range 2 {
		order = nil
		got, err := operators.Collect(t.Context(), first)
		assert.NoError(t, err)
		assert.Equal(t, []int{1}, got)
		assert.Equal(t, []string{"lower", "upper", "subscribed"}, order, "from below upwards")
	}
}

func TestDoFirstFunctionPanics(t *testing.T) {
	src := operators.DoOnSubscribe(operators.JustAll(1), func(reactor.Subscription) { t.Error("subscribed") })
	_, err := operators.Collect(t.Context(), operators.DoFirst(src, func() { panic("no") }))
	var p *reactor.PanicError
	assert.ErrorAs(t, err, &p)
}
