package operators_test

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func ExampleVerbatim() {
	never := operators.Never[int]()
	oneAndOn := operators.Concat(operators.Just(1), never)
	asIs := func(w reactor.Publisher[int]) reactor.Publisher[int] { return w }
	cancelled := func(opts ...operators.WindowWhenOption) (done bool) {
		src := operators.DoOnCancel(oneAndOn, func() { done = true })
		closing := func(int) reactor.Publisher[int] { return never }
		windows := operators.WindowWhen(src, oneAndOn, closing, asIs, opts...)
		first := operators.Take(operators.FlatMap(windows, asIs), 1)
		_ = operators.ForEach(context.Background(), first, func(int) {})
		return done
	}
	fmt.Println(cancelled(), cancelled(operators.Verbatim()))
	// Output: true false
}
