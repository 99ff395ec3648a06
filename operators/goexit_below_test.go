package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// An element fails downstream, and what hears of the cancellation that this is ends the goroutine: downstream gets the error.
func TestGoexitInTheCancellationOfAFailure(t *testing.T) {
	exiting := func(src stream) stream { return DoOnCancel(src, runtime.Goexit) }
	for name, op := range map[string]func(src stream) stream{
		"doOnCancel": exiting,
		"doFinally":  func(src stream) stream { return DoFinally(src, func(reactor.SignalKind) { runtime.Goexit() }) },
		"flatMapSequential": func(src stream) stream {
			return FlatMapSequential(exiting(Concat(Just(1), Never[int]())), func(int) stream { return src })
		},
		"flatMap": func(src stream) stream {
			return FlatMap(exiting(Concat(Just(1), Never[int]())), func(int) stream { return src })
		},
		"merge": func(src stream) stream { return Merge(exiting(Never[int]()), src) },
		"rails": func(src stream) stream {
			rails := 0
			return ParallelSequential(ParallelRails(Parallel(Never[int](), 2), func(stream) stream {
				if rails++; rails == 2 { // the first call is that of the assembly
					return src
				}
				return exiting(Never[int]())
			}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, _ := probe.Recorded()
			src := &puppet[int]{}
			p := runWith(ctx, Map(op(guardedSource(src)), func(int) int { panic(errBoom) }))
			racetest.Aside(func() { src.last().OnNext(1) })
			assert.True(t, p.Over(), "the subscriber waits for ever")
			assert.ErrorIs(t, p.Failure(), errBoom)
		})
	}
}
