package operators_test

import (
	"testing"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestSingleOptional(t *testing.T) {
	m := reactortest.NewMarbles(t)
	use := func(src strs) strs {
		return operators.SingleOptional(src, func(v string, ok bool) string {
			if !ok {
				return "n"
			}
			return v
		})
	}
	m.ExpectMarbles(use(m.Cold("--(a|)")), "--(a|)")
	m.ExpectMarbles(use(m.Cold("--|")), "--(n|)")
	m.ExpectMarbles(use(m.Cold("--#")), "--#")
	m.Run()
}
