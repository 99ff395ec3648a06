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
	"github.com/goreactor/reactor/internal/stage/places"
	"github.com/goreactor/reactor/internal/stage/windows"
)

// WindowWhen opens a window for each element of open, and closes it when the publisher
// that closing returns for that element emits or completes.
//
//	src:   1 - 2 - 3 - 4 - 5 - 6 |
//	open:  - x ------- y --------
//	       WindowWhen(open, 6 steps later)
//	a:       - 2 - 3 - |
//	b:                 - 5 - 6 - |
//
// Windows overlap if several are open at a time, and an element goes to each of them;
// elements that come while none is open are discarded. It asks src, open and the
// closing publishers for everything; a window without demand fails the stream with
// reactor.ErrOverflow, and a panic of closing fails it with the error of the panic; in
// both cases the open windows go on. When src or open completes, the open windows and
// the stream complete, and the other of the two is cancelled. An error of any publisher
// ends everything. open is subscribed before src. Windows come, and closing runs, on
// the goroutine of open.
//
// See [Window] for what all windows have in common.
func WindowWhen[T, U, V, W any](src reactor.Publisher[T], open reactor.Publisher[U], closing func(U) reactor.Publisher[V], window func(reactor.Publisher[T]) W, opts ...WindowWhenOption) reactor.Publisher[W] {
	var c windowWhenConfig
	for _, o := range argument.Options("windowWhen", opts) {
		o.applyWindowWhen(&c)
	}
	return newWindowWhen("windowWhen", src, open, closing, window, c.verbatim)
}

// WindowWhenOption is an option of [WindowWhen]: [Verbatim].
type WindowWhenOption interface{ applyWindowWhen(*windowWhenConfig) }

type windowWhenConfig struct{ verbatim bool }

func (o VerbatimOption) applyWindowWhen(c *windowWhenConfig) { c.verbatim = bool(o) }

func newWindowWhen[T, U, V, W any](op string, src reactor.Publisher[T], open reactor.Publisher[U], closing func(U) reactor.Publisher[V], window func(reactor.Publisher[T]) W, verbatim bool) reactor.Publisher[W] {
	argument.Given(op, "function that closes", closing != nil)
	argument.Given(op, "function", window != nil)
	return &windowWhenPublisher[T, U, V, W]{
		op: op, src: protocol.Trust(op, src), opening: protocol.Trust(op, open), window: window, verbatim: verbatim,
		closing: func(u U) trigger { return onSignal(protocol.Trust(op, closing(u))) },
	}
}

type windowWhenPublisher[T, U, V, W any] struct {
	protocol.Op
	op      string
	src     reactor.Publisher[T]
	opening reactor.Publisher[U]
	closing func(U) trigger
	window  func(reactor.Publisher[T]) W

	verbatim bool
}

func (p *windowWhenPublisher[T, U, V, W]) Subscribe(ctx context.Context, sub reactor.Subscriber[W]) {
	s := &windowWhen[T, U, W]{op: p.op, closing: p.closing, verbatim: p.verbatim, queue: queue.NewMPSC[windowWhenSignal[T, U]](windows.Chunk)}
	s.Init(ctx, sub, p.window, s)
	defer func() { // also if downstream ends the goroutine
		if s.Out.Stopped() {
			return
		}
		failure.InTurn(func() { p.opening.Subscribe(ctx, &windowOpener[T, U, W]{main: s}) }, func() { p.src.Subscribe(ctx, s) })
	}()
	s.Out.BeginWith(s)
}

// windowWhenSignal is an element of src, or something that happens between elements.
type windowWhenSignal[T, U any] struct {
	v    T
	u    U
	w    *closingWindow[T] // that is closed
	err  error
	kind windowWhenEvent
}

type windowWhenEvent uint8

const (
	windowWhenElement windowWhenEvent = iota
	windowWhenOpen
	windowWhenClose
	windowWhenEnd   // of src or of what opens
	windowWhenError // of anything else
)

// windowWhen is the subscriber of src and the subscription of downstream.
type windowWhen[T, U, W any] struct {
	windows.Events[T, *closingWindow[T], W]
	op       string
	closing  func(U) trigger
	link     protocol.Deferred // to src
	opener   protocol.Deferred // to what opens windows
	queue    *queue.MPSC[windowWhenSignal[T, U]]
	verbatim bool
	call     protocol.Calling // in Next of a window, with the outlet taken; touched by the signals of src only

	// What follows belongs to the owner of the outlet.
	over    bool // nothing more will be delivered
	windows places.List[*closingWindow[T]]
	between pending.Unwanted[T]
}

// closingWindow is an open window and the subscription that will close it.
type closingWindow[T any] struct {
	*windows.Window[T]
	places.Place // among the open ones
	main         interface {
		closed(*closingWindow[T])
		failed(err error)
	}
	closing protocol.Handle
}

// fired implements triggered: the window is closed.
func (w *closingWindow[T]) fired(int64) { w.main.closed(w) }

// failed implements triggered: all ends.
func (w *closingWindow[T]) failed(_ int64, err error) { w.main.failed(err) }

// CancelAll cancels src, the publisher that opens windows, and those that close them.
func (s *windowWhen[T, U, W]) CancelAll() {
	if s.verbatim {
		return
	}
	s.Ended.Store(true)
	failure.InTurn(s.link.Cancel, s.opener.Cancel, func() { s.Out.Run() }) // each may end the goroutine
}

func (s *windowWhen[T, U, W]) OnSubscribe(up reactor.Subscription) {
	if s.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *windowWhen[T, U, W]) OnNext(v T) {
	if s.Ended.Load() {
		if s.link.IsCancelled() {
			reactor.Discard(s.Out.Context(), v)
		} else {
			reactor.DropNext(s.Out.Context(), v)
		}
		return
	}
	if s.Out.TryEnter() {
		direct := !s.over && s.queue.IsEmpty()
		if direct {
			s.call.Begin()
			s.deliver(v)
			s.call.End()
		}
		if direct {
			s.Out.Leave()
		} else {
			s.queue.Offer(windowWhenSignal[T, U]{v: v}) // before the pass, which a Goexit may end
			s.Out.Pass()
		}
		return
	}
	s.signal(windowWhenSignal[T, U]{v: v})
}

// Push implements protocol.Pusher.
func (s *windowWhen[T, U, W]) Push() func(T) { return s.OnNext }

func (s *windowWhen[T, U, W]) OnError(err error) {
	if s.call.Failed() { // a Goexit came by from there: the outlet was not left
		s.Out.Leave()
	}
	if s.Ended.Swap(true) || !s.link.Close() {
		reactor.DropError(s.Out.Context(), err)
		return
	}
	s.signal(windowWhenSignal[T, U]{kind: windowWhenEnd, err: reactor.NonNil(err)})
}

func (s *windowWhen[T, U, W]) OnComplete() {
	if !s.Ended.Swap(true) && s.link.Close() {
		s.signal(windowWhenSignal[T, U]{kind: windowWhenEnd})
	}
}

func (s *windowWhen[T, U, W]) closed(w *closingWindow[T]) {
	s.signal(windowWhenSignal[T, U]{kind: windowWhenClose, w: w})
}

func (s *windowWhen[T, U, W]) failed(err error) {
	s.signal(windowWhenSignal[T, U]{kind: windowWhenError, err: err})
}

func (s *windowWhen[T, U, W]) signal(e windowWhenSignal[T, U]) {
	s.queue.Offer(e)
	chaos.Yield()
	s.Out.Run()
}

// Flow implements protocol.Flow.
func (s *windowWhen[T, U, W]) Flow() {
	for {
		if s.Live.Load() == 0 && !s.verbatim {
			s.dispose(func([]*closingWindow[T]) {})
		}
		e, ok := s.queue.Poll()
		if !ok {
			return
		}
		switch {
		case s.over:
			s.drop(e)
		case e.kind == windowWhenElement:
			s.deliver(e.v)
		case e.kind == windowWhenOpen:
			s.openFor(e.u)
		case e.kind == windowWhenClose:
			s.closeOne(e.w)
		case e.kind == windowWhenEnd:
			s.finish(e.err)
		default:
			s.fail(e.err)
		}
	}
}

// drop does away with a signal that came too late.
func (s *windowWhen[T, U, W]) drop(e windowWhenSignal[T, U]) {
	switch {
	case e.kind == windowWhenElement:
		reactor.Discard(s.Out.Context(), e.v)
	case e.kind == windowWhenOpen:
		paired.Spend(s.Out.Context(), e.u)
	case e.err != nil:
		reactor.DropError(s.Out.Context(), e.err)
	}
}

func (s *windowWhen[T, U, W]) deliver(v T) {
	if s.windows.Len() == 0 && !s.verbatim {
		s.between.Discard(s.Out.Context(), v)
	}
	for _, w := range s.windows.Members() {
		w.Send(v)
	}
}

// openFor opens a window for an element of open, and starts what will close it.
func (s *windowWhen[T, U, W]) openFor(u U) {
	if s.Out.Stopped() {
		paired.Spend(s.Out.Context(), u)
		return
	}
	if s.Out.Demand() == 0 {
		defer paired.Spend(s.Out.Context(), u)
		s.leave(reactor.Failure(s.op, reactor.ErrOverflow, "no demand for the next window"))
		return
	}
	w := &closingWindow[T]{Window: s.Open(s.op, windows.Chunk), main: s}
	s.windows.Add(w)
	s.Hold(w)
	defer s.closeFor(u, w) // also if it fails on its way down: it goes on
	failure.Guard(func() { s.Emit(s.Wrap(w)) }, func(err error) { s.Crash(&s.Out, err) })
}

// closeFor starts what will close w.
func (s *windowWhen[T, U, W]) closeFor(u U, w *closingWindow[T]) {
	var closing trigger
	failure.Guard(func() { closing = s.closing(u) }, func(err error) {
		s.leave(reactor.OperatorError(s.Out.Context(), err, u))
	})
	if closing != nil {
		closing(s.Out.Context(), w, 0, &w.closing)
	}
}

// leave fails the stream of windows; the open ones go on.
func (s *windowWhen[T, U, W]) leave(err error) {
	s.Out.Refuse(err)
	s.Out.Open()
}

func (s *windowWhen[T, U, W]) closeOne(w *closingWindow[T]) {
	if s.windows.Remove(w) {
		w.Complete()
	}
}

// dispose stops the publishers that open and close windows, and calls then with the open
// windows, also if the goroutine ends meanwhile.
func (s *windowWhen[T, U, W]) dispose(then func([]*closingWindow[T])) {
	s.over = true
	windows := s.windows.Take()
	failure.InTurn(s.opener.Cancel, func() {
		failure.Persist(len(windows), func(i int) bool { windows[i].closing.Dispose(); return true })
	}, func() { then(windows) })
}

// finish ends everything because src has ended, or the publisher that opens windows has
// completed.
func (s *windowWhen[T, U, W]) finish(err error) {
	s.dispose(func(windows []*closingWindow[T]) {
		failure.InTurn(func() { endAll(windows, err) }, func() { s.FinishDown(err) })
	})
}

// endAll ends the windows. Their subscribers may end the goroutine.
func endAll[T any](windows []*closingWindow[T], err error) {
	failure.Persist(len(windows), func(i int) bool { windows[i].End(err); return true })
}

// fail ends everything because of an error of a publisher that opens or closes windows.
func (s *windowWhen[T, U, W]) fail(err error) {
	s.Ended.Store(true)
	failure.InTurn(s.link.Cancel, func() { s.endAll(err) }) // the first may end the goroutine
}

// endAll ends the stream and the open windows.
func (s *windowWhen[T, U, W]) endAll(err error) {
	s.dispose(func(windows []*closingWindow[T]) {
		failure.InTurn(func() { s.FinishDown(err) }, func() { endAll(windows, err) })
	})
}

// Drop implements protocol.Flow: the open windows go on, except a window that has failed on its way
// down.
func (s *windowWhen[T, U, W]) Drop() {
	defer s.Events.Drop() // also if a function that hears of what follows ends the goroutine
	open := s.windows.Members()
	if last := len(open) - 1; last >= 0 && open[last].IsAbandoned() {
		w := open[last]
		s.windows.Remove(w)
		w.closing.Dispose()
	}
}

// windowOpener is the subscriber of the publisher that opens windows.
type windowOpener[T, U, W any] struct {
	protocol.Inner
	main *windowWhen[T, U, W]
}

func (o *windowOpener[T, U, W]) OnSubscribe(up reactor.Subscription) {
	if o.main.opener.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (o *windowOpener[T, U, W]) OnNext(u U) {
	if o.main.opener.IsCancelled() {
		paired.Spend(o.main.Out.Context(), u)
		return
	}
	o.main.signal(windowWhenSignal[T, U]{kind: windowWhenOpen, u: u})
}

func (o *windowOpener[T, U, W]) OnError(err error) {
	if !o.main.opener.Close() {
		reactor.DropError(o.main.Out.Context(), err)
		return
	}
	o.main.signal(windowWhenSignal[T, U]{kind: windowWhenError, err: err})
}

func (o *windowOpener[T, U, W]) OnComplete() {
	if o.main.opener.Close() && !o.main.Ended.Swap(true) {
		defer o.main.signal(windowWhenSignal[T, U]{kind: windowWhenEnd}) // also if what follows ends the goroutine
		if !o.main.verbatim {
			o.main.link.Cancel()
		}
	}
}
