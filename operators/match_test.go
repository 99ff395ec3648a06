package operators_test

import (
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestAllMatch(t *testing.T) {
	matching(t, operators.AllMatch[string], "a-b-c|", "----(f|)", "a-b-|", "----(t|)", "--|", "--(t|)")
}

func TestAnyMatch(t *testing.T) {
	matching(t, operators.AnyMatch[string], "c-a-|", "--(t|)", "c-c-|", "----(f|)", "--|", "--(f|)")
}

// matching plays pairs of a source and an answer, for what is not c.
func matching(t *testing.T, use func(strs, func(string) bool) reactor.Publisher[bool], pairs ...string) {
	t.Helper()
	m := reactortest.NewMarbles(t)
	values := reactortest.Values[bool]{'t': true, 'f': false}
	notC := func(v string) bool { return v != "c" }
	for i := 0; i < len(pairs); i += 2 {
		m.ExpectMarbles(use(m.Cold(pairs[i]), notC), pairs[i+1], values)
	}
	m.ExpectMarbles(use(m.Cold("--#"), notC), "--#", values)
	m.Run()
}

func TestHasElements(t *testing.T) {
	m := reactortest.NewMarbles(t)
	values := reactortest.Values[bool]{'t': true, 'f': false}
	src := m.Cold("--a-b-|")
	m.ExpectMarbles(operators.HasElements(src), "--(t|)", values)
	m.ExpectSubscriptions(src, "^-!")
	m.ExpectMarbles(operators.HasElements(m.Cold("--|")), "--(f|)", values)
	m.ExpectMarbles(operators.HasElements(m.Cold("--#")), "--#", values)
	m.Run()
}
