package operators_test

import (
	"testing"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestMerge(t *testing.T) {
	m := reactortest.NewMarbles(t)
	m.ExpectMarbles(operators.Merge[string](m.Cold("a---c--|"), m.Cold("--b-|")), "a-b-c--|")
	failing, other := m.Cold("a--#"), m.Cold("-b----c|")
	m.ExpectMarbles(operators.Merge[string](failing, other), "ab-#")
	m.ExpectSubscriptions(other, "^--!")
	m.Run()
}

func TestMergeSlice(t *testing.T) {
	m := reactortest.NewMarbles(t)
	m.ExpectMarbles(operators.MergeSlice([]strs{m.Cold("a--#"), m.Cold("-b----c|")}, operators.DelayErrors()), "ab----c#")
	m.ExpectMarbles(operators.MergeSlice[string](nil), "|")
	m.Run()
}

func TestMergeWith(t *testing.T) {
	m := reactortest.NewMarbles(t)
	m.ExpectMarbles(operators.MergeWith[string](m.Cold("a---c--|"), m.Cold("--b-|"), m.Cold("-x|")), "axb-c--|")
	m.Run()
}

func TestMergeAll(t *testing.T) {
	m := reactortest.NewMarbles(t)
	src := m.ColdOf("a--b-|", reactortest.Values[strs]{'a': m.Cold("1--2---3|"), 'b': m.Cold("-4-|")})
	m.ExpectMarbles(operators.MergeAll[string](src), "1--24--3|")
	m.Run()
}
