package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/windows"
	"github.com/goreactor/reactor/internal/unicast"
)

// windowTimeoutFairPublisher is WindowTimeout whose windows wait for demand.
type windowTimeoutFairPublisher[T, W any] struct {
	*windowTimeoutPublisher[T, W]
	timer trigger
}

func (p *windowTimeoutFairPublisher[T, W]) Subscribe(ctx context.Context, sub reactor.Subscriber[W]) {
	s := &windowTimeoutFair[T, W]{
		of: p, queue: queue.NewLinked[T](windows.Chunk),
	}
	s.due.Store(-1)
	s.Live.Store(1)
	s.Attach(&s.out, ctx, sub, s)
	p.src.Subscribe(ctx, s)
}

// windowTimeoutFair asks src for the elements of one window when there is demand for the first
// time, and for as many elements as a window has got when the next window takes its place. A
// window that is opened without demand waits, and no other window takes its place before it was
// emitted; so at most two windows' worth of elements is kept without demand.
//
// The open window outlives the stream of windows. With Verbatim the window ends with that
// stream, as in Reactor.
type windowTimeoutFair[T, W any] struct {
	protocol.Inner
	protocol.WindowSender[*windows.Window[T], W]
	windows.Count
	out   protocol.Outlet
	of    *windowTimeoutFairPublisher[T, W]
	up    reactor.Subscription // set by OnSubscribe
	timer protocol.Handle      // of the newest window
	queue *queue.Linked[T]     // what comes while somebody else has the outlet

	behind askBehind // what src is to be asked for: not with the outlet taken, where src may work for as long as it likes

	due  atomic.Int64
	call protocol.Calling // in Next of a window, with the outlet taken; touched by the signals of src only

	// What follows belongs to the owner of the outlet.
	finished bool               // the newest window has got the end of src
	unsent   bool               // the newest window waits for demand
	replaced bool               // another one is to take its place, when it was emitted
	window   *windows.Window[T] // the newest one; nil before the first demand
	index    int64              // its number
	refused  error              // the timer was
	count    int64              // elements that belong to it
	received int64              // elements that it has taken
	unwanted pending.Unwanted[T]
}

func (s *windowTimeoutFair[T, W]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.out.BeginWith(s)
}

// Request adds to the demand for windows.
func (s *windowTimeoutFair[T, W]) Request(n int64) {
	defer s.behind.pass(s.up) // also if what follows ends the goroutine, as below
	s.out.Request(n)
}

// Cancel ends the stream of windows.
func (s *windowTimeoutFair[T, W]) Cancel() {
	defer s.behind.pass(s.up)
	s.out.Cancel()
}

func (s *windowTimeoutFair[T, W]) OnNext(v T) {
	if s.out.Done() {
		reactor.DropNext(s.out.Context(), v)
		return
	}
	defer s.behind.pass(s.up)
	if s.out.TryEnter() {
		// The last element of a window leads to the next one, which needs a guard.
		direct := s.window != nil && s.count+1 < s.of.size && s.queue.IsEmpty()
		if direct {
			s.call.Begin()
			s.count++
			s.send(v)
			s.call.End()
		}
		if direct {
			s.out.Leave()
		} else {
			s.queue.Offer(v) // before the pass, which a Goexit may end
			s.out.Pass()
		}
		return
	}
	s.queue.Offer(v)
	chaos.Yield()
	s.out.Run()
}

// Push implements protocol.Pusher.
func (s *windowTimeoutFair[T, W]) Push() func(T) { return s.OnNext }

func (s *windowTimeoutFair[T, W]) OnError(err error) {
	if s.call.Failed() { // a Goexit came by from there: the outlet was not left
		s.out.Leave()
	}
	if s.out.Closed() && !s.out.Cancelled() {
		reactor.DropError(s.out.Context(), err)
		return
	}
	s.out.End(reactor.NonNil(err))
}

func (s *windowTimeoutFair[T, W]) OnComplete() { s.out.End(nil) }

// Stop implements protocol.Flow.
func (s *windowTimeoutFair[T, W]) Stop() { s.Released(true) }

// Released implements unicast.Owner: a window has ended, or the stream of windows.
func (s *windowTimeoutFair[T, W]) Released(bool) {
	if !s.Left() || s.Ended.Swap(true) {
		return
	}
	// Deferred: a function that hears of a cancellation may end the goroutine.
	defer s.out.Run() // asks src for nothing any more
	defer s.timer.Dispose()
	if !s.out.Done() {
		s.up.Cancel()
	}
}

// fired implements triggered: the time of a window is over.
func (s *windowTimeoutFair[T, W]) fired(index int64) {
	newest(&s.due, index)
	chaos.Yield()
	defer s.behind.pass(s.up)
	s.out.Run()
}

// failed implements triggered: the scheduler has refused the timer, at once.
func (s *windowTimeoutFair[T, W]) failed(_ int64, err error) {
	s.refused = err
	if s.window.IsCancelled() || !s.out.Cancelled() {
		s.out.Refuse(err)
	}
}

// Flow implements protocol.Flow.
func (s *windowTimeoutFair[T, W]) Flow() {
	for s.proceed() {
	}
}

// proceed takes one step and reports whether to take another.
func (s *windowTimeoutFair[T, W]) proceed() bool {
	done := s.out.Done() // before the look at the queue
	if !s.out.Open() {
		return s.outlives() && s.proceedAlone(done)
	}
	due := s.due.Load()
	switch {
	case s.window == nil && s.out.Demand() > 0 && !done:
		s.behind.add(s.of.size)
		s.open()
		return true
	case s.unsent && s.out.Demand() > 0:
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
		s.unwanted.Discard(s.out.Context(), v) // more than was asked for
	case ok:
		s.add(v)
	case done && !s.finished:
		s.finish()
		return true
	}
	return ok
}

// outlives reports whether a window is open that goes on without the stream of windows.
func (s *windowTimeoutFair[T, W]) outlives() bool {
	return !s.of.verbatim && s.out.Cancelled() && !s.Ended.Load() &&
		s.window != nil && !s.unsent && !s.finished && s.refused == nil && !s.window.IsCancelled()
}

// proceedAlone is proceed for a window that outlives the stream of windows: nothing takes its place.
func (s *windowTimeoutFair[T, W]) proceedAlone(done bool) bool {
	if s.due.Load() == s.index && !done {
		s.take().Complete()
		return true
	}
	v, ok := s.queue.Poll()
	switch {
	case ok && s.count+1 < s.of.size:
		s.count++
		s.send(v)
	case ok:
		defer s.timer.Dispose() // last, as below: each may end the goroutine
		w := pending.Take(&s.window)
		defer w.Complete()
		w.Send(v)
	case done:
		s.endAlone()
		return true
	}
	return ok
}

// take makes the open window the last one and returns it.
func (s *windowTimeoutFair[T, W]) take() *windows.Window[T] {
	s.timer.Dispose()
	return pending.Take(&s.window)
}

// endAlone passes the end of src to a window that outlives the stream of windows.
func (s *windowTimeoutFair[T, W]) endAlone() {
	s.finished = true
	err := s.out.TakeFailure()
	if s.take().EndOnly(err) != unicast.OK && err != nil {
		reactor.DropError(s.out.Context(), err)
	}
}

// send puts v into the open window, or asks for another element in its place.
func (s *windowTimeoutFair[T, W]) send(v T) {
	if s.window.Next(v) == unicast.OK {
		s.received++
		return
	}
	s.unwanted.Discard(s.out.Context(), v)
	if !s.Ended.Load() {
		s.behind.add(1)
	}
}

func (s *windowTimeoutFair[T, W]) add(v T) {
	s.count++
	if s.count < s.of.size {
		s.send(v)
		return
	}
	w := s.window
	defer s.timer.Clear(s.index) // last: a function that hears of it may end the goroutine
	if w.IsCancelled() {
		s.behind.add(1)
		s.unwanted.Discard(s.out.Context(), v)
		s.replaceOrWait()
		return
	}
	s.received++
	if !s.unsent {
		s.replaceFull(v)
		return
	}
	s.replaced = true
	w.Send(v)
	w.Complete()
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

// replace opens the next window, completes the open one, and asks for as many elements as that has got.
func (s *windowTimeoutFair[T, W]) replace() {
	s.behind.add(s.received)
	w := s.window
	if s.before(func() { w.Complete() }, s.open) {
		w.Complete()
	}
}

// replaceFull is replace for a window that v makes full. It gets v last, also if something fails before.
func (s *windowTimeoutFair[T, W]) replaceFull(v T) {
	s.behind.add(s.received)
	w := s.window
	last := func() {
		defer w.Complete() // also if its subscriber ends the goroutine
		w.Send(v)
	}
	if s.before(last, s.open) {
		last()
	}
}

// before calls fn, which emits a window. If that window fails on its way down, settle deals with
// the window before, and then the failure is sent: in this order, because a subscriber of the
// window before may end the goroutine, and then a panic that is under way is forgotten.
func (s *windowTimeoutFair[T, W]) before(settle, fn func()) (ok bool) {
	return failure.Guard(fn, func(err error) {
		defer s.Crash(&s.out, err)
		settle()
	})
}

// open makes the next window and emits it if there is demand.
func (s *windowTimeoutFair[T, W]) open() {
	var w *windows.Window[T]
	if s.of.verbatim {
		w = &windows.Window[T]{}
		w.Init("windowTimeout", s.out.Context(), queue.NewLinked[T](int(min(s.of.size, windows.Chunk))), nil)
	} else {
		w = windows.New[T]("windowTimeout", s.out.Context(), s.of.size, &s.Count, s)
	}
	s.window, s.count, s.received = w, 0, 0
	s.index++
	s.unsent = s.out.Demand() == 0
	defer s.of.timer(s.out.Context(), s, s.index, &s.timer) // also if the window fails on its way down
	if !s.unsent {
		s.emit(w)
	}
}

func (s *windowTimeoutFair[T, W]) emit(w *windows.Window[T]) {
	s.Hold(w)
	s.Send(&s.out, s.of.window(w))
	s.out.Produced(1)
}

// emitWaiting emits the window that has waited for demand, and opens the one that is to
// take its place.
func (s *windowTimeoutFair[T, W]) emitWaiting() {
	s.unsent = false
	if !s.replaced {
		s.emit(s.window)
		return
	}
	s.replaced = false
	w := s.window
	if s.before(func() { w.Complete() }, func() { s.emit(w) }) { // else its time is over
		s.replace()
	}
}

// finish passes the end of src to the newest window.
func (s *windowTimeoutFair[T, W]) finish() {
	s.finished, s.replaced = true, false
	if s.window != nil {
		defer s.window.End(s.out.Failure()) // also if a function that hears of what follows ends the goroutine
	}
	s.timer.Dispose()
}

// Dry implements protocol.Flow.
func (s *windowTimeoutFair[T, W]) Dry() bool { return s.finished && !s.unsent }

// Drop implements protocol.Flow: it ends the open window, unless that window outlives the stream,
// and gives the window up if nobody has seen it.
func (s *windowTimeoutFair[T, W]) Drop() {
	if s.outlives() {
		return
	}
	defer s.out.DropFailures() // also if a function that hears of what follows ends the goroutine
	s.timer.Dispose()
	w := pending.Take(&s.window)
	switch {
	case w == nil:
	case s.unsent:
		w.Abandon()
	default:
		w.End(s.refused)
	}
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		s.unwanted.Discard(s.out.Context(), v)
	}
}
