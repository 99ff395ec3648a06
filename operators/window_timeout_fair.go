package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/unicast"
)

// windowTimeoutFairPublisher is WindowTimeout whose windows wait for demand.
type windowTimeoutFairPublisher[T, W any] struct {
	*windowTimeoutPublisher[T, W]
	timer trigger
}

func (p *windowTimeoutFairPublisher[T, W]) Subscribe(ctx context.Context, sub reactor.Subscriber[W]) {
	s := &windowTimeoutFair[T, W]{
		of: p, ctx: ctx, down: protocol.Strict(ctx, sub), queue: queue.NewLinked[T](windowChunk),
	}
	s.due.Store(-1)
	p.src.Subscribe(ctx, s)
}

// windowTimeoutFair asks src for what one window holds, the first time when there is
// demand, and for what a window has got when the next one takes its place. A window
// that is opened without demand waits, and nothing takes its place before it was
// emitted; so at most two windows' worth of elements is kept without demand.
type windowTimeoutFair[T, W any] struct {
	protocol.Inner
	of    *windowTimeoutFairPublisher[T, W]
	ctx   context.Context
	down  reactor.Subscriber[W]
	up    reactor.Subscription // set by OnSubscribe
	timer protocol.Handle      // of the newest window
	queue *queue.Linked[T]     // what comes while somebody else drains

	err       error       // written before done
	done      atomic.Bool // src has ended
	refused   error       // written before due is set to timerRefused
	due       atomic.Int64
	demand    atomic.Int64 // for windows
	cancelled atomic.Bool
	call      protocol.Calling // in Next of a window, with the drain taken; touched by the signals of src only
	drain     protocol.Drain

	// What follows belongs to the owner of drain.
	over     bool           // the end was delivered, or all was cancelled
	window   *openWindow[T] // the newest one; nil before the first demand
	index    int64          // its number
	unsent   bool           // it waits for demand
	replaced bool           // another one is to take its place, when it was emitted
	count    int64          // elements that belong to it
	received int64          // those that it has taken
	hand     *openWindow[T] // on its way down; nil if none
	// What is still to be done when the window in hand has arrived, or has failed.
	full *openWindow[T]   // to be completed; nil if none
	last protocol.Hand[T] // goes into full before
}

// timerRefused in due says that the scheduler has not taken the timer.
const timerRefused = -2

func (s *windowTimeoutFair[T, W]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *windowTimeoutFair[T, W]) OnNext(v T) {
	if s.done.Load() {
		reactor.DropNext(s.ctx, v)
		return
	}
	if s.drain.TryEnter() {
		// The last element of a window leads to the next one, which needs a guard.
		direct := !s.over && s.window != nil && s.count+1 < s.of.size && s.queue.IsEmpty()
		if direct {
			s.call.Begin()
			s.count++
			s.send(v)
			s.call.End()
		}
		if direct {
			s.drain.Leave(s)
		} else {
			s.queue.Offer(v) // before the pass, which a Goexit may end
			s.drain.Loop(s)
		}
		return
	}
	s.queue.Offer(v)
	chaos.Yield()
	s.drain.Run(s)
}

// Push implements protocol.Pusher.
func (s *windowTimeoutFair[T, W]) Push() func(T) { return s.OnNext }

func (s *windowTimeoutFair[T, W]) OnError(err error) {
	if s.call.Failed() { // a Goexit came by from there: the drain was not left
		s.drain.Leave(s)
	}
	if s.done.Load() || s.cancelled.Load() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.err = reactor.NonNil(err)
	s.done.Store(true)
	s.drain.Run(s)
}

func (s *windowTimeoutFair[T, W]) OnComplete() {
	s.done.Store(true)
	s.drain.Run(s)
}

// Request adds to the demand for windows.
func (s *windowTimeoutFair[T, W]) Request(n int64) {
	protocol.AddDemand(&s.demand, n)
	s.drain.Run(s)
}

// Cancel cancels src and completes the open window.
func (s *windowTimeoutFair[T, W]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	defer s.drain.Run(s) // also if a function that hears of it ends the goroutine
	defer s.timer.Dispose()
	if !s.done.Load() {
		s.up.Cancel()
	}
}

// fired implements triggered: the time of a window is over.
func (s *windowTimeoutFair[T, W]) fired(index int64) {
	s.due.Store(index)
	chaos.Yield()
	s.drain.Run(s)
}

// failed implements triggered.
func (s *windowTimeoutFair[T, W]) failed(_ int64, err error) {
	s.refused = err
	s.due.Store(timerRefused)
	s.drain.Run(s)
}

// DrainPass implements protocol.Drainer.
func (s *windowTimeoutFair[T, W]) DrainPass() {
	for s.proceed() {
	}
}

// proceed takes one step and reports whether to take another.
func (s *windowTimeoutFair[T, W]) proceed() bool {
	if !s.over && s.cancelled.Load() {
		s.close(nil)
	}
	if s.over {
		s.clear()
		return false
	}
	done := s.done.Load() // before the look at the queue
	due := s.due.Load()
	switch {
	case due == timerRefused:
		protocol.InTurn(s.up.Cancel, func() { s.close(s.refused) }, func() { s.down.OnError(s.refused) })
		return true
	case s.window == nil && s.demand.Load() > 0 && !done:
		s.open()
		s.up.Request(s.of.size)
		return true
	case s.unsent && s.demand.Load() > 0:
		s.emitWaiting()
		return true
	case due == s.index && s.window != nil && !done:
		s.due.CompareAndSwap(due, -1)
		s.replaceOrWait()
		return true
	}
	v, ok := s.queue.Poll()
	switch {
	case ok && s.window == nil:
		reactor.Discard(s.ctx, v) // more than was asked for
	case ok:
		s.add(v)
	case done:
		return s.finish()
	}
	return ok
}

// send puts v into the open window, or asks for another element in its place.
func (s *windowTimeoutFair[T, W]) send(v T) {
	if s.window.Next(v) == unicast.OK {
		s.received++
		return
	}
	reactor.Discard(s.ctx, v)
	s.up.Request(1)
}

func (s *windowTimeoutFair[T, W]) add(v T) {
	s.count++
	if s.count < s.of.size {
		s.send(v)
		return
	}
	w := s.window
	s.timer.Clear(s.index)
	if w.IsCancelled() {
		reactor.Discard(s.ctx, v)
		s.up.Request(1)
		s.replaceOrWait()
		return
	}
	s.received++
	s.last.Hold(v)
	if s.unsent {
		s.replaced, s.full = true, w
		s.settle()
		return
	}
	s.replace()
}

// replaceOrWait is replace, unless the open window was not emitted yet: then that comes
// first.
func (s *windowTimeoutFair[T, W]) replaceOrWait() {
	if s.unsent {
		s.replaced = true
		return
	}
	s.replace()
}

// replace opens the next window and then completes the open one.
func (s *windowTimeoutFair[T, W]) replace() {
	received := s.received
	s.full = s.window
	s.open()
	if !s.last.Full() {
		s.settle()
	}
	if received > 0 {
		s.up.Request(received)
	}
	s.settle()
}

// settle completes the window that another one has replaced, with the element that made
// it full.
func (s *windowTimeoutFair[T, W]) settle() {
	w := s.full
	if w == nil {
		return
	}
	s.full = nil
	if s.last.Full() {
		v := s.last.Item()
		s.last.LetGo()
		w.Send(v)
	}
	w.Complete()
}

// open makes the next window and emits it if there is demand.
func (s *windowTimeoutFair[T, W]) open() {
	w := &openWindow[T]{}
	w.Init("windowTimeout", s.ctx, queue.NewLinked[T](int(min(s.of.size, windowChunk))), nil)
	s.window, s.count, s.received = w, 0, 0
	s.index++
	s.unsent = s.demand.Load() == 0
	if !s.unsent {
		s.emit(w)
	}
	s.of.timer(s.ctx, s, s.index, &s.timer)
}

func (s *windowTimeoutFair[T, W]) emit(w *openWindow[T]) {
	s.hand = w
	s.down.OnNext(s.of.window(w))
	s.hand = nil
	if s.demand.Load() != reactor.Unbounded {
		protocol.Produced(&s.demand, 1)
	}
}

// emitWaiting emits the window that has waited for demand, and opens the one that is to
// take its place.
func (s *windowTimeoutFair[T, W]) emitWaiting() {
	s.unsent = false
	s.emit(s.window)
	if !s.replaced {
		return
	}
	s.replaced = false
	s.replace()
}

// finish delivers the end of src, as far as demand allows.
func (s *windowTimeoutFair[T, W]) finish() bool {
	s.timer.Dispose()
	if w := s.window; w != nil && !w.IsTerminated() {
		if s.err != nil {
			w.Error(s.err)
		} else {
			w.Complete()
		}
	}
	s.replaced = false
	switch {
	case s.unsent:
		return false
	case s.cancelled.Load():
		if s.err != nil {
			reactor.DropError(s.ctx, s.err)
		}
		s.over = true
	case s.err != nil:
		s.over = true
		s.down.OnError(s.err)
	default:
		s.over = true
		s.down.OnComplete()
	}
	return true
}

// close ends the open window, and gives it up if nobody has seen it.
func (s *windowTimeoutFair[T, W]) close(err error) {
	s.over = true
	s.timer.Dispose()
	w := s.window
	s.window = nil
	switch {
	case w == nil:
	case s.unsent:
		w.Abandon()
	case err != nil:
		w.Error(err)
	default:
		w.Complete()
	}
}

func (s *windowTimeoutFair[T, W]) clear() {
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		reactor.Discard(s.ctx, v)
	}
}

// DrainCrashed implements protocol.Drainer.
func (s *windowTimeoutFair[T, W]) DrainCrashed(err error) {
	over, w := s.over, s.hand
	s.hand = nil
	s.Cancel()
	if w != nil {
		w.Abandon()
	}
	s.settle()
	s.close(nil)
	err = reactor.OperatorError(s.ctx, err, nil)
	if over {
		reactor.DropError(s.ctx, err)
		return
	}
	s.down.OnError(err)
}
