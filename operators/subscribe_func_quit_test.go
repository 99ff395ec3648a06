package operators

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/multicast"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// slowToCancel is the subscription of one of several subscribers, behind a stage that takes a second to hear of a cancellation.
type slowToCancel struct {
	*multicast.Member[int]
	heard int
}

func (s *slowToCancel) Cancel() {
	s.heard++
	time.Sleep(time.Second)
	s.Member.Cancel()
}

// slowHost sends 1, 2, 3 to a subscriber that is one of several as far as that knows.
type slowHost struct {
	protocol.Op
	up *slowToCancel
}

func (p *slowHost) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	f := &multicast.Fanout[int]{Queue: queue.NewRing[int](4)}
	p.up = &slowToCancel{Member: multicast.NewMember(ctx, s)}
	s.OnSubscribe(p.up)
	f.Add(p.up.Member)
	for v := range 3 {
		f.Offer(v + 1)
	}
}

// The context ends, which goes up on its own goroutine, and takes long; then the function disposes: nothing is called after that, neither
// by a source that asks nobody but itself before each element nor by the end.
func TestSubscribeFuncDisposedWhileTheEndOfItsContextGoesUp(t *testing.T) {
	host := &slowHost{}
	heard := 0
	slow := func(src reactor.Publisher[int]) reactor.Publisher[int] {
		return DoOnCancel(src, func() {
			heard++
			time.Sleep(time.Second)
		})
	}
	sources := map[string]reactor.Publisher[int]{"host": host, "retry": slow(Retry(Hide(Range(1, 3))))}
	for name, src := range sourcesOfEdges() {
		sources[name] = slow(src)
	}
	for name, src := range sources {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				heard = 0
				hooked, hooks := probe.Recorded()
				ctx, cancel := context.WithCancelCause(hooked)
				calls, c := 0, newEdgeCalls()
				var up reactor.Subscription
				go SubscribeFunc(ctx, src, func(int) {
					calls++
					cancel(errBoom)
					time.Sleep(time.Millisecond) // the cancellation is on its way
					up.Cancel()
				}, OnError(c.end), OnComplete(func() { c.end(nil) }), OnSubscribe(func(s reactor.Subscription) {
					up = s
					s.Request(reactor.Unbounded)
				}))
				time.Sleep(time.Hour)
				synctest.Wait()
				assert.Equal(t, 1, calls)
				assert.Zero(t, c.ends)
				if src == host {
					heard = host.up.heard
				}
				assert.Equal(t, 1, heard, "cancelled once")
				_, _, errs := hooks.Seen()
				assert.Empty(t, errs)
			})
		})
	}
}

// An error of the request goes up, which takes long, when Dispose is called: somebody hears of it.
func TestSubscribeFuncDisposedWhileItsFailureGoesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hooked, hooks := probe.Recorded()
		c := newEdgeCalls()
		var up reactor.Subscription
		SubscribeFunc(hooked, DoOnCancel(Never[int](), func() { time.Sleep(time.Second) }), nil, OnError(c.end),
			OnSubscribe(func(s reactor.Subscription) { up = s }))
		go up.Request(0)
		synctest.Wait()
		up.Cancel()
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Zero(t, c.ends)
		_, _, errs := hooks.Seen()
		assert.Len(t, errs, 1)
	})
}

// Who hears of an end that has waited for an element ends the goroutine, which is that of a stage with a queue: what waits there has a
// fate all the same.
func TestSubscribeFuncEndsTheGoroutineOfAStageThatHasQueued(t *testing.T) {
	for name, how := range promising() {
		if name == "subscribeOn" {
			continue // asks again on its worker
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hooked, hooks := probe.Recorded()
				var sink *FluxSink[int]
				src := FlatMapSequential(Hide(Range(0, 2)), func(v int) reactor.Publisher[int] {
					if v == 0 {
						return Create(func(s *FluxSink[int]) { sink = s })
					}
					return Hide(Just(9))
				})
				var up reactor.Subscription
				SubscribeFunc(hooked, how(src), func(int) { up.Request(0) }, OnError(func(error) { runtime.Goexit() }),
					OnSubscribe(func(s reactor.Subscription) {
						up = s
						s.Request(reactor.Unbounded)
					}))
				go sink.Next(1)
				synctest.Wait()
				discarded, _, _ := hooks.Seen()
				assert.Equal(t, []any{9}, discarded)
			})
		})
	}
}
