package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestCount(t *testing.T) {
	m := reactortest.NewMarbles(t)
	values := reactortest.Values[int]{'0': 0, '3': 3}
	m.ExpectMarbles(operators.Count(m.Cold("a-b-c|")), "-----(3|)", values)
	m.ExpectMarbles(operators.Count(m.Cold("--|")), "--(0|)", values)
	m.ExpectMarbles(operators.Count(m.Cold("a-#")), "--#", values)
	m.Run()

	s := between(operators.Count[int])
	s.down.Request(1)
	s.up.OnNext(7)
	assert.Equal(t, []any{7}, s.discarded, "nobody gets them")
}
