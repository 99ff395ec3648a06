package operators

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

// promising are stages that make each element of a source that tells of no runs one of its own.
func promising() map[string]func(reactor.Publisher[int]) reactor.Publisher[int] {
	return map[string]func(reactor.Publisher[int]) reactor.Publisher[int]{
		"retry":  func(src reactor.Publisher[int]) reactor.Publisher[int] { return Retry(src) },
		"repeat": func(src reactor.Publisher[int]) reactor.Publisher[int] { return Repeat(src) },
		"concatWith": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return ConcatWith(src, Just(7))
		},
		"onErrorResume": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return OnErrorResume(src, func(error) reactor.Publisher[int] { return Just(7) })
		},
		"subscribeOn": func(src reactor.Publisher[int]) reactor.Publisher[int] {
			return SubscribeOn(src, schedulers.Immediate())
		},
	}
}

// The context ends while a function has an element that is a run by itself, and then the function fails: the end is told, once.
func TestSubscribeFuncThatFailsWithinARunOfOneElement(t *testing.T) {
	sources := sourcesOfEdges()
	sources["buffer"] = OnBackpressureBuffer(Hide(Range(0, 3)))
	for how, fail := range waysToFail {
		for stage, behind := range promising() {
			for name, src := range sources {
				t.Run(how+" "+stage+" "+name, func(t *testing.T) { failsBehindTheEnd(t, behind(src), fail) })
			}
		}
	}
}

// The context ends while a function has an element, and then the function disposes: nothing is called after that.
func TestSubscribeFuncDisposedBehindTheEndOfItsContext(t *testing.T) {
	for name, src := range sourcesOfEdges() {
		for stage, behind := range promising() {
			t.Run(stage+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					hooked, hooks := probe.Recorded()
					ctx, cancel := context.WithCancelCause(hooked)
					c := newEdgeCalls()
					var up reactor.Subscription
					go SubscribeFunc(ctx, behind(src), func(int) {
						cancel(errBoom)
						time.Sleep(time.Second)
						up.Cancel()
					}, OnError(c.end), OnComplete(func() { c.end(nil) }), OnSubscribe(func(s reactor.Subscription) {
						up = s
						s.Request(reactor.Unbounded)
					}))
					time.Sleep(2 * time.Second)
					synctest.Wait()
					assert.Zero(t, c.ends)
					_, _, errs := hooks.Seen()
					assert.Empty(t, errs)
				})
			})
		}
	}
}

// A function asks for nothing, which is an error, and what hears of the cancellation ends the goroutine: the element is discarded.
func TestSubscribeFuncLeftByWhatHearsOfItsRequest(t *testing.T) {
	hooked, hooks := probe.Recorded()
	src := DoOnCancel(Hide(Range(0, 3)), runtime.Goexit)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var up reactor.Subscription
		SubscribeFunc(hooked, src, func(int) { up.Request(0) }, OnError(func(error) {}), OnSubscribe(func(s reactor.Subscription) {
			up = s
			s.Request(2)
		}))
	}()
	<-done
	discarded, _, _ := hooks.Seen()
	assert.Equal(t, []any{0}, discarded)
}
