package operators

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
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

// exiting ends the goroutine that subscribes, reports that, and calls then when it hears of the cancellation.
type exiting struct {
	protocol.Op
	then func(reactor.Subscriber[int])
}

func (p exiting) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	s.OnSubscribe(onCancel(func() { p.then(s) }))
	failure.Guard(runtime.Goexit, func(err error) { reactor.DropError(ctx, err) })
}

type onCancel func()

func (onCancel) Request(int64) {}
func (fn onCancel) Cancel()    { fn() }

// What ends a call whose goroutine ends was reported where that came from, and is not reported once more if the call has got its
// element meanwhile, or the source has failed.
func TestGoexitOfACallThatBlocksIsReportedOnce(t *testing.T) {
	for name, then := range map[string]func(reactor.Subscriber[int]){
		"element": func(s reactor.Subscriber[int]) { s.OnNext(1) },
		"end":     func(s reactor.Subscriber[int]) { s.OnComplete() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			racetest.Aside(func() { _, _ = BlockFirst(ctx, exiting{then: then}) })
			if assert.Len(t, hooks.Errs, 1) {
				assert.ErrorIs(t, hooks.Errs[0].(error), reactor.ErrGoexit)
			}
		})
	}
}
