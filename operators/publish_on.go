package operators

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/schedulers"
)

// PublishOn delivers the signals of src on a worker of scheduler.
//
//	src:       1 - 2 - 3 |           on the goroutine of src
//	           PublishOn(parallel)
//	out:       ---- 1 - 2 - 3 |      on one worker
//
// Elements cross through a queue. It asks src for 256 elements ([Prefetch]) and,
// whenever three quarters of them were delivered, for as many again, however
// large the demand downstream is. An error waits until everything received before
// it was delivered, unless [EagerErrors] is given; then what is queued is
// discarded. If the scheduler refuses a task, the stream fails with
// reactor.ErrRejected. Cancelling discards what is queued and gives the worker
// back. After a few thousand elements in a row the worker turns to its other
// tasks first.
func PublishOn[T any](src reactor.Publisher[T], scheduler schedulers.Scheduler, opts ...PublishOnOption) reactor.Publisher[T] {
	protocol.NotNil("publishOn", "scheduler", scheduler)
	c := publishOnConfig{op: "publishOn", prefetch: defaultHopPrefetch}
	for _, o := range opts {
		o.applyPublishOn(&c)
	}
	c.demand = protocol.Prefetch("publishOn", c.prefetch)
	return &publishOnPublisher[T]{src: protocol.Trust("publishOn", src), scheduler: scheduler, config: c}
}

// PublishOnOption is an option of [PublishOn]: [Prefetch] or [EagerErrors].
type PublishOnOption interface{ applyPublishOn(*publishOnConfig) }

type publishOnConfig struct {
	op       string // for errors
	prefetch int
	demand   int64 // prefetch as demand
	eager    bool
}

func (o PrefetchOption) applyPublishOn(c *publishOnConfig)    { c.prefetch = int(o) }
func (o EagerErrorsOption) applyPublishOn(c *publishOnConfig) { c.eager = bool(o) }

const (
	// defaultHopPrefetch is the prefetch of stages that pass elements to
	// another goroutine.
	defaultHopPrefetch = 256
	// hopBatch is how many elements are taken out of the queue at a time.
	hopBatch = 32
	// hopTurn is how many elements a worker delivers before it looks after its
	// other tasks.
	hopTurn = 4096
	// maxRing is the largest prefetch that is allocated at once.
	maxRing = 4096
)

type publishOnPublisher[T any] struct {
	protocol.Op
	src       reactor.Publisher[T]
	scheduler schedulers.Scheduler
	config    publishOnConfig
}

func (p *publishOnPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, newPublishOn(ctx, protocol.Strict(ctx, s), p.scheduler.NewWorker(), p.config))
}

func newPublishOn[T any](ctx context.Context, down reactor.Subscriber[T], w schedulers.Worker, c publishOnConfig) *publishOnSubscriber[T] {
	s := &publishOnSubscriber[T]{
		ctx:      ctx,
		down:     down,
		push:     protocol.Push(down),
		worker:   w,
		discard:  reactor.DiscardHookFor[T](ctx),
		queue:    newSPSC[T](c.demand),
		op:       c.op,
		prefetch: c.demand,
		eager:    c.eager,
		refill:   protocol.NewRefill(c.demand),
	}
	s.drain.Init(s, w)
	return s
}

type publishOnSubscriber[T any] struct {
	protocol.Inner
	ctx      context.Context
	down     reactor.Subscriber[T]
	push     func(T) // hands elements to down
	worker   schedulers.Worker
	discard  func(any)            // nil if nobody wants what is discarded
	up       reactor.Subscription // set by OnSubscribe
	queue    spsc[T]              // offered to by upstream, polled by the owner of drain
	op       string               // for errors
	prefetch int64
	eager    bool

	err  error       // written by upstream's signals before done
	done atomic.Bool // upstream has ended

	demand    atomic.Int64 // open demand of downstream
	cancelled atomic.Bool
	drain     protocol.TaskDrain

	// What follows belongs to the owner of drain.
	over   bool // terminal signal sent, failed downstream, or cancelled
	refill protocol.Refill
	batch  []T // made with the first element; batch[next:held] is still to be delivered
	next   int
	held   int
}

func (s *publishOnSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
	up.Request(s.prefetch)
}

func (s *publishOnSubscriber[T]) OnNext(v T) {
	if s.done.Load() {
		reactor.DropNext(s.ctx, v)
		return
	}
	if s.cancelled.Load() {
		s.drop(v)
		return
	}
	if !s.queue.Offer(v) {
		s.up.Cancel()
		s.err = reactor.OperatorError(s.ctx, reactor.Failure(s.op, reactor.ErrOverflow,
			"the source sent more than the %d elements it was asked for", s.prefetch), v)
		s.drop(v)
		s.done.Store(true)
	}
	s.drain.Run()
}

// Push implements protocol.Pusher: OnNext without the way through tables where
// nothing special happens.
//
// Not inlined: calls in a function literal that was inlined with its function are
// not inlined themselves.
//
//go:noinline
func (s *publishOnSubscriber[T]) Push() func(T) {
	ring, ok := s.queue.(*queue.Ring[T])
	if !ok {
		return s.OnNext
	}
	return func(v T) {
		if s.done.Load() || s.cancelled.Load() || !ring.Offer(v) {
			s.OnNext(v) // finds out which
			return
		}
		s.drain.Run()
	}
}

func (s *publishOnSubscriber[T]) OnError(err error) {
	if s.done.Load() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.err = err
	s.done.Store(true)
	s.drain.Run()
}

func (s *publishOnSubscriber[T]) OnComplete() {
	if !s.done.Load() {
		s.done.Store(true)
		s.drain.Run()
	}
}

// Request adds to the demand of downstream.
func (s *publishOnSubscriber[T]) Request(n int64) {
	protocol.AddDemand(&s.demand, n)
	s.drain.Run()
}

// Cancel stops upstream and discards what is queued.
func (s *publishOnSubscriber[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	s.up.Cancel()
	s.drain.Cancel()
}

// DrainPass delivers what it can, on the worker.
func (s *publishOnSubscriber[T]) DrainPass() {
	for turn := hopTurn; !s.ended(); {
		if turn <= 0 && !s.queue.IsEmpty() {
			s.drain.Yield()
			return
		}
		n := min(s.demand.Load(), s.refill.Left(), hopBatch)
		if n == 0 {
			return
		}
		if s.batch == nil {
			if s.queue.IsEmpty() {
				return
			}
			s.batch = make([]T, min(hopBatch, s.prefetch))
		}
		k := s.queue.PollBatch(s.batch[:min(int(n), len(s.batch))])
		if k == 0 {
			return
		}
		turn -= k
		if !s.deliver(k) {
			continue
		}
		if s.demand.Load() != reactor.Unbounded {
			protocol.Produced(&s.demand, int64(k))
		}
		if n := s.refill.Consumed(int64(k)); n > 0 {
			s.up.Request(n)
		}
	}
}

// deliver sends the first k elements of batch down, or reports false because
// the stream was cancelled meanwhile; the rest is then discarded.
func (s *publishOnSubscriber[T]) deliver(k int) bool {
	s.held = k
	for i := 0; i < k; i++ {
		s.next = i + 1
		s.push(s.batch[i])
		if s.cancelled.Load() {
			s.dropBatch()
			return false
		}
	}
	s.next, s.held = 0, 0
	clear(s.batch[:k])
	return true
}

// ended reports whether nothing more is to be delivered. It is what ends the
// stream: with the terminal signal, or because of a cancellation.
func (s *publishOnSubscriber[T]) ended() bool {
	if s.over {
		s.dropQueue()
		return true
	}
	if s.cancelled.Load() {
		s.release()
		return true
	}
	if !s.done.Load() || !s.queue.IsEmpty() && (!s.eager || s.err == nil) {
		return false
	}
	s.over = true
	s.dropQueue()
	if s.err != nil {
		s.down.OnError(s.err)
	} else {
		s.down.OnComplete()
	}
	s.worker.Dispose()
	return true
}

// DrainCrashed ends the stream because downstream failed.
func (s *publishOnSubscriber[T]) DrainCrashed(err error) {
	over, inHand := s.over, s.next > 0
	var v T
	if inHand {
		v = s.batch[s.next-1]
	}
	s.up.Cancel()
	s.release()
	switch {
	case over:
		reactor.DropError(s.ctx, err)
	case inHand:
		protocol.Crash(s.ctx, s.down, err, v)
	default:
		s.down.OnError(err)
	}
}

// DrainRejected ends the stream because the scheduler refuses to deliver.
func (s *publishOnSubscriber[T]) DrainRejected(err error) {
	if s.over || s.cancelled.Load() {
		return
	}
	s.up.Cancel()
	s.release()
	s.down.OnError(rejected(s.ctx, s.op, err, nil))
}

// release discards what is held and gives the worker back.
func (s *publishOnSubscriber[T]) release() {
	s.over = true
	s.dropBatch()
	s.dropQueue()
	s.worker.Dispose()
}

// dropBatch discards what was taken out of the queue and not yet sent.
func (s *publishOnSubscriber[T]) dropBatch() {
	rest := s.batch[s.next:max(s.next, s.held)]
	s.next, s.held = 0, 0
	if s.discard != nil {
		for _, v := range rest {
			s.discard(v)
		}
	}
	clear(s.batch)
}

func (s *publishOnSubscriber[T]) dropQueue() {
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		s.drop(v)
	}
}

func (s *publishOnSubscriber[T]) drop(v T) {
	if s.discard != nil {
		s.discard(v)
	}
}

// spsc is a queue with one producer and one consumer. An alias: the methods of a
// named interface would be compiled for every T.
type spsc[T any] = interface {
	Offer(v T) bool
	Poll() (v T, ok bool)
	PollBatch([]T) int
	IsEmpty() bool
	Len() int
}

// newSPSC returns a queue for as many elements as are requested ahead.
func newSPSC[T any](prefetch int64) spsc[T] {
	if prefetch > maxRing || prefetch > math.MaxInt {
		return queue.NewLinked[T](defaultHopPrefetch)
	}
	return queue.NewRing[T](int(prefetch))
}
