package operators

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// A function that fails ends the stream of rails: what it has made of rails before is discarded, and whoever has subscribed to one of them
// gets the elements.
func TestParallelGroupsWhoseFunctionFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[string](reactor.Unbounded)
	early := probeOf[int](reactor.Unbounded)
	ParallelGroups(Parallel(Range(0, 3), 3), func(rail int, src reactor.Publisher[int]) string {
		switch rail {
		case 0:
			src.Subscribe(ctx, early)
		case 2:
			panic(errBoom)
		}
		return "rail"
	}).Subscribe(ctx, p)
	p.Failed(t, errBoom)
	require.Equal(t, []any{"rail", "rail"}, hooks.Discarded)
	early.Done(t, 0, 1, 2)
}
