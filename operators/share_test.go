package operators_test

import (
	"testing"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestShare(t *testing.T) {
	m := reactortest.NewMarbles(t)
	src := m.Cold("a-b-c-|")
	shared := operators.Share[string](src)
	m.ExpectMarblesDuring(shared, "^---!", "a-b--")
	m.ExpectMarblesDuring(shared, "-^----", "--b-c-|")
	m.ExpectSubscriptions(src, "^-----!")
	m.Run()
}

// The last one to go cancels the source; who comes after that begins anew.
func TestShareIsLeftByAll(t *testing.T) {
	m := reactortest.NewMarbles(t)
	src := m.Cold("a-b-c-|")
	shared := operators.Share[string](src)
	m.ExpectMarblesDuring(shared, "^-!", "a--")
	m.ExpectMarblesDuring(shared, "---^-----", "---a-b-c-|")
	m.ExpectSubscriptions(src, "^-!", "---^-----!")
	m.Run()
}
