package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// An error that waits for the end of the stream is reported as dropped if a cancellation comes first. Not with
// ConcatMap and FlatMapSequential, as the golden vectors show.
func TestErrorsHeldBackAtACancellation(t *testing.T) {
	for name, op := range map[string]func(failed, open stream) stream{
		"concatDelayError": func(a, b stream) stream { return ConcatDelayError(a, b) },
		"merge":            func(a, b stream) stream { return MergeSlice([]stream{a, b}, DelayErrors()) },
		"mergeComparing": func(a, b stream) stream {
			return MergeComparing(func(a, b int) int { return a - b }, []stream{a, b}, DelayErrors())
		},
		"flatMap": func(a, b stream) stream {
			return FlatMap(FromSlice([]stream{a, b}), func(s stream) stream { return s }, DelayErrors())
		},
		"switchMap": func(a, b stream) stream {
			return SwitchMap(FromSlice([]stream{a, b}), func(s stream) stream { return s }, DelayErrors())
		},
		"switchMap, prefetch": func(a, b stream) stream {
			return SwitchMap(FromSlice([]stream{a, b}), func(s stream) stream { return s }, DelayErrors(), Prefetch(4))
		},
		"exhaustMap": func(a, b stream) stream {
			return ExhaustMap(FromSlice([]stream{a, b}), func(s stream) stream { return s }, DelayErrors())
		},
		"filterWhen": func(a, b stream) stream {
			return FilterWhen(StartWith(b, Just(1)), func(int) reactor.Publisher[bool] {
				return Map(a, func(int) bool { return true })
			})
		},
		"expandDeep": func(a, b stream) stream {
			return ExpandDeep(Just(1), func(v int) stream {
				if v == 1 {
					return StartWith(a, Just(2))
				}
				return b
			})
		},
		"when": func(a, b stream) stream {
			return Map(When([]stream{a, b}, DelayErrors()), func(struct{}) int { return 0 })
		},
		"monoZip": func(a, b stream) stream {
			return MonoZip([]stream{a, b}, func([]int) int { return 0 }, DelayErrors())
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			p := probeOf[int](9)
			op(Error[int](errBoom), src).Subscribe(ctx, p)
			assert.Empty(t, hooks.Errs)
			p.Cancel()
			assert.Equal(t, []any{errBoom}, hooks.Errs)
			assert.False(t, p.Over())
		})
	}
}
