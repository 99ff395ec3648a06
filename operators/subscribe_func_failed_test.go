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
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// waysToFail are the ways in which a function fails with an element in hand.
var waysToFail = map[string]func(){"panic": func() { panic("boom") }, "goexit": runtime.Goexit}

// sourcesOfEdges are the ways in which elements reach the edge: outside of runs, within them, from a host.
func sourcesOfEdges() map[string]reactor.Publisher[int] {
	return map[string]reactor.Publisher[int]{
		"range":     Range(0, 3),
		"create":    Create(func(s *FluxSink[int]) { s.Next(1) }),
		"concatMap": ConcatMap(Range(0, 3), Just[int]),
		"flatMap":   FlatMap(Range(0, 3), Just[int]),
		"hidden":    ConcatMap(Hide(Range(0, 3)), func(v int) reactor.Publisher[int] { return Hide(Just(v)) }),
	}
}

// The context ends while a function has an element, and then the function fails: the end is told, and only once.
func TestSubscribeFuncThatFailsBehindTheEndOfItsContext(t *testing.T) {
	for how, fail := range waysToFail {
		for name, src := range sourcesOfEdges() {
			t.Run(how+" "+name, func(t *testing.T) { failsBehindTheEnd(t, src, fail) })
		}
	}
}

func failsBehindTheEnd(t *testing.T, src reactor.Publisher[int], fail func()) {
	synctest.Test(t, func(t *testing.T) {
		hooked, hooks := probe.Recorded()
		ctx, cancel := context.WithCancelCause(hooked)
		c := newEdgeCalls()
		go SubscribeFunc(ctx, src, func(int) {
			cancel(errBoom)
			time.Sleep(time.Second)
			fail()
		}, OnError(c.end), OnComplete(func() { c.end(nil) }))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, 1, c.ends)
		assert.ErrorIs(t, c.err, errBoom)
		_, _, errs := hooks.Seen()
		assert.Len(t, errs, 1, "the failure of the function")
	})
}

// After Dispose nothing is called, whatever the function does with the element that it has.
func TestSubscribeFuncThatFailsBehindDispose(t *testing.T) {
	for how, fail := range waysToFail {
		for name, src := range sourcesOfEdges() {
			t.Run(how+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					hooked, _ := probe.Recorded()
					ctx, cancel := context.WithCancelCause(hooked)
					defer cancel(nil)
					c := newEdgeCalls()
					var up reactor.Subscription
					go SubscribeFunc(ctx, src, func(int) {
						up.Cancel()
						fail()
					}, OnError(c.end), OnComplete(func() { c.end(nil) }), OnSubscribe(func(s reactor.Subscription) {
						up = s
						s.Request(reactor.Unbounded)
					}))
					synctest.Wait()
					cancel(errBoom)
					synctest.Wait()
					assert.Zero(t, c.ends)
				})
			})
		}
	}
}

// The end of the context meets the failure of the function.
func TestSubscribeFuncThatFailsMeetsTheEndOfItsContext(t *testing.T) {
	for name, src := range sourcesOfEdges() {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
				hooked, _ := probe.Recorded()
				ctx, cancel := context.WithCancelCause(hooked)
				c := newEdgeCalls()
				race(func() {
					SubscribeFunc(ctx, src, func(int) { panic("boom") }, OnError(c.end), OnComplete(func() { c.end(nil) }))
				}, func() { cancel(errBoom) })
				<-c.ended
				assert.Equal(t, 1, c.ends)
			})
		})
	}
}
