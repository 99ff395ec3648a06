package operators_test

import (
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestVerbatim(t *testing.T) {
	m := reactortest.NewMarbles(t)
	values := reactortest.Values[bool]{'f': false}
	equal := func(opts ...operators.SequenceEqualOption) reactor.Publisher[bool] {
		return operators.SequenceEqual[string](m.Cold("a|"), m.Cold("ab---|"), opts...)
	}
	m.ExpectMarbles(equal(), "-(f|)", values)
	m.ExpectMarbles(equal(operators.Verbatim()), "-----(f|)", values)
	m.Run()
}
