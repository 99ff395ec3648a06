package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestSingle(t *testing.T) {
	m := reactortest.NewMarbles(t)
	m.ExpectMarbles(operators.Single[string](m.Cold("-a-|")), "---(a|)")
	m.ExpectMarbles(operators.Single[string](m.Cold("--#")), "--#")
	m.Run()
	ends(t, operators.Single[int], reactor.ErrNoElements, reactor.ErrTooManyElements)
}

func TestSingleOrDefault(t *testing.T) {
	m := reactortest.NewMarbles(t)
	m.ExpectMarbles(operators.SingleOrDefault[string](m.Cold("-a-|"), "z"), "---(a|)")
	m.ExpectMarbles(operators.SingleOrDefault[string](m.Cold("---|"), "z"), "---(z|)")
	m.Run()
	ends(t, func(src ints) ints { return operators.SingleOrDefault(src, 7) }, nil, reactor.ErrTooManyElements)
}

func TestSingleOrEmpty(t *testing.T) {
	m := reactortest.NewMarbles(t)
	m.ExpectMarbles(operators.SingleOrEmpty[string](m.Cold("-a-|")), "---(a|)")
	m.ExpectMarbles(operators.SingleOrEmpty[string](m.Cold("---|")), "---|")
	m.Run()
	ends(t, operators.SingleOrEmpty[int], nil, reactor.ErrTooManyElements)
}

// ends checks what becomes of no element, and of two.
func ends(t *testing.T, use func(ints) ints, none, two error) {
	t.Helper()
	s := between(use)
	s.down.Request(1)
	s.up.OnComplete()
	assert.ErrorIs(t, s.err, none)
	assert.Equal(t, none == nil, s.completed)

	s = between(use)
	s.down.Request(1)
	s.up.OnNext(1)
	s.up.OnNext(2)
	assert.ErrorIs(t, s.err, two)
	assert.Equal(t, 1, s.cancelled)
	assert.ElementsMatch(t, []any{1, 2}, s.discarded)
	assert.Empty(t, s.out)
}
