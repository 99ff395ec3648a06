package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// What hears of the cancellation ends the goroutine: what the stage holds is discarded all the same.
func TestGoexitInACancellationByDownstream(t *testing.T) {
	for name, op := range map[string]func(src stream) stream{
		"reduce":    func(src stream) stream { return Reduce(src, func(a, b int) int { return a + b }) },
		"tryReduce": func(src stream) stream { return TryReduce(src, func(a, b int) (int, error) { return a + b, nil }) },
		"thenMono":  func(src stream) stream { return ThenMono(Empty[int](), src) },
		"rail":      func(src stream) stream { return theRail(Parallel(src, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			demand := int64(1)
			if name == "thenMono" || name == "rail" { // which do not wait for the end
				demand = 0
			}
			p := probeOf[int](demand)
			op(DoOnCancel(Concat(Hide(Just(7)), Never[int]()), runtime.Goexit)).Subscribe(ctx, p)
			racetest.Aside(p.Cancel)
			p.Open(t)
			assert.Equal(t, []any{7}, hooks.Discarded)
		})
	}
}

// theRail is the only rail of src.
func theRail(src ParallelPublisher[int]) stream {
	return FlatMap(ParallelGroups(src, func(_ int, rail reactor.Publisher[int]) stream { return rail }), func(rail stream) stream { return rail })
}

// The error that a signal stands for comes although what hears of the cancellation ends the goroutine.
func TestDematerializeGoexitInTheCancellation(t *testing.T) {
	src := DoOnCancel(Concat(Hide(Just(reactor.ErrorSignal[int](errBoom))), Never[reactor.Signal[int]]()), runtime.Goexit)
	p := probeOf[int](1)
	racetest.Aside(func() { Dematerialize(src).Subscribe(t.Context(), p) })
	p.Failed(t, errBoom)
}

// One of those who share the source ends the goroutine: the others have the outcome.
func TestMonoPublishGoexitOfOneSubscriber(t *testing.T) {
	src, p := &puppet[int]{}, probeOf[int](reactor.Unbounded)
	MonoPublish(reactor.Publisher[int](src), func(shared stream) stream {
		dies := Map(shared, func(int) int { runtime.Goexit(); return 0 })
		return MergeSlice([]stream{dies, shared}, DelayErrors())
	}).Subscribe(t.Context(), p)
	racetest.Aside(func() { src.last().OnNext(1) })
	p.Failed(t, reactor.ErrGoexit, 1)
}
