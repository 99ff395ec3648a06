package keylock_test

// How clients of a random program (programs_test.go) call for a key with streams: Mono, Flux and Grant.

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/mono"
)

// grant subscribes to a lease, and holds it on a goroutine of its own.
func (p *program) grant(c *call) {
	done := make(chan struct{})
	var once sync.Once
	holder := rand.New(rand.NewPCG(c.r.Uint64(), c.r.Uint64()))
	s := subscribed(func(up func(reactor.Subscription)) {
		c.manager.Grant(c.key, c.opts...).SubscribeFunc(c.ctx, func(l keylock.Lease) {
			c.outcomes.Add(1)
			go func() {
				defer once.Do(func() { close(done) })
				p.hold(c, l, holder)
			}()
		}, mono.OnError(func(err error) {
			c.outcomes.Add(1)
			p.over(c, err)
			once.Do(func() { close(done) })
		}), mono.OnComplete(func() { p.over(c, nil) }), mono.OnSubscribe(up))
	})
	p.follow(c, done, s, func() { s.Request(1) })
}

// stream subscribes to a source under the key.
func (p *program) stream(c *call) {
	if c.again && c.same && c.does == "waits" {
		c.does = "fails" // no lease of its own would end it
	}
	count := 1
	if c.method == "Flux" {
		count = c.r.IntN(4)
	}
	done := make(chan struct{})
	var once sync.Once
	var over atomic.Bool
	next := func(int) {
		if over.Load() {
			p.Fail("call %d: an element after the end", c.id)
		}
		switch c.does {
		case "goexits":
			runtime.Goexit()
		case "yields":
			panic(programs.ErrTask)
		}
	}
	ended := func(err error) {
		over.Store(true)
		c.outcomes.Add(1)
		p.over(c, err)
		once.Do(func() { close(done) })
	}
	completed := func() { ended(nil) }
	source := p.source(c, count)
	s := subscribed(func(up func(reactor.Subscription)) {
		if c.method == "Mono" {
			c.manager.Mono(c.key, source.Next(), c.opts...).SubscribeFunc(c.ctx, next, mono.OnError(ended), mono.OnComplete(completed), mono.OnSubscribe(up))
		} else {
			c.manager.Flux(c.key, source, c.opts...).SubscribeFunc(c.ctx, next, flux.OnError(ended), flux.OnComplete(completed), flux.OnSubscribe(up))
		}
	})
	p.follow(c, done, s, func() {
		racetest.Aside(func() {
			s.Request(programs.Pick(c.r, 1, 2, reactor.Unbounded))
			s.Request(reactor.Unbounded)
		})
	})
}

// source returns a source of so many elements, which is inside from its subscription to its end.
func (p *program) source(c *call, count int) flux.Flux[int] {
	return flux.Defer(func(ctx context.Context) flux.Flux[int] {
		c.runs.Add(1)
		v := p.enter(ctx, c, c.key, keylock.Lease{}, true)
		f := flux.Range(0, count)
		switch c.does {
		case "fails":
			f = f.ConcatWith(flux.Error[int](programs.ErrTask))
		case "sleeps", "extends", "nests":
			f = f.DelaySubscriptionFor(c.length)
		case "waits":
			f = flux.Never[int]()
		case "panics":
			f = f.Map(func(int) int { panic(programs.ErrTask) })
		}
		return f.DoOnTerminate(func() { p.leave(v) }).DoOnCancel(func() { p.leave(v) })
	})
}

// subscribed subscribes on a goroutine of its own, which may end there, and returns the subscription, which up hands over.
func subscribed(subscribe func(up func(reactor.Subscription))) reactor.Subscription {
	got := make(chan reactor.Subscription, 1)
	racetest.Aside(func() {
		subscribe(func(s reactor.Subscription) { got <- s })
	})
	return <-got
}

// follow waits for the end of a stream, or cancels it.
func (p *program) follow(c *call, done chan struct{}, up reactor.Subscription, request func()) {
	if c.r.IntN(4) == 0 {
		time.Sleep(programs.Milliseconds(c.r, 0, 9))
	}
	request()
	limit := time.Hour
	if c.r.IntN(3) == 0 {
		limit = programs.Milliseconds(c.r, 0, 39)
	}
	select {
	case <-done:
		return
	case <-c.ctx.Done(): // a stream does not end with it
	case <-time.After(limit):
	}
	if limit == time.Hour && c.ctx.Err() == nil {
		p.Fail("call %d: the stream has no end", c.id)
	}
	c.cancelled.Store(true)
	up.Cancel()
	time.Sleep(time.Nanosecond)
}
