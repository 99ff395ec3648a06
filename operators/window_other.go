package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/paired"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/windows"
)

// WindowOther splits src into streams: each has the elements that come between two
// elements of other. The first window is emitted at once, each further window when other
// emits.
//
//	src:    1 - 2 - 3 - 4 - 5 |
//	other:  ----- x ------- x -
//	out:    a --- b ------- c |
//	a:      1 - 2 |
//	b:            - 3 - 4 - |
//	c:                      5 |
//
// Windows may be empty. It asks src and other for everything; a window without demand
// fails the stream with reactor.ErrOverflow, after the window before it has completed.
// The completion of other completes the open window and the stream and cancels src. An
// error of src or of other ends everything, and overtakes elements that wait for another
// goroutine to deliver them. other is subscribed before src, and cancelled with it.
// Windows come on the goroutine of other; the first one comes on the goroutine that
// subscribes.
//
// See [Window] for what all windows have in common.
func WindowOther[T, U, W any](src reactor.Publisher[T], other reactor.Publisher[U], window func(reactor.Publisher[T]) W) reactor.Publisher[W] {
	return newWindowOther("windowOther", src, other, window)
}

func newWindowOther[T, U, W any](op string, src reactor.Publisher[T], other reactor.Publisher[U], window func(reactor.Publisher[T]) W) reactor.Publisher[W] {
	argument.Given(op, "function", window != nil)
	return &windowOtherPublisher[T, U, W]{op: op, src: protocol.Trust(op, src), other: protocol.Trust(op, other), window: window}
}

type windowOtherPublisher[T, U, W any] struct {
	protocol.Op
	op     string
	src    reactor.Publisher[T]
	other  reactor.Publisher[U]
	window func(reactor.Publisher[T]) W
}

func (p *windowOtherPublisher[T, U, W]) Subscribe(ctx context.Context, sub reactor.Subscriber[W]) {
	s := &windowOther[T, W]{op: p.op, queue: queue.NewMPSC[windowOtherSignal[T]](windows.Chunk)}
	s.Init(ctx, sub, p.window, s)
	first := s.Out.Run                                            // the first window
	failure.InTurn(func() { s.Out.BeginWith(s) }, first, func() { // each may end the goroutine
		if s.other.IsDisposed() {
			return
		}
		boundaries := &windowBoundaries[T, U, W]{main: s}
		s.other.Set(0, boundaries)
		failure.InTurn(func() { p.other.Subscribe(ctx, boundaries) }, func() { p.src.Subscribe(ctx, s) })
	})
}

// windowOtherSignal is an element of src, or something that happens between elements.
type windowOtherSignal[T any] struct {
	v    T
	kind windowOtherEvent
}

type windowOtherEvent uint8

const (
	windowOtherElement  windowOtherEvent = iota
	windowOtherBoundary                  // a boundary
	windowOtherEnd                       // the end of all
)

// windowOther is the subscriber of src and the subscription of downstream.
type windowOther[T, W any] struct {
	windows.Events[T, *windows.Window[T], W]
	op       string
	link     protocol.Deferred                 // to src
	other    protocol.Handle                   // owns the subscription to the boundaries
	queue    *queue.MPSC[windowOtherSignal[T]] // what comes while somebody else has the outlet
	failures failure.List                      // of either side
	call     protocol.Calling                  // in Next of a window, with the outlet taken; touched by the signals of src only

	// What follows belongs to the owner of the outlet.
	started bool               // the first window was opened
	over    bool               // all has ended
	window  *windows.Window[T] // nil if none is open
}

func (s *windowOther[T, W]) CancelAll() {
	s.Ended.Store(true)
	defer s.other.Dispose() // also if a function that hears of the first ends the goroutine
	s.link.Cancel()
}

func (s *windowOther[T, W]) OnSubscribe(up reactor.Subscription) {
	if s.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *windowOther[T, W]) OnNext(v T) {
	if s.link.IsCancelled() {
		reactor.Discard(s.Out.Context(), v)
		return
	}
	if s.Out.TryEnter() {
		direct := s.window != nil && s.queue.IsEmpty()
		if direct {
			s.call.Begin()
			s.window.Send(v)
			s.call.End()
		}
		if direct {
			s.Out.Leave()
		} else {
			s.queue.Offer(windowOtherSignal[T]{v: v}) // before the pass, which a Goexit may end
			s.Out.Pass()
		}
		return
	}
	s.queue.Offer(windowOtherSignal[T]{v: v})
	chaos.Yield()
	s.Out.Run()
}

// Push implements protocol.Pusher.
func (s *windowOther[T, W]) Push() func(T) { return s.OnNext }

func (s *windowOther[T, W]) OnError(err error) {
	if s.call.Failed() { // a Goexit came by from there: the outlet was not left
		s.Out.Leave()
	}
	if !s.link.Close() {
		reactor.DropError(s.Out.Context(), err)
		return
	}
	defer s.fail(err) // also if a function that hears of what follows ends the goroutine
	s.other.Dispose()
}

// fail ends all because of an error of either side.
func (s *windowOther[T, W]) fail(err error) {
	if !s.failures.Add(err) {
		reactor.DropError(s.Out.Context(), err)
		return
	}
	s.Out.Run()
}

func (s *windowOther[T, W]) OnComplete() {
	if s.link.Close() {
		defer s.signal(windowOtherEnd) // also if a function that hears of what follows ends the goroutine
		s.other.Dispose()
	}
}

func (s *windowOther[T, W]) signal(kind windowOtherEvent) {
	s.queue.Offer(windowOtherSignal[T]{kind: kind})
	s.Out.Run()
}

// Flow implements protocol.Flow.
func (s *windowOther[T, W]) Flow() {
	if !s.started {
		s.started = true
		if s.Out.Stopped() {
			s.over = true
			s.CancelAll()
		} else {
			s.next()
		}
	}
	for {
		if s.failures.Any() {
			s.failed(s.failures.Terminate())
		}
		e, ok := s.queue.Poll()
		if !ok {
			return
		}
		switch {
		case s.over:
			s.discard(e)
		case e.kind == windowOtherEnd:
			s.finish(nil)
		case e.kind == windowOtherElement && s.window != nil:
			s.window.Send(e.v)
		case e.kind == windowOtherElement:
			s.discard(e)
		default:
			s.close()
			if !s.Out.Stopped() {
				s.next()
			}
		}
	}
}

// failed ends all with err, unless it comes too late.
func (s *windowOther[T, W]) failed(err error) {
	if s.over {
		reactor.DropError(s.Out.Context(), err)
		return
	}
	s.finish(err)
}

func (s *windowOther[T, W]) discard(e windowOtherSignal[T]) {
	if e.kind == windowOtherElement {
		reactor.Discard(s.Out.Context(), e.v)
	}
}

func (s *windowOther[T, W]) close() {
	if w := s.window; w != nil {
		s.window = nil
		w.Complete()
	}
}

// next opens a window, or fails if there is no demand for it.
func (s *windowOther[T, W]) next() {
	if s.Out.Demand() == 0 {
		s.finish(reactor.OperatorError(s.Out.Context(), reactor.Failure(s.op, reactor.ErrOverflow, "no demand for the next window"), nil))
		return
	}
	s.window = s.Open(s.op, windows.Chunk)
	s.Hold(s.window)
	s.Emit(s.Wrap(s.window))
}

// finish ends the open window and the stream.
func (s *windowOther[T, W]) finish(err error) {
	s.over = true
	defer s.told(err) // also if a function that hears of what follows ends the goroutine
	s.CancelAll()
}

// told passes the end on, to the open window and downstream.
func (s *windowOther[T, W]) told(err error) {
	w := pending.Take(&s.window)
	failure.InTurn(func() { // who listens to the window may end the goroutine
		if w != nil {
			w.End(err)
		}
	}, func() { s.FinishDown(err) })
}

// windowBoundaries is the subscriber of the other publisher, and the handle on it.
type windowBoundaries[T, U, W any] struct {
	protocol.Inner
	main *windowOther[T, W]
	link protocol.Deferred
}

func (b *windowBoundaries[T, U, W]) OnSubscribe(up reactor.Subscription) {
	if b.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (b *windowBoundaries[T, U, W]) OnNext(v U) {
	defer paired.Spend(b.main.Out.Context(), v)
	if b.link.IsCancelled() {
		return
	}
	defer b.main.signal(windowOtherBoundary) // also if a function that hears of what follows ends the goroutine
	if b.main.Out.Stopped() {
		b.link.Cancel() // the window that ends here was the last one
	}
}

func (b *windowBoundaries[T, U, W]) OnError(err error) {
	if !b.link.Close() {
		reactor.DropError(b.main.Out.Context(), err)
		return
	}
	defer b.main.fail(err) // also if a function that hears of what follows ends the goroutine
	b.main.link.Cancel()
}

func (b *windowBoundaries[T, U, W]) OnComplete() {
	if b.link.Close() {
		defer b.main.signal(windowOtherEnd) // also if a function that hears of what follows ends the goroutine
		b.main.link.Cancel()
	}
}

// Dispose cancels the subscription.
func (b *windowBoundaries[T, U, W]) Dispose() { b.link.Cancel() }

// IsDisposed reports whether the subscription has ended.
func (b *windowBoundaries[T, U, W]) IsDisposed() bool { return b.link.IsCancelled() }
