package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/multicast"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// Replay shares one run of src among all subscribers and keeps its elements and its end for later
// subscribers: all elements, the latest ones ([History]), or those that are not older than [TTL].
// The run begins with Connect.
//
//	src:  1 --- 2 --- 3 |
//	      Replay()
//	out:  1 --- 2 --- 3 |
//	out:         1 2 - 3 |           a second subscriber
//	out:                  1 2 3 |    one that came after
//
// Each subscriber gets elements as it requests them. src is asked for as many elements as are
// kept, or for 256 if all are kept. It is asked for another three quarters of that number whenever
// the slowest subscriber has got as many, or src has sent as many while there are no subscribers.
// With a lifetime and no limit src is asked for everything. An error comes behind the elements
// before it, as completion does.
//
// The age of elements is checked when an element comes and when somebody subscribes, by the clock
// of schedulers.Parallel() or of [On]. After the end, elements age no more; but when the end
// itself has reached the lifetime, the next subscriber starts a new run. Elements that are not
// kept any more are not discarded: a subscriber may have got them. They leave memory in pieces: a
// piece is a quarter of the limit, at most 256 elements; with a small limit it is half of the
// limit, at most 4; without a limit it is up to 256. So up to one piece more than is replayed may
// be held; with a lifetime it may be held until the next element comes. With History(0) Replay is
// [Publish], and keeps the end if there is no lifetime.
//
// A cancellation does not affect the other subscribers or src. Elements are delivered on the
// goroutine of src, or of a request.
func Replay[T any](src reactor.Publisher[T], opts ...ReplayOption) ConnectablePublisher[T] {
	return newReplay("replay", src, opts)
}

// ReplayOption is an option of [Replay] and [Cache]: [History], [TTL], or [On].
type ReplayOption interface{ applyReplay(*replayConfig) }

type replayConfig struct {
	op        string
	history   int // all if limited is not set
	limited   bool
	ttl       time.Duration // Forever: no lifetime
	scheduler []SchedulerOption
}

// HistoryOption is how many elements are kept.
type HistoryOption int

// History keeps no more than the latest n ≥ 0 elements.
func History(n int) HistoryOption { return HistoryOption(n) }

func (o HistoryOption) applyReplay(c *replayConfig) { c.history, c.limited = int(o), true }

func (d TTLOption) applyReplay(c *replayConfig) { c.ttl = time.Duration(d) }

func (o SchedulerOption) applyReplay(c *replayConfig) { c.scheduler = []SchedulerOption{o} }

func newReplay[T any](op string, src reactor.Publisher[T], opts []ReplayOption) ConnectablePublisher[T] {
	c := replayConfig{op: op, ttl: Forever}
	for _, o := range argument.Options(op, opts) {
		o.applyReplay(&c)
	}
	argument.NotNegative(op, "history", c.history)
	argument.NotNegative(op, "time to live", c.ttl)
	clock := schedulers.Parallel
	if len(c.scheduler) > 0 {
		given := timerOf(op, c.scheduler)
		clock = func() schedulers.Scheduler { return given }
	}
	if c.limited && c.history == 0 {
		p := newPublish(op, src, int64(defaultHopPrefetch()))
		p.keep = c.ttl == Forever
		return p
	}
	p := &replayPublisher[T]{src: protocol.Trust(op, src), op: op, history: c.history, age: -1, prefetch: int64(defaultHopPrefetch())}
	if c.history > 0 {
		p.prefetch = int64(c.history)
	}
	if c.ttl != Forever {
		p.age, p.clock = c.ttl, clock
		if c.history == 0 {
			p.prefetch = reactor.Unbounded
		}
	}
	return p
}

type replayPublisher[T any] struct {
	protocol.Op
	src      reactor.Publisher[T]
	op       string
	history  int           // 0: all
	age      time.Duration // negative: for ever
	clock    func() schedulers.Scheduler
	prefetch int64

	current atomic.Pointer[replayConnection[T]] // nil: nobody has come yet, or the run was stopped
}

func (p *replayPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	var c *replayConnection[T]
	renewed := false
	if !failure.Guard(func() { c, renewed = p.fresh() }, func(err error) { p.refuse(ctx, down, err) }) {
		return
	}
	if renewed {
		defer connect(context.WithoutCancel(ctx), c, nil) // also if downstream ends the goroutine
	}
	c.replay.Subscribe(ctx, down)
}

// refuse fails down because the clock has failed: nobody knows whether the run has expired.
func (p *replayPublisher[T]) refuse(ctx context.Context, down reactor.Subscriber[T], err error) {
	protocol.Fail(down, reactor.OperatorError(ctx, err, nil))
}

// fresh is connection, but replaces an expired run by a new one; it returns true if
// this call did so.
func (p *replayPublisher[T]) fresh() (c *replayConnection[T], renewed bool) {
	for {
		old := p.connection()
		if !old.replay.History.Expired() {
			return old, false
		}
		c := newReplayConnection(p)
		if p.current.CompareAndSwap(old, c) {
			return c, true
		}
	}
}

// Connect implements ConnectablePublisher.
func (p *replayPublisher[T]) Connect(ctx context.Context, connecting func(reactor.Disposable)) {
	connect(ctx, p.connection(), connecting)
}

// refresh detaches a run that serves no subscriber any more because of its age.
func (p *replayPublisher[T]) refresh() {
	if c := p.current.Load(); c != nil && c.replay.History.Expired() {
		c.detach()
	}
}

// open implements ConnectablePublisher.
func (p *replayPublisher[T]) open() connection { return p.connection() }

// introduce implements ConnectablePublisher.
func (p *replayPublisher[T]) introduce(ctx context.Context, down reactor.Subscriber[T], by introduced) {
	if !failure.Guard(p.refresh, func(err error) { p.refuse(ctx, down, err) }) {
		return
	}
	by.introduced(ctx, func(c connection) bool {
		c.(*replayConnection[T]).replay.Subscribe(ctx, down)
		return true
	})
}

// connection returns the current run, or one that can become it.
func (p *replayPublisher[T]) connection() *replayConnection[T] {
	for {
		if c := p.current.Load(); c != nil {
			return c
		}
		c := newReplayConnection(p)
		if p.current.CompareAndSwap(nil, c) {
			return c
		}
	}
}

// replayConnection is one run: the subscriber of src, and the handle to stop it.
type replayConnection[T any] struct {
	protocol.Inner
	protocol.Quiet
	parent    *replayPublisher[T]
	replay    multicast.Replay[T]
	connected atomic.Bool
	stopped   atomic.Bool
	shared    atomic.Bool  // RefCount has it: whoever leaves or comes is not to be held up by what nobody wants
	started   atomic.Bool  // src.Subscribe has returned
	alone     atomic.Int64 // so many elements had come when src had sent a batch by itself that nobody was there for
	up        protocol.Deferred
	watch     multicast.Watch
	ctx       context.Context // written before src is subscribed
	done      bool            // touched by the signals of src only

	refill protocol.Drain
	next   int64 // so many elements must be read before more are asked for; owner of refill
}

func newReplayConnection[T any](p *replayPublisher[T]) *replayConnection[T] {
	c := &replayConnection[T]{parent: p}
	var now func() time.Time
	if p.age >= 0 {
		now = func() time.Time { return p.clock().Now() }
	}
	c.replay.History = multicast.NewHistory[T](p.history, p.age, now)
	if p.prefetch != reactor.Unbounded {
		c.next = demand.Batch(p.prefetch)
		c.replay.Batch = c.next
		c.replay.Moved = func() { c.refill.Run(c) }
	}
	return c
}

func (c *replayConnection[T]) detach() { c.parent.current.CompareAndSwap(c, nil) }

// counted implements connection.
func (c *replayConnection[T]) counted() { c.shared.Store(true) }

func (c *replayConnection[T]) begin() bool { return c.connected.CompareAndSwap(false, true) }

func (c *replayConnection[T]) run(ctx context.Context) {
	c.ctx = ctx
	c.watch.Start(ctx, c.fail)
	defer c.started.Store(true)
	c.parent.src.Subscribe(ctx, c)
}

// fail stops the run.
func (c *replayConnection[T]) fail(err error) {
	c.stopped.Store(true)
	c.detach()
	c.watch.End()
	defer c.up.Cancel() // also if a subscriber ends the goroutine
	c.replay.End(err)
}

// Dispose stops the run and lets go of the elements that are kept.
func (c *replayConnection[T]) Dispose() {
	if !c.stopped.Load() {
		c.fail(reactor.Failure(c.parent.op, reactor.ErrCancelled, "disconnected"))
	}
}

// IsDisposed reports whether the run was stopped. One that has ended still serves
// subscribers.
func (c *replayConnection[T]) IsDisposed() bool { return c.stopped.Load() }

func (c *replayConnection[T]) OnSubscribe(up reactor.Subscription) {
	if c.up.Set(up) {
		up.Request(c.parent.prefetch)
	}
}

func (c *replayConnection[T]) OnNext(v T) {
	switch {
	case c.done:
		reactor.DropNext(c.ctx, v)
	case c.stopped.Load():
		reactor.Discard(c.ctx, v)
	default:
		c.replay.Emit(v)
		if b := c.replay.Batch; b > 0 && c.replay.Subscribers() == 0 && c.replay.History.Count()%b == 0 {
			c.unheard()
		}
	}
}

// Push implements protocol.Pusher.
func (c *replayConnection[T]) Push() func(T) { return func(v T) { c.OnNext(v) } }

// unheard is called when src has sent a batch and there are no subscribers. A batch that came
// within its request does not show that src emits on its own.
func (c *replayConnection[T]) unheard() {
	if c.started.Load() && !c.refill.Active() {
		c.alone.Store(c.replay.History.Count())
	}
	c.replay.Moved()
}

func (c *replayConnection[T]) OnError(err error) {
	if c.done {
		belated.Drop(c.ctx, err)
		return
	}
	c.done = true
	if !c.end(err) {
		belated.Drop(c.ctx, err)
	}
}

func (c *replayConnection[T]) OnComplete() {
	if !c.done {
		c.done = true
		c.end(nil)
	}
}

func (c *replayConnection[T]) end(err error) bool {
	c.up.Close()
	c.watch.End()
	return c.replay.End(err)
}

// DrainPass implements protocol.Drainer: it asks src for more if all subscribers have got far
// enough, or if there are none. Under RefCount it does the latter only if src has emitted on its
// own: a src that emits on the goroutine that requests would go on for ever.
func (c *replayConnection[T]) DrainPass() {
	for !c.replay.Behind(c.next) {
		n, ok := c.replay.Slowest()
		switch {
		case ok:
		case c.shared.Load():
			n = c.alone.Load()
		default:
			n = c.replay.History.Count()
		}
		if n < c.next || c.replay.History.Ended() {
			return
		}
		c.next += c.replay.Batch
		c.up.Request(c.replay.Batch)
	}
}
