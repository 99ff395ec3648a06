package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// What a function has made of a Goexit ends the stream, also in a stage whose guard the Goexit passes because it has asked for the
// element: the Goexit was dealt with.
func TestGoexitThatWasMapped(t *testing.T) {
	nothing := func(int) reactor.Publisher[int] { return Empty[int]() }
	later := &puppet[int]{}
	for name, op := range map[string]func(src reactor.Publisher[int]) reactor.Publisher[int]{
		"map":        func(src reactor.Publisher[int]) reactor.Publisher[int] { return Map(src, func(v int) int { return v }) },
		"expandDeep": func(src reactor.Publisher[int]) reactor.Publisher[int] { return ExpandDeep(src, nothing) },
		"delayUntil": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return DelayUntil(src, func(int) reactor.Publisher[int] { return later })
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src := OnErrorMap(Hide(FromSeq(func(yield func(int) bool) {
				_ = yield(1)
				runtime.Goexit()
			})), func(error) error { return errBoom })
			p := probeOf[int](reactor.Unbounded)
			racetest.Aside(func() {
				op(src).Subscribe(ctx, p)
				if name == "delayUntil" {
					later.last().OnComplete()
				}
			})
			p.Failed(t, errBoom, 1)
			assert.NotErrorIs(t, p.Failure(), reactor.ErrGoexit)
			assert.Empty(t, hooks.Errs)
		})
	}
}
