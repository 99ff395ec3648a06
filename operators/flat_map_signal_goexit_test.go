package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// The publisher of the end ends the goroutine that subscribes to it: the stream ends all the same.
func TestFlatMapSignalWhoseLastPublisherEndsTheGoroutine(t *testing.T) {
	last := map[string]reactor.Publisher[int]{
		"completed": DoOnRequest(Hide(Range(1, 2)), func(int64) { runtime.Goexit() }),
		"failed":    Hide(FromSeq(func(yield func(int) bool) { yield(1); runtime.Goexit() })),
	}
	for name, p := range last {
		t.Run(name, func(t *testing.T) {
			ctx, _ := probe.Recorded()
			down := &probe.Probe[int]{Initial: reactor.Unbounded}
			racetest.Aside(func() {
				FlatMapSignal(Hide(Empty[int]()), func(int) reactor.Publisher[int] { return nil }, nil,
					func() reactor.Publisher[int] { return p }).Subscribe(ctx, down)
			})
			assert.True(t, down.Over(), "it waits for ever")
		})
	}
}

// Nothing is lost of the error for which there is no publisher.
func TestFlatMapSignalWhoseFunctionForTheErrorFails(t *testing.T) {
	p := run(FlatMapSignal(Error[int](errOther), func(v int) stream { return Just(v) }, func(error) stream { panic(errBoom) }, nil))
	p.Failed(t, errBoom)
	p.Failed(t, errOther)
}
