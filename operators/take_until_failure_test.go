package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// The predicate is asked when its element has been delivered: whoever has got it owns it, and it is not discarded too.
func TestTakeUntilThatFailsDiscardsNothing(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic(errBoom) }, "goexit": runtime.Goexit} {
		for _, src := range []stream{Range(1, 3), Hide(Range(1, 3))} {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](reactor.Unbounded)
			cancels := 0
			racetest.Aside(func() {
				TakeUntil(DoOnCancel(src, func() { cancels++ }), func(v int) bool {
					if v == 2 {
						fail()
					}
					return false
				}).Subscribe(ctx, p)
			})
			assert.Equal(t, []int{1, 2}, p.Got(), name)
			assert.True(t, p.Over(), name)
			assert.ErrorContains(t, p.Failure(), "takeUntil", name)
			assert.Equal(t, 1, cancels, name)
			assert.Empty(t, hooks.Discarded, name)
			assert.Empty(t, hooks.Errs, name)
		}
	}
}
