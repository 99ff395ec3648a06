package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/multicast"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// Publish shares one run of src among all subscribers. The run begins with Connect.
//
//	src:  1 --- 2 --- 3 |
//	      Publish()
//	out:  1 --- 2 --- 3 |
//	out:     -- 2 --- 3 |      a second subscriber
//
// The subscriber with the least demand sets the pace: an element goes to all of them when
// all have requested it. Until then up to 256 elements wait ([Prefetch]). src is asked
// for that many at first, and then for as many as were delivered. Elements that come
// before anybody has ever subscribed are discarded; after that, elements that come while
// there are no subscribers wait. Completion comes behind the elements that wait, an error
// comes at once. Both end the run: a subscriber that comes after that waits for the next
// Connect.
//
// A cancellation does not affect the other subscribers or src. Elements are delivered on
// the goroutine of src, or of the request that made it possible.
func Publish[T any](src reactor.Publisher[T], opts ...PublishOption) ConnectablePublisher[T] {
	return newPublish("publish", src, publishPrefetch("publish", opts))
}

// PublishOption is an option of [Publish] and [PublishSelector]: [Prefetch].
type PublishOption interface{ applyPublish(*publishConfig) }

type publishConfig struct{ prefetch int }

func (o PrefetchOption) applyPublish(c *publishConfig) { c.prefetch = int(o) }

func publishPrefetch(op string, opts []PublishOption) int64 {
	c := publishConfig{prefetch: defaultHopPrefetch()}
	for _, o := range argument.Options(op, opts) {
		o.applyPublish(&c)
	}
	return positiveSize(op, "prefetch", c.prefetch)
}

func newPublish[T any](op string, src reactor.Publisher[T], prefetch int64) *publishPublisher[T] {
	return &publishPublisher[T]{src: protocol.Trust(op, src), prefetch: prefetch}
}

type publishPublisher[T any] struct {
	protocol.Op
	src      reactor.Publisher[T]
	prefetch int64
	keep     bool // those who come after the end of a run get the same end, and no new run

	current atomic.Pointer[publishConnection[T]] // nil: nobody has come since the last run ended
}

func (p *publishPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	member := multicast.NewMember(ctx, down)
	defer p.add(member) // also if downstream ends the goroutine
	down.OnSubscribe(member)
}

// add makes member a subscriber of the current run, or of a new run.
func (p *publishPublisher[T]) add(member *multicast.Member[T]) {
	for {
		c := p.connection()
		if c.fanout.Add(member) {
			return
		}
		if p.keep && !c.fanout.Stopped() {
			member.End(c.fanout.Err())
			return
		}
		c.detach()
	}
}

// Connect implements ConnectablePublisher.
func (p *publishPublisher[T]) Connect(ctx context.Context, connecting func(reactor.Disposable)) {
	connect(ctx, p.open(), connecting)
}

// open implements ConnectablePublisher.
func (p *publishPublisher[T]) open() connection {
	for {
		c := p.connection()
		if !c.fanout.Closed() {
			return c
		}
		c.detach()
	}
}

// introduce implements ConnectablePublisher.
func (p *publishPublisher[T]) introduce(ctx context.Context, down reactor.Subscriber[T], by introduced) {
	member := multicast.NewMember(ctx, down)
	defer by.introduced(ctx, func(c connection) bool { return c.(*publishConnection[T]).fanout.Add(member) }) // also if downstream ends the goroutine
	down.OnSubscribe(member)
}

// connection returns the current run, or one that can become it.
func (p *publishPublisher[T]) connection() *publishConnection[T] {
	for {
		if c := p.current.Load(); c != nil {
			return c
		}
		c := newPublishConnection(p)
		if p.current.CompareAndSwap(nil, c) {
			return c
		}
	}
}

// publishConnection is one run: the subscriber of src, and the handle to stop it.
type publishConnection[T any] struct {
	protocol.Inner
	parent    *publishPublisher[T]
	fanout    multicast.Fanout[T]
	connected atomic.Bool
	up        protocol.Deferred
	watch     multicast.Watch
	ctx       context.Context // written before src is subscribed
	done      bool            // touched by the signals of src only
}

func newPublishConnection[T any](p *publishPublisher[T]) *publishConnection[T] {
	c := &publishConnection[T]{parent: p}
	c.fanout.Queue = queue.NewSPSC[T](p.prefetch)
	c.fanout.DiscardEarly = true
	if p.prefetch != reactor.Unbounded {
		c.fanout.Consumed = c.up.Request
	}
	c.fanout.Closing = c.closing
	return c
}

// closing is called before the subscribers hear of the end: they may come again.
func (c *publishConnection[T]) closing() {
	c.watch.End()
	if !c.parent.keep || c.fanout.Stopped() {
		c.detach()
	}
}

// counted implements connection: a publisher without subscribers asks for nothing.
func (c *publishConnection[T]) counted() {}

func (c *publishConnection[T]) detach() { c.parent.current.CompareAndSwap(c, nil) }

func (c *publishConnection[T]) begin() bool { return c.connected.CompareAndSwap(false, true) }

func (c *publishConnection[T]) run(ctx context.Context) {
	c.ctx = ctx
	c.fanout.SetContext(ctx)
	c.watch.Start(ctx, c.fail)
	c.parent.src.Subscribe(ctx, c)
}

func (c *publishConnection[T]) fail(err error) {
	// First: an element may be on its way, and whoever comes now waits for the next run.
	c.detach()
	defer c.up.Cancel() // also if a subscriber ends the goroutine
	c.fanout.Stop(err)
}

// Dispose ends the run.
func (c *publishConnection[T]) Dispose() {
	if !c.IsDisposed() {
		c.fail(reactor.Failure("publish", reactor.ErrCancelled, "disconnected"))
	}
}

// IsDisposed reports whether the run is over.
func (c *publishConnection[T]) IsDisposed() bool { return c.fanout.Stopped() || c.fanout.Closed() }

func (c *publishConnection[T]) OnSubscribe(up reactor.Subscription) {
	if !c.up.Set(up) {
		return
	}
	if sync, ok := up.(protocol.Synchronous); ok && sync.Feeds(c) {
		c.fanout.Feed(up, c.parent.prefetch)
		return
	}
	up.Request(c.parent.prefetch)
}

func (c *publishConnection[T]) OnNext(v T) {
	switch {
	case c.fanout.IsFed():
		c.fanout.Taking()(v)
	case c.done:
		reactor.DropNext(c.ctx, v)
	case c.fanout.Stopped():
		reactor.Discard(c.ctx, v)
	case !c.fanout.Offer(v):
		c.done = true
		failure.InTurn(c.up.Cancel, func() {
			err := reactor.OperatorError(c.ctx, reactor.Failure("publish", reactor.ErrOverflow,
				"the source sent more than the %d elements it was asked for", c.parent.prefetch), v)
			reactor.Discard(c.ctx, v)
			c.fanout.End(err)
		})
	}
}

// Push implements protocol.Pusher.
func (c *publishConnection[T]) Push() func(T) {
	if c.fanout.IsFed() {
		return c.fanout.Taking()
	}
	return c.OnNext
}

func (c *publishConnection[T]) OnError(err error) {
	if c.done || c.fanout.Stopped() {
		belated.Drop(c.ctx, err)
		return
	}
	c.done = true
	c.up.Close()
	c.fanout.End(err)
}

func (c *publishConnection[T]) OnComplete() {
	if !c.done {
		c.done = true
		c.up.Close()
		c.fanout.End(nil)
	}
}
