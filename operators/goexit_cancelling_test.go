package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A function cancels the stream that it is called by, with one of the handles that there are, and what hears of that ends the
// goroutine: the element that the function was called with is discarded, once, and the Goexit is reported once.
func TestGoexitInTheCancellationByAFunction(t *testing.T) {
	// Each subscribes to what stage makes of a source, and cancels by what it gives to stage.
	for name, subscribe := range map[string]func(ctx context.Context, stage func(cancel func()) stream){
		"subscription": func(ctx context.Context, stage func(cancel func()) stream) {
			s := &requester{}
			stage(func() { s.up.Cancel() }).Subscribe(ctx, s)
		},
		"subscribeFunc": func(ctx context.Context, stage func(cancel func()) stream) {
			var up reactor.Subscription
			SubscribeFunc(ctx, stage(func() { up.Cancel() }), nil, OnSubscribe(func(s reactor.Subscription) { up = s; s.Request(9) }))
		},
		"subscribeFunc, disposed": func(ctx context.Context, stage func(cancel func()) stream) {
			var d reactor.Disposable
			src := stage(func() { d.Dispose() })
			trigger := &puppet[int]{}
			d = SubscribeFunc(ctx, FlatMap[int](trigger, func(int) stream { return src }), nil)
			trigger.last().OnNext(0)
		},
		"baseSubscriber": func(ctx context.Context, stage func(cancel func()) stream) {
			var s *BaseSubscriber[int]
			src := stage(func() { s.Cancel() })
			s = NewSubscriber(ctx, SubscriberHooks[int]{})
			src.Subscribe(ctx, s)
		},
		"future": func(ctx context.Context, stage func(cancel func()) stream) {
			var f *Future[int]
			trigger := &puppet[int]{}
			src := stage(func() { f.Cancel() })
			f = ToFuture(ctx, MonoFlatMap[int](trigger, func(int) stream { return Next(src) }))
			trigger.last().OnNext(0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			racetest.Aside(func() {
				subscribe(ctx, func(cancel func()) stream {
					return Map(DoOnCancel(Hide(Range(2, 5)), runtime.Goexit), func(v int) int {
						if v == 2 {
							cancel()
						}
						return v
					})
				})
			})
			assert.Equal(t, []any{2}, hooks.Discarded)
			require.Len(t, hooks.Errs, 1)
			assert.ErrorIs(t, hooks.Errs[0].(error), reactor.ErrGoexit)
		})
	}
}

// requester is a subscriber that does not belong to the module.
type requester struct{ up reactor.Subscription }

func (r *requester) OnSubscribe(up reactor.Subscription) { r.up = up; up.Request(9) }
func (r *requester) OnNext(int)                          {}
func (r *requester) OnError(error)                       {}
func (r *requester) OnComplete()                         {}
