package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestThenMany(t *testing.T) {
	m := reactortest.NewMarbles(t)
	src, other := m.Cold("a-b-|"), m.Cold("-x-y|")
	m.ExpectMarbles(operators.ThenMany[string, string](src, other), "-----x-y|")
	m.ExpectSubscriptions(src, "^---!")
	m.ExpectSubscriptions(other, "----^---!")
	failing, unused := m.Cold("a-#"), m.Cold("x|")
	m.ExpectMarbles(operators.ThenMany[string, string](failing, unused), "--#")
	m.ExpectSubscriptions(unused)
	m.Run()

	s := between(func(src ints) ints { return operators.ThenMany(src, operators.Range(5, 3)) })
	assert.Equal(t, reactor.Unbounded, s.requested, "its elements are not wanted")
	s.up.OnNext(1)
	assert.Equal(t, []any{1}, s.discarded)
	s.down.Request(2)
	s.up.OnComplete()
	assert.Equal(t, []any{5, 6}, s.out)
}
