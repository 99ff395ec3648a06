package own

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// Conflate asks src for everything. As long as there is no demand, it merges what comes into one element, which is
// sent as soon as somebody wants it.
//
//	src:     1 - 2 - 3 - 4 ---- |
//	         Conflate(sum)
//	demand:  1 ---------- 1
//	out:     1 ---------- 9 --- |
//
// Errors and completion wait behind the merged element. A panic of merge ends the stream. merge runs on the
// goroutine of src.
func Conflate[T any](src reactor.Publisher[T], merge func(merged, v T) T) reactor.Publisher[T] {
	stage.NotNil("conflate", "function", merge)
	return &conflate[T]{src: stage.Upstream("conflate", src), merge: merge}
}

var _ = stage.Name[conflating[any]]("conflate")

type conflate[T any] struct {
	stage.Trusted
	src   reactor.Publisher[T]
	merge func(merged, v T) T
}

func (p *conflate[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	c := &conflating[T]{merge: p.merge}
	c.out.Attach(ctx, s, c)
	p.src.Subscribe(ctx, c)
}

// conflating is one subscription.
type conflating[T any] struct {
	stage.Trusted
	out   stage.Outlet[T]
	merge func(merged, v T) T
	hand  T    // what merge is called with; touched by the signals of src only
	calls bool // merge is running, or has panicked; touched by the signals of src only

	mu     sync.Mutex
	merged T           // guarded by mu
	some   atomic.Bool // there is a merged; written under mu
}

func (c *conflating[T]) OnSubscribe(up reactor.Subscription) {
	c.out.Begin(up)
	up.Request(reactor.Unbounded)
}

func (c *conflating[T]) OnNext(v T) {
	switch {
	case c.out.Closed():
		c.out.Late(v)
	case !c.out.Pass(v):
		if merged, ok := c.take(); ok { // out of reach of Flow while merge runs, without the lock
			c.hand, c.calls = merged, true
			v = c.merge(merged, v)
			c.hand, c.calls = *new(T), false
		}
		c.mu.Lock()
		c.merged = v
		c.some.Store(true)
		c.mu.Unlock()
		c.out.Run()
	}
}

func (c *conflating[T]) OnError(err error) {
	if c.calls { // merge has panicked: src discards its element, this one is ours
		c.out.Discard(c.hand)
	}
	c.out.End(err)
}

func (c *conflating[T]) OnComplete() { c.out.End(nil) }

// Flow implements stage.Flow, as do the two methods below.
func (c *conflating[T]) Flow() {
	for c.out.Open() && c.out.Demand() > 0 {
		v, ok := c.take()
		if !ok {
			return
		}
		c.out.Send(v)
	}
}

func (c *conflating[T]) Dry() bool { return !c.some.Load() }

func (c *conflating[T]) Drop() {
	if v, ok := c.take(); ok {
		c.out.Discard(v)
	}
}

func (c *conflating[T]) take() (v T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok = c.merged, c.some.Load()
	c.merged = *new(T)
	c.some.Store(false)
	return v, ok
}
