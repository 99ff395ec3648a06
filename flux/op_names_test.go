package flux_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/mono"
)

// What is made of another operator, and calls a function of the user for it, has its own name in errors.
func TestFailuresNameTheOperatorThatTheUserWrote(t *testing.T) {
	for _, row := range []struct {
		op  string
		use func(die func()) flux.Flux[int]
	}{
		{"transformDeferred", func(die func()) flux.Flux[int] {
			return flux.Just(1).TransformDeferred(func(f flux.Flux[int]) flux.Flux[int] { die(); return f })
		}},
		{"transformDeferredContext", func(die func()) flux.Flux[int] {
			return flux.Just(1).TransformDeferredContext(func(_ context.Context, f flux.Flux[int]) flux.Flux[int] { die(); return f })
		}},
		{"transformDeferred", func(die func()) flux.Flux[int] {
			return flux.From(mono.Just(1).TransformDeferred(func(m mono.Mono[int]) mono.Mono[int] { die(); return m }))
		}},
		{"transformDeferredContext", func(die func()) flux.Flux[int] {
			return flux.From(mono.Just(1).TransformDeferredContext(func(_ context.Context, m mono.Mono[int]) mono.Mono[int] { die(); return m }))
		}},
		{"transformGroups", func(die func()) flux.Flux[int] {
			calls := 0
			return flux.Just(1).Parallel(1).TransformGroups(func(f flux.Flux[int]) flux.Flux[int] {
				if calls++; calls > 1 { // the first is at assembly
					die()
				}
				return f
			}).Sequential()
		}},
		{"dematerialize", func(die func()) flux.Flux[int] {
			return flux.Just(1).Dematerialize(func(v int) reactor.Signal[int] { die(); return reactor.NextSignal(v) })
		}},
		{"dematerialize", func(die func()) flux.Flux[int] {
			return flux.From(mono.Just(1).Dematerialize(func(v int) reactor.Signal[int] { die(); return reactor.NextSignal(v) }))
		}},
		{"reduceWith", func(die func()) flux.Flux[int] {
			return flux.Just(1).Parallel(1).ReduceWith(func() int { die(); return 0 }, func(_, v int) int { return v }).Sequential()
		}},
		{"reduceWith", func(die func()) flux.Flux[int] {
			return flux.Just(1).Parallel(1).ReduceWith(func() int { return 0 }, func(_, v int) int { die(); return v }).Sequential()
		}},
		{"collect", func(die func()) flux.Flux[int] {
			return flux.Just(1).Parallel(1).Collect(func() int { die(); return 0 }, func(int, int) {}).Sequential()
		}},
		{"collect", func(die func()) flux.Flux[int] {
			return flux.Just(1).Parallel(1).Collect(func() int { return 0 }, func(int, int) { die() }).Sequential()
		}},
		{"reduce", func(die func()) flux.Flux[int] {
			return flux.From(flux.Range(1, 3).Reduce(func(acc, _ int) int { die(); return acc })) // not "range"
		}},
		{"mapIndexed", func(die func()) flux.Flux[int] {
			return flux.Just(1).MapIndexed(func(_, v int) int { die(); return v })
		}},
		{"defer", func(die func()) flux.Flux[int] {
			return flux.Defer(func(context.Context) flux.Flux[int] { die(); return flux.Just(1) })
		}},
	} {
		for how, die := range map[string]func(){"panic": func() { panic("broken") }, "Goexit": runtime.Goexit} {
			var failed error
			f := row.use(die)
			racetest.Aside(func() {
				f.SubscribeFunc(context.Background(), func(int) {}, flux.OnError(func(err error) { failed = err }))
			})
			assert.Equal(t, row.op, nameIn(failed), "%s: %v", how, failed)
		}
	}
}

// nameIn returns the operator that a failure of a function names.
func nameIn(err error) string {
	if p := (*reactor.PanicError)(nil); errors.As(err, &p) {
		return p.Op
	}
	if e := (*reactor.OpError)(nil); errors.As(err, &e) {
		return e.Op
	}
	return ""
}

// Nor is a function that is missing one of what the operator is made of.
func TestMissingFunctionsNameTheOperatorThatTheUserWrote(t *testing.T) {
	rails := flux.Just(1).Parallel(1)
	for want, use := range map[string]func(){
		"reactor: dematerialize: the function is nil":     func() { _ = flux.Just(1).Dematerialize((func(int) reactor.Signal[int])(nil)) },
		"reactor: reduceWith: the seed function is nil":   func() { _ = rails.ReduceWith(nil, func(acc, _ int) int { return acc }) },
		"reactor: reduceWith: the function is nil":        func() { _ = rails.ReduceWith(func() int { return 0 }, nil) },
		"reactor: collect: the container function is nil": func() { _ = rails.Collect(nil, func(int, int) {}) },
		"reactor: collect: the function is nil":           func() { _ = rails.Collect(func() int { return 0 }, nil) },
		"reactor: mapIndexed: the mapper is nil":          func() { _ = flux.Just(1).MapIndexed[int](nil) },
		"reactor: scanSeed: the function is nil":          func() { _ = flux.Just(1).ScanSeed(0, (func(int, int) int)(nil)) },
		"reactor: tryScanSeed: the function is nil":       func() { _ = flux.Just(1).TryScanSeed(0, (func(int, int) (int, error))(nil)) },
		"reactor: mergeAll: the publisher is nil":         func() { _ = flux.MergeAll[int, flux.Flux[int]](nil) },
		"reactor: mergeAll: option 1 is nil":              func() { _ = flux.MergeAll[int](flux.Just(flux.Just(1)), nil) },
		"reactor: thenEmpty: the publisher is nil":        func() { _ = flux.Just(1).ThenEmpty[int](nil) },
		"reactor: when: the publisher at index 0 is nil":  func() { _ = mono.When2[int](nil, mono.Just(1)) },
		"reactor: when: the publisher at index 2 is nil":  func() { _ = mono.When3[int, int, int](mono.Just(1), mono.Just(1), nil) },
		"reactor: when: the publisher at index 3 is nil":  func() { _ = mono.When4[int, int, int, int](mono.Just(1), mono.Just(1), mono.Just(1), nil) },
	} {
		assert.PanicsWithValue(t, want, use)
	}
	assert.PanicsWithValue(t, "reactor: dematerialize: the function is nil", func() { _ = mono.Just(1).Dematerialize((func(int) reactor.Signal[int])(nil)) })
}
