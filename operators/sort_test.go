package operators_test

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestSort(t *testing.T) {
	m := reactortest.NewMarbles(t)
	m.ExpectMarbles(operators.Sort[string](m.Cold("c-a-b|"), cmp.Compare[string]), "-----(abc|)")
	m.ExpectMarbles(operators.Sort[string](m.Cold("c-a-#"), cmp.Compare[string]), "----#")
	m.Run()

	s := between(func(src ints) ints { return operators.Sort(src, cmp.Compare[int]) })
	s.down.Request(1)
	assert.Equal(t, reactor.Unbounded, s.requested)
	s.up.OnNext(2)
	s.up.OnNext(1)
	s.up.OnComplete()
	assert.Equal(t, []any{1}, s.out, "as many as were requested")
	s.down.Cancel()
	assert.Equal(t, []any{2}, s.discarded)
}
