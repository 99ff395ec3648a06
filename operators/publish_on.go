package operators

import (
	"context"
	"math"

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
		down:    down,
		push:    protocol.Push(down),
		discard: reactor.DiscardHookFor[T](ctx),
		queue:   newSPSC[T](c.demand),
	}
	s.hop.init(ctx, down, w, c, s)
	return s
}

// publishOnSubscriber takes the elements across; all the rest is the hop's.
type publishOnSubscriber[T any] struct {
	protocol.Inner
	hop     hop
	down    reactor.Subscriber[T]
	push    func(T)   // hands elements to down
	discard func(any) // nil if nobody wants what is discarded
	queue   spsc[T]   // offered to by upstream, polled by the owner of hop.drain

	// What follows belongs to the owner of hop.drain.
	batch []T // made with the first element; batch[next:held] is still to be delivered
	next  int
	held  int
}

func (s *publishOnSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.hop.begin(up) }

func (s *publishOnSubscriber[T]) OnNext(v T) {
	if s.hop.done.Load() {
		reactor.DropNext(s.hop.ctx, v)
		return
	}
	if s.hop.cancelled.Load() {
		discardTo(s.discard, v)
		return
	}
	if !s.queue.Offer(v) {
		s.hop.up.Cancel()
		s.hop.err = unasked(s.hop.ctx, s.hop.op, s.hop.prefetch, v)
		discardTo(s.discard, v)
		s.hop.done.Store(true)
	}
	s.hop.drain.Run()
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
	hop := &s.hop
	return func(v T) {
		if hop.done.Load() || hop.cancelled.Load() || !ring.Offer(v) {
			s.OnNext(v) // finds out which
			return
		}
		hop.drain.Run()
	}
}

func (s *publishOnSubscriber[T]) OnError(err error) { s.hop.end(err) }

func (s *publishOnSubscriber[T]) OnComplete() { s.hop.end(nil) }

func (s *publishOnSubscriber[T]) isEmpty() bool { return s.queue.IsEmpty() }

// deliver implements hopElements.
func (s *publishOnSubscriber[T]) deliver(n int) (k int, all bool) {
	if s.batch == nil {
		if s.queue.IsEmpty() {
			return 0, true
		}
		s.batch = make([]T, min(hopBatch, s.hop.prefetch))
	}
	k = s.queue.PollBatch(s.batch[:min(n, len(s.batch))])
	s.held = k
	for i := 0; i < k; i++ {
		s.next = i + 1
		s.push(s.batch[i])
		if s.hop.cancelled.Load() {
			return k, false
		}
	}
	s.next, s.held = 0, 0
	clear(s.batch[:k])
	return k, true
}

// inHand implements hopElements.
func (s *publishOnSubscriber[T]) inHand() (v any, ok bool) {
	if s.next == 0 {
		return nil, false
	}
	return s.batch[s.next-1], true
}

// drop implements hopElements.
func (s *publishOnSubscriber[T]) drop() {
	rest := s.batch[s.next:max(s.next, s.held)]
	s.next, s.held = 0, 0
	for _, v := range rest {
		discardTo(s.discard, v)
	}
	clear(s.batch)
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		discardTo(s.discard, v)
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
