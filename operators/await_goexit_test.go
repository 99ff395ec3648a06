package operators

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A function that ends the goroutine of a call that blocks leaves nobody who waits: the sources that are not at their end are
// cancelled.
func TestGoexitOfACallThatBlocksCancels(t *testing.T) {
	for name, call := range map[string]func(src stream){
		"block":   func(src stream) { _, _ = BlockLast(t.Context(), src) },
		"collect": func(src stream) { _, _ = Collect(t.Context(), src) },
		"forEach": func(src stream) { _ = ForEach(t.Context(), src, func(int) {}) },
	} {
		cancels := 0
		racetest.Aside(func() {
			open := DoOnCancel(Never[int](), func() { cancels++ })
			call(MergeSlice([]stream{open, Map(Range(1, 2), func(int) int { runtime.Goexit(); return 0 })}, DelayErrors()))
		})
		assert.Equal(t, 1, cancels, name)
	}
}

// What a call holds whose goroutine a function has ended is discarded, though another source has not come to its end: behind
// the element that this one has on its way meanwhile.
func TestGoexitOfACallThatBlocksDiscardsWhatItHolds(t *testing.T) {
	for name, call := range map[string]func(ctx context.Context, src stream){
		"blockLast":     func(ctx context.Context, src stream) { _, _ = BlockLast(ctx, src) },
		"blockOptional": func(ctx context.Context, src stream) { _, _, _ = BlockOptional(ctx, src) },
		"collect":       func(ctx context.Context, src stream) { _, _ = Collect(ctx, src) },
	} {
		for kind, parent := range map[string]func(context.Context) context.Context{
			"that can end":   func(ctx context.Context) context.Context { return ctx },
			"that can't end": context.WithoutCancel,
		} {
			t.Run(name+" of a context "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var discarded []any
					busy := make(chan struct{})
					ctx := reactor.WithHooks(parent(t.Context()), reactor.Hooks{Discard: func(_ context.Context, v any) {
						if discarded = append(discarded, v); len(discarded) == 1 && name != "collect" {
							<-busy
						}
					}})
					src := &puppet[int]{}
					racetest.Aside(func() {
						call(ctx, MergeSlice([]stream{src, Defer(func(context.Context) stream {
							go func() {
								for v := range 3 {
									src.last().OnNext(v)
								}
							}()
							synctest.Wait()
							runtime.Goexit()
							return nil
						})}, DelayErrors()))
					})
					close(busy)
					synctest.Wait()
					assert.ElementsMatch(t, []any{0, 1, 2}, discarded)
					assert.EqualValues(t, 1, src.last().cancels.Load())
				})
			})
		}
	}
}
