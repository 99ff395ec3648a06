package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/schedulers"
)

// PublishOn delivers the signals of src on a worker of scheduler.
//
//	src:       1 - 2 - 3 |      on the goroutine of f
//	      PublishOn(parallel)
//	out:       1 - 2 - 3 |      on one worker
//
// Elements cross over in a queue. src is asked for 256 elements ([Prefetch]), and for another three
// quarters of that number whenever as many were delivered, however large the demand downstream is.
// An error waits until everything received before it was delivered; with [EagerErrors] it comes at
// once, and the queued elements are discarded. If the scheduler refuses a task, the stream fails
// with reactor.ErrRejected. Cancelling discards the queued elements and gives the worker back.
// After a few thousand elements in a row the worker runs its other tasks before it goes on.
//
// Where the source is right above and calls no function of yours, as with [Range] or [FromSlice],
// there is no queue: the worker asks the source for what downstream wants.
func PublishOn[T any](src reactor.Publisher[T], scheduler schedulers.Scheduler, opts ...PublishOnOption) reactor.Publisher[T] {
	argument.NotNil("publishOn", "scheduler", scheduler)
	c := publishOnConfig{op: "publishOn", prefetch: defaultHopPrefetch()}
	for _, o := range argument.Options("publishOn", opts) {
		o.applyPublishOn(&c)
	}
	c.demand = positiveSize("publishOn", "prefetch", c.prefetch)
	return &publishOnPublisher[T]{src: protocol.Trust("publishOn", src), scheduler: foreign.Scheduler(scheduler), config: c}
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
	// publishOnBatch is how many elements are taken out of the queue at a time.
	publishOnBatch = 32
	// publishOnTurn is how many elements a worker delivers before it runs its other
	// tasks.
	publishOnTurn = 4096
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
	s := &publishOnSubscriber[T]{}
	s.init(c, w)
	s.Attach(&s.out, ctx, down, s, w)
	return s
}

// publishOnSubscriber takes the elements across.
type publishOnSubscriber[T any] struct {
	protocol.Inner
	protocol.BatchSender[T]
	workerStage
	queue  queue.SPSC[T] // offered to by upstream, polled by the owner of out; nil if src is pulled
	rail   *railEnd      // it is one of several rails: the others hear of an error, too; else nil
	pulled bool          // the worker asks src, and what it sends goes straight down; set by OnSubscribe
}

func (s *publishOnSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	if sync, ok := up.(protocol.Synchronous); ok && sync.Feeds(s) {
		s.pulled, s.up = true, up
		s.out.Begin()
		return
	}
	s.queue = queue.NewSPSC[T](s.prefetch)
	s.workerStage.OnSubscribe(up)
}

func (s *publishOnSubscriber[T]) OnNext(v T) {
	if s.pulled {
		s.Straight(&s.out)(v)
		return
	}
	if s.out.Closed() {
		s.LateTask(&s.out, v)
		return
	}
	if !s.queue.Offer(v) {
		s.overflow(v, s.Discard[any])
		return
	}
	s.out.Run()
}

// Push implements protocol.Pusher: OnNext without the way through tables where
// nothing special happens.
//
// Not inlined: calls in a function literal that was inlined with its function are
// not inlined themselves.
//
//go:noinline
func (s *publishOnSubscriber[T]) Push() func(T) {
	if s.pulled {
		return s.Straight(&s.out)
	}
	ring, ok := s.queue.(*queue.Ring[T])
	if !ok {
		return s.OnNext
	}
	out := &s.out
	return func(v T) {
		if out.Closed() || !ring.Offer(v) {
			s.OnNext(v) // finds out which
			return
		}
		out.Run()
	}
}

// OnError takes the failure of src or, where the worker asks src directly, that of an element on
// its way down: such a src does not fail by itself, and the stages further down get the error also
// after a cancellation.
func (s *publishOnSubscriber[T]) OnError(err error) {
	if s.pulled {
		s.out.UnwindWithin(err)
		return
	}
	if s.rail != nil {
		s.rail.came(&s.out, err)
		return
	}
	s.workerStage.OnError(err)
}

// Flow implements protocol.TaskFlow, as do the methods below: it delivers the elements that
// it can, on the worker.
func (s *publishOnSubscriber[T]) Flow() {
	if s.pulled {
		s.pull()
		return
	}
	turn := publishOnTurn
	for s.out.Open() {
		if turn <= 0 && !s.queue.IsEmpty() {
			s.out.Yield()
			return
		}
		n := min(s.out.Demand(), s.refill.Left(), publishOnBatch)
		if n == 0 {
			return
		}
		k, all := s.SendBatch(&s.out, s.queue, int(n), int(min(publishOnBatch, s.prefetch)))
		if k == 0 {
			return
		}
		turn -= k
		if all {
			s.delivered(int64(k))
		}
	}
	s.worker.Dispose()
}

func (s *publishOnSubscriber[T]) Dry() bool { return s.pulled || s.queue.IsEmpty() }

func (s *publishOnSubscriber[T]) Drop() {
	if s.pulled {
		if s.rail != nil {
			s.rail.ended(&s.out, false)
		}
		return
	}
	ended := s.out.Done() // before the look at what waits: an error that comes later has waited behind nothing
	waited := !s.queue.IsEmpty()
	waited = (s.DropBatch() || waited) && ended
	if s.rail != nil {
		defer s.rail.ended(&s.out, waited)
	} else {
		defer s.out.DropFailuresBehind(waited)
	}
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		s.Discard(v)
	}
}
