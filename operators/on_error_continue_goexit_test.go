package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A function of OnErrorContinue that ends the goroutine when it is told of the failure of a publisher ends the stream, as one that
// panics does.
func TestOnErrorContinueOfPublishersEndsWithGoexit(t *testing.T) {
	other, none := Never[int](), func(int, int) int { return 0 }
	for name, use := range map[string]func(src, inner stream) stream{
		"flatMap":           func(src, inner stream) stream { return FlatMap(src, func(int) stream { return inner }) },
		"concatMap":         func(src, inner stream) stream { return ConcatMap(src, func(int) stream { return inner }) },
		"flatMapSequential": func(src, inner stream) stream { return FlatMapSequential(src, func(int) stream { return inner }) },
		"merge":             func(_, inner stream) stream { return Merge(inner, other) },
		"mergeComparing":    func(_, inner stream) stream { return MergeComparing(none, []stream{inner, other}) },
	} {
		t.Run(name, func(t *testing.T) {
			src, inner := &puppet[int]{}, &puppet[int]{}
			p := run(OnErrorContinue(use(src, inner), func(error, any) { runtime.Goexit() }))
			if src.count() > 0 {
				src.last().OnNext(1)
			}
			racetest.Aside(func() { inner.last().OnError(errBoom) })
			p.Failed(t, reactor.ErrGoexit)
			assert.ErrorIs(t, p.Failure(), errBoom)
		})
	}
}

// The same for publishers that are called and not subscribed to, and for the function that makes them.
func TestOnErrorContinueOfCallsEndsWithGoexit(t *testing.T) {
	fails := func(int) stream { return Error[int](errBoom) }
	for name, use := range map[string]func(src stream) stream{
		"concatMap":             func(src stream) stream { return ConcatMap(src, fails) },
		"concatMap, a function": func(src stream) stream { return ConcatMap(src, func(int) stream { panic(errBoom) }) },
		"merge":                 func(src stream) stream { return Merge(Error[int](errBoom), src) },
		"flatMapSignal": func(src stream) stream {
			return FlatMapSignal(src, func(int) stream { return Empty[int]() }, nil, func() stream { return fails(0) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, src := probeOf[int](9), &puppet[int]{}
			racetest.Aside(func() { OnErrorContinue(use(src), func(error, any) { runtime.Goexit() }).Subscribe(t.Context(), p) })
			if !p.Over() {
				racetest.Aside(func() { src.last().OnNext(1) })
				racetest.Aside(src.last().OnComplete)
			}
			p.Failed(t, reactor.ErrGoexit)
			assert.ErrorIs(t, p.Failure(), errBoom)
		})
	}
}
