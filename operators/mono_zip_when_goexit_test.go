package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A function that panics behind a Goexit, which goes by already and was told: the element that is held is nobody else's.
func TestMonoZipWhenFailsBehindAGoexit(t *testing.T) {
	ctx, hooks := probe.Recorded()
	other := Next(DoOnCancel(Hide(Range(2, 2)), runtime.Goexit))
	p := &probe.Probe[int]{Initial: reactor.Unbounded}
	racetest.Aside(func() {
		MonoZipWhen(Hide(Just(1)), func(int) reactor.Publisher[int] { return other }, func(int, int) int { panic("broken") }).Subscribe(ctx, p)
	})
	assert.ErrorContains(t, p.Failure(), "broken")
	assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
}
