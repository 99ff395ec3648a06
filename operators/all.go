package operators

import (
	"context"
	"iter"
	"math"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stall"
)

// AllOption is an option of [All] and [ToChan]: [Prefetch].
type AllOption interface{ applyAll(*allConfig) }

type allConfig struct{ prefetch int }

func (p PrefetchOption) applyAll(c *allConfig) { c.prefetch = int(p) }

// All returns the elements of src as a sequence for a range loop. Each loop
// subscribes.
//
//	src:  1 --- 2 --- 3 |
//	      for v, err := range All(ctx, src) { … }
//
// An error of src, a panic of a user function, or the end of ctx comes in the last pair, with the
// zero value; then the loop ends. When the loop is left early, src is cancelled, the prefetched
// elements are discarded and an error behind them is reported as dropped, before the program goes
// on. The end of ctx arrives on a goroutine of its own: elements that were computed or queued
// before may still come, and if those were the last ones, the loop ends without an error.
//
// If the source computes its elements on request, as Range, FromSeq and Generate do, and the stages
// between it and the loop are only Map, Filter, Take, Scan, DoOnNext and their like, then each
// element is computed when the loop comes to it. Otherwise (Distinct, Retry, ConcatMap, PublishOn,
// …) src emits on its own goroutine into a queue: up to 256 elements (see [Prefetch]) are requested
// ahead, and replenished when three quarters of them have been taken; with a prefetch of 1 the loop
// requests one element at a time. No goroutine is started. The loop waits while the queue is empty;
// on a worker that must not block, the last pair is reactor.ErrBlocking instead.
func All[T any](ctx context.Context, src reactor.Publisher[T], opts ...AllOption) iter.Seq2[T, error] {
	return newAll("all", ctx, src, opts)
}

func newAll[T any](op string, ctx context.Context, src reactor.Publisher[T], opts []AllOption) iter.Seq2[T, error] {
	src = protocol.Trust(op, src)
	c := allConfig{prefetch: defaultHopPrefetch()}
	for _, o := range argument.Options(op, opts) {
		o.applyAll(&c)
	}
	argument.Positive(op, "prefetch", c.prefetch)
	argument.Given(op, "context", ctx != nil)
	return func(yield func(T, error) bool) {
		s := &allSubscriber[T]{ctx: ctx, prefetch: c.prefetch, body: yield, caller: goid.Current(), wake: make(chan struct{}, 1)}
		clean := false
		defer func() {
			if !clean {
				failure.Left() // it was code of the user that has called
			}
		}()
		defer s.leave()
		if ctx.Done() != nil {
			s.telling.Add(1)
			stop := live.WatchContext(ctx, (*allEnded[T])(s))
			defer func() {
				if !stop() {
					s.telling.Wait() // the loop is over when the source has been told, whoever does that
				}
			}()
		}
		src.Subscribe(ctx, s)
		if s.direct {
			s.link.Request(reactor.Unbounded)
		} else {
			s.queued.Do(s.makeQueue)
		}
		s.loop(yield)
		clean = true
	}
}

// allSubscriber hands the elements from the goroutine of src to that of the loop, or calls the body
// of the loop on the goroutine that requests them.
type allSubscriber[T any] struct {
	protocol.Inner
	protocol.Quiet
	ctx      context.Context
	body     func(T, error) bool // of the loop
	caller   uintptr             // the goroutine of the loop
	link     protocol.Deferred   // to upstream
	direct   bool                // src emits where it is asked; set by OnSubscribe on the goroutine of the loop
	run      protocol.Half       // told of the runs of src; nothing else sends an end by it
	broken   bool                // direct: the body has left the loop; loop only
	push     func(T)             // direct: what Push returns, for a stage that does not ask for it; loop only
	prefetch int
	queued   sync.Once     // not if direct: makes what follows
	demand   int64         // the first request
	refill   demand.Refill // loop only
	queue    queue.Queue[T]
	asked    bool // the loop may wait here; loop only
	// unwatch ends the watch for a stall, which begins with the first wait; loop only.
	unwatch func()

	ended   atomic.Bool            // src has ended
	err     error                  // its error; written before ended is set, read after
	cut     atomic.Pointer[cutErr] // the end of ctx, or the failure to wait, which does not wait for the queue
	waiting atomic.Bool            // the loop waits, or is about to
	wake    chan struct{}          // gets a token from the one who resets waiting

	telling sync.WaitGroup // whoever brings the end of ctx

	heard bool           // the loop was told of err, or the hook; loop, then the owner of drain
	left  atomic.Bool    // the loop is over
	drain protocol.Drain // after that, discards what is or comes into the queue
}

type cutErr struct{ err error }

func (s *allSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	if goid.Current() == s.caller && s.run.AttachRequested(up) {
		s.direct = true
		s.link.Set(up) // asked when everything is subscribed: the body is called from there
		return
	}
	s.queued.Do(s.makeQueue)
	if s.link.Set(up) {
		up.Request(s.demand)
	}
}

// makeQueue makes the queue between two goroutines.
func (s *allSubscriber[T]) makeQueue() {
	s.demand = int64(s.prefetch)
	if s.prefetch == math.MaxInt {
		s.demand = reactor.Unbounded
	}
	s.queue = queue.NewSPSC[T](s.demand)
	s.refill = demand.NewRefill(s.demand)
}

// Push implements protocol.Pusher. Not inlined, see publishOnSubscriber.Push.
//
//go:noinline
func (s *allSubscriber[T]) Push() func(T) {
	if !s.direct {
		return s.OnNext
	}
	return func(v T) {
		// Who cuts the stream off has cancelled it before, so the source's own look, which is before every element,
		// is enough.
		if s.broken {
			reactor.Discard(s.ctx, v)
		} else if !s.run.Aside(s.body, v) {
			s.broken = true
			s.link.Cancel()
		}
	}
}

func (s *allSubscriber[T]) OnNext(v T) {
	if s.direct {
		if s.push == nil {
			s.push = s.Push()
		}
		s.push(v)
		return
	}
	if !s.queue.Offer(v) {
		defer s.cutOff(reactor.Failure("all", reactor.ErrOverflow, "an element came that had not been requested"))
		defer reactor.Discard(s.ctx, v)
		s.link.Cancel()
		return
	}
	chaos.Yield()
	if s.left.Load() {
		s.drain.Run(s)
		return
	}
	s.notify()
}

func (s *allSubscriber[T]) OnError(err error) {
	if s.left.Load() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.err = err
	s.OnComplete()
}

func (s *allSubscriber[T]) OnComplete() {
	s.link.Close() // what has ended is not to be cancelled, however long the loop is at what was queued
	s.ended.Store(true)
	chaos.Yield()
	if s.left.Load() {
		s.drain.Run(s)
		return
	}
	s.notify()
}

// loop runs the body of the range statement.
func (s *allSubscriber[T]) loop(yield func(T, error) bool) {
	var none T
	for !s.broken {
		if c := s.cut.Load(); c != nil {
			yield(none, c.err)
			return
		}
		ended := s.ended.Load()
		var v T
		var ok bool
		if !s.direct {
			v, ok = s.queue.Poll()
		}
		switch {
		case ok:
			if !yield(v, nil) {
				return
			}
			if n := s.refill.Consumed(1); n > 0 {
				s.link.Request(n)
			}
		case ended:
			if s.heard = true; s.err != nil {
				yield(none, s.err)
			}
			return
		default:
			s.await()
		}
	}
}

// await waits until something may have happened.
func (s *allSubscriber[T]) await() {
	s.waiting.Store(true)
	chaos.Yield()
	if !s.direct && !s.queue.IsEmpty() || s.ended.Load() || s.cut.Load() != nil {
		if !s.waiting.Swap(false) {
			<-s.wake
		}
		return
	}
	if !s.asked {
		s.asked = true
		if err := checkBlocking(s.ctx, "all"); err != nil {
			s.cutOff(err)
		} else {
			s.unwatch = stall.Watch(s.ctx)
		}
	}
	<-s.wake
}

// notify wakes the loop if it waits.
func (s *allSubscriber[T]) notify() {
	if s.waiting.Load() && s.waiting.Swap(false) {
		s.wake <- struct{}{}
	}
}

// allEnded hears of the end of the context.
type allEnded[T any] allSubscriber[T]

// ContextEnded implements [live.Ended].
func (e *allEnded[T]) ContextEnded() {
	s := (*allSubscriber[T])(e)
	defer s.telling.Done()
	s.ctxDone()
}

func (s *allSubscriber[T]) ctxDone() {
	defer s.cutOff(reactor.NonNil(context.Cause(s.ctx))) // even if who hears of the cancellation ends the goroutine
	s.link.Cancel()
}

func (s *allSubscriber[T]) cutOff(err error) {
	s.cut.CompareAndSwap(nil, &cutErr{err})
	chaos.Yield()
	s.notify()
}

// leave ends the loop, in whichever way it is left. From here on the queue belongs
// to the drain.
func (s *allSubscriber[T]) leave() {
	if s.unwatch != nil {
		s.unwatch()
	}
	s.left.Store(true)
	if !s.direct {
		s.queued.Do(s.makeQueue) // not yet, if the source has ended the goroutine before it gave a subscription
	}
	defer s.drain.Run(s)
	if !s.ended.Load() {
		s.link.Cancel()
	}
	chaos.Yield()
}

// DrainPass implements protocol.Drainer.
func (s *allSubscriber[T]) DrainPass() {
	for !s.direct {
		v, ok := s.queue.Poll()
		if !ok {
			break
		}
		reactor.Discard(s.ctx, v)
	}
	if s.ended.Load() && !s.heard {
		if s.heard = true; s.err != nil {
			belated.Drop(s.ctx, s.err)
		}
	}
}
