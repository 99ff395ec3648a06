package blocking

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// Feed hands the elements of a publisher to one goroutine at a time, the consumer, which takes
// one after the other and may block in between. It requests as many elements ahead
// as it was told to, and holds no more. The consumer waits, or is woken and holds up nobody meanwhile:
// who has a lane of a scheduler does that, which the source may need.
type Feed[T any] struct {
	protocol.Quiet
	ctx     context.Context
	op      string         // for errors
	size    int            // of queue
	queue   queue.Queue[T] // offered to by the publisher, polled by the consumer; after the end by the owner of sweep
	up      protocol.Deferred
	refill  demand.Refill // consumer
	err     error         // what the stream has ended with; written by who has set over, before ended
	untold  bool          // err is one of the source, and the consumer has not asked for it; written as err, then by the consumer, then by the owner of sweep
	over    atomic.Bool   // the publisher, or the end of ctx, ends the stream
	ended   atomic.Bool   // err is there: the stream has ended
	unwatch func() bool   // of ctx; nil if it never ends; written before the subscription
	inStep  bool          // the consumer reads the source itself, by asking for an element
	asked   bool          // inStep: the consumer has asked, and nothing has come; touched by the consumer
	stopped atomic.Bool   // Interrupt or Close was called
	closed  atomic.Bool   // the consumer takes nothing more
	parked  atomic.Bool   // the consumer waits for wake, or to be woken
	wake    chan struct{}
	woken   func() // wakes a consumer that does not wait; nil if it does; never changed
	sweep   protocol.Drain
}

// NewFeed subscribes to src, under ctx, and requests prefetch > 0 elements. The end of
// ctx is the failure of the stream. The consumer calls Close when it is done. Where src is a
// publisher of [New] its elements do not share their memory: the ring
// holds them while the next ones are read.
func NewFeed[T any](ctx context.Context, op string, src reactor.Publisher[T], prefetch int) *Feed[T] {
	return newFeed[T](ctx, op, prefetch).ahead(src)
}

// NewWokenFeed is NewFeed for a consumer that calls Take, and is woken by a call of woken, by any goroutine.
func NewWokenFeed[T any](ctx context.Context, op string, src reactor.Publisher[T], prefetch int, woken func()) *Feed[T] {
	f := newFeed[T](ctx, op, prefetch)
	f.woken = woken
	return f.ahead(src)
}

// ahead subscribes.
func (f *Feed[T]) ahead(src reactor.Publisher[T]) *Feed[T] {
	prefetch := f.size
	f.refill = demand.NewRefill(int64(prefetch))
	f.up.Request(int64(prefetch))
	f.subscribe(apart(protocol.Trust(f.op, src)))
	return f
}

// NewFeedInStep is NewWokenFeed with a prefetch of 1, or with none if src can be read in step; see [InStep].
func NewFeedInStep[T any](ctx context.Context, op string, src reactor.Publisher[T], woken func()) *Feed[T] {
	src, ok := InStep(protocol.Trust(op, src))
	if !ok {
		return NewWokenFeed(ctx, op, src, 1, woken)
	}
	f := newFeed[T](ctx, op, 1)
	f.woken = woken
	f.inStep = true
	f.refill = demand.NewRefill(reactor.Unbounded) // never
	f.subscribe(src)
	return f
}

// apart returns src, which may be a publisher of [New], with sources that do not let elements share
// their memory. One with a method Apart is told.
func apart[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	p, ok := src.(*publisher[T])
	if !ok {
		return src
	}
	return &publisher[T]{settings: p.settings, make: func() Source[T] {
		source := p.make()
		if s, ok := source.(interface{ Apart() }); ok {
			s.Apart()
		}
		return source
	}}
}

func newFeed[T any](ctx context.Context, op string, size int) *Feed[T] {
	return &Feed[T]{ctx: ctx, op: op, size: size, queue: queue.NewBounded[T](size), wake: make(chan struct{}, 1)}
}

func (f *Feed[T]) subscribe(src reactor.Publisher[T]) {
	src = protocol.Trust(f.op, src)
	ctx := f.ctx
	if ctx.Done() != nil {
		f.unwatch = live.WatchContext(ctx, (*feedEnded[T])(f))
	}
	subscribed := false
	defer func() {
		if !subscribed { // the source has ended the goroutine, and nobody gets the feed
			_ = f.Err() // counts as told: whoever subscribes ends with it
			f.Close()
		}
	}()
	src.Subscribe(ctx, &feedSubscriber[T]{Feed: f})
	subscribed = true
}

// Poll returns the next element if it is there. Consumer only.
func (f *Feed[T]) Poll() (v T, ok bool) {
	if f.stopped.Load() {
		return v, false
	}
	if v, ok = f.queue.Poll(); ok {
		if n := f.refill.Consumed(1); n > 0 {
			f.up.Request(n)
		}
	}
	return v, ok
}

// Wait waits until there is an element and reports true; or false, when there will be
// none: then Err says why. Consumer only.
func (f *Feed[T]) Wait() bool {
	ready, _ := f.WaitFor(nil)
	return ready
}

// WaitFor is Wait that gives up when something is received from other: then late is
// true. Consumer only.
func (f *Feed[T]) WaitFor(other <-chan time.Time) (ready, late bool) {
	for {
		over := f.ended.Load() // before the queue: what came before the end counts
		switch {
		case f.stopped.Load():
			return false, false
		case !f.queue.IsEmpty():
			return true, false
		case over || late:
			return false, late && !over
		}
		f.parked.Store(true)
		chaos.Yield()
		if f.ended.Load() || f.stopped.Load() || !f.queue.IsEmpty() {
			f.unpark()
			continue
		}
		select {
		case <-f.wake:
		case <-other:
			late = true
			f.unpark()
		}
	}
}

// unpark takes back the mark of a consumer that waits or, if somebody has taken the
// mark, the token of that goroutine.
func (f *Feed[T]) unpark() {
	if !f.parked.Swap(false) {
		<-f.wake
	}
}

// Next waits for the next element; io.EOF is the end, and never the failure of the source. Consumer only.
func (f *Feed[T]) Next() (v T, err error) {
	for {
		if v, ok := f.Poll(); ok {
			return v, nil
		}
		if !f.Wait() {
			return v, f.why()
		}
	}
}

// why returns what there is in the place of an element.
func (f *Feed[T]) why() error {
	switch err := f.Err(); err {
	case nil:
		return io.EOF
	case io.EOF: // the source has failed, which must not look like its end
		return reactor.Failure(f.op, io.ErrUnexpectedEOF, "the source failed").CausedBy(err)
	default:
		return err
	}
}

// Take returns the next element, or reports false if it is not there yet: then the consumer is woken when there is one, or
// the end, and calls Take again. It may be woken for nothing. The errors are those of Next. Consumer only.
func (f *Feed[T]) Take() (v T, ok bool, err error) {
	for {
		if v, ok := f.Poll(); ok {
			f.asked = false
			return v, true, nil
		}
		over := f.ended.Load() // before the queue: what came before the end counts
		switch {
		case !f.stopped.Load() && !f.queue.IsEmpty():
			continue
		case over || f.stopped.Load():
			return v, false, f.why()
		case f.inStep && !f.asked:
			f.asked = true
			f.ask()
			continue
		}
		f.parked.Store(true)
		chaos.Yield()
		if !f.ended.Load() && !f.stopped.Load() && f.queue.IsEmpty() {
			return v, false, nil
		}
		f.parked.Store(false) // who took the mark before wakes for nothing
	}
}

// ask reads the next element, or finds the end. A source that ends the goroutine meanwhile ends the
// consumer, which need not get the error of the source a second time.
func (f *Feed[T]) ask() {
	clean := false
	defer func() {
		if !clean {
			_ = f.Err()
		}
	}()
	f.up.Request(1)
	clean = true
}

// Err returns why Wait reported false: nil for completion, reactor.ErrCancelled after
// Interrupt. Consumer only.
func (f *Feed[T]) Err() error {
	if f.stopped.Load() {
		return reactor.ErrCancelled
	}
	if f.ended.Load() {
		f.untold = false
		return f.err
	}
	return nil
}

// Interrupt ends the stream from any goroutine: it is cancelled, and the consumer
// finds no more elements.
func (f *Feed[T]) Interrupt() {
	f.stopped.Store(true)
	defer f.signal() // even if who hears of the cancellation ends the goroutine
	f.up.Cancel()
}

// Close ends the stream, if it has not ended, and discards what was not taken. An error behind that, which
// nobody has asked for, is reported as dropped. The consumer calls it last.
func (f *Feed[T]) Close() {
	defer f.settle()
	f.Interrupt()
}

func (f *Feed[T]) settle() {
	if f.unwatch != nil {
		f.unwatch()
	}
	f.closed.Store(true)
	chaos.Yield()
	f.sweep.Run((*feedSweep[T])(f))
}

// feedEnded hears of the end of the context.
type feedEnded[T any] Feed[T]

// ContextEnded implements [live.Ended].
func (e *feedEnded[T]) ContextEnded() {
	f := (*Feed[T])(e)
	defer f.end(reactor.NonNil(context.Cause(f.ctx)))
	f.up.Cancel()
}

// end ends the stream, and reports false if that was done before.
func (f *Feed[T]) end(err error) bool { return f.finish(err, false) }

// fail is end for an error of the source, which the consumer or the hook has to get.
func (f *Feed[T]) fail(err error) bool { return f.finish(err, true) }

func (f *Feed[T]) finish(err error, untold bool) bool {
	if f.over.Swap(true) {
		return false
	}
	f.err, f.untold = err, untold
	chaos.Yield()
	f.ended.Store(true)
	chaos.Yield()
	if untold && f.closed.Load() { // else there is nothing to tell
		f.sweep.Run((*feedSweep[T])(f))
		return true
	}
	f.signal()
	return true
}

// signal wakes the consumer if it waits.
func (f *Feed[T]) signal() {
	chaos.Yield()
	if !f.parked.Load() || !f.parked.Swap(false) {
		return
	}
	if f.woken != nil {
		f.woken()
		return
	}
	f.wake <- struct{}{}
}

// feedSubscriber is the subscriber. Nothing in it panics, and the feed watches the context, so
// it needs no edge in front.
type feedSubscriber[T any] struct {
	protocol.Inner
	*Feed[T]
}

func (s *feedSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.up.Set(up) }

func (s *feedSubscriber[T]) OnNext(v T) {
	f := s.Feed
	if f.closed.Load() {
		reactor.Discard(f.ctx, v)
		return
	}
	if !f.queue.Offer(v) {
		defer f.fail(reactor.Failure(f.op, reactor.ErrOverflow, "the source sent more than the %d elements it was asked for", f.size))
		defer reactor.Discard(f.ctx, v)
		f.up.Cancel()
		return
	}
	chaos.Yield()
	if f.closed.Load() {
		f.sweep.Run((*feedSweep[T])(f))
		return
	}
	f.signal()
}

func (s *feedSubscriber[T]) OnError(err error) {
	s.up.Close() // what has ended is not cancelled, however long the consumer is at what was queued
	if s.stopped.Load() || !s.fail(err) {
		reactor.DropError(s.ctx, err)
	}
}

func (s *feedSubscriber[T]) OnComplete() {
	s.up.Close()
	s.end(nil)
}

// feedSweep discards the elements that are left, and reports an error behind them.
type feedSweep[T any] Feed[T]

// DrainPass implements protocol.Drainer.
func (s *feedSweep[T]) DrainPass() {
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		reactor.Discard(s.ctx, v)
	}
	if s.ended.Load() && s.untold {
		s.untold = false
		belated.Drop(s.ctx, s.err)
	}
}
