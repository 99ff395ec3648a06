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
