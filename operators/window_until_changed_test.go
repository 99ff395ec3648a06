package operators_test

import (
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

// cut plays a source in windows, of which each begins with a bar.
func cut(t *testing.T, src, out string, use func(strs, func(strs) strs) reactor.Publisher[strs]) {
	t.Helper()
	m := reactortest.NewMarbles(t)
	windows := use(m.Cold(src), func(w strs) strs { return operators.StartWith(w, operators.Just("/")) })
	m.ExpectMarbles(operators.FlatMap(windows, itself[strs]), out)
	m.Run()
}

func TestWindowUntilChanged(t *testing.T) {
	use := func(s strs, window func(strs) strs) reactor.Publisher[strs] {
		return operators.WindowUntilChanged(s, itself, window)
	}
	cut(t, "a---a--b---a---|", "(/a)a--(/b)(/a)|", use)
	cut(t, "a---#", "(/a)#", use)
	cut(t, "--|", "--|", use)
}

func TestWindowUntilChangedFunc(t *testing.T) {
	cut(t, "a---b---c-----|", "(/a)b---(/c)--|", func(s strs, window func(strs) strs) reactor.Publisher[strs] {
		return operators.WindowUntilChangedFunc(s, itself, func(a, b string) bool { return b != "c" }, window)
	})
}
