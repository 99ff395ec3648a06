package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/boundary"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/windows"
	"github.com/goreactor/reactor/internal/unicast"
)

// newWindowCut returns the publisher of windows between the boundaries that a cutter
// finds; there is one for each subscription.
func newWindowCut[T, W any](op string, src reactor.Publisher[T], newCutter func() boundary.Cutter[T], window func(reactor.Publisher[T]) W, prefetch int) reactor.Publisher[W] {
	argument.Given(op, "function", window != nil)
	return &windowCutPublisher[T, W]{
		op: op, src: protocol.Trust(op, src), newCutter: newCutter, window: window, prefetch: positiveSize(op, "prefetch", prefetch),
	}
}

type windowCutPublisher[T, W any] struct {
	protocol.Op
	op        string
	src       reactor.Publisher[T]
	newCutter func() boundary.Cutter[T]
	window    func(reactor.Publisher[T]) W
	prefetch  int64
}

func (p *windowCutPublisher[T, W]) Subscribe(ctx context.Context, sub reactor.Subscriber[W]) {
	s := &windowCut[T, W]{
		op: p.op, cut: p.newCutter(), prefetch: p.prefetch, batch: demand.Batch(p.prefetch),
		queue: queue.NewLinked[*cutWindow[T]](windows.Chunk),
	}
	s.Init(ctx, sub, p.window, s)
	s.Out.EagerErrors = true
	p.src.Subscribe(ctx, s)
}

// windowCut is the subscriber of src and the subscription of downstream. All windows
// share one prefetch.
type windowCut[T, W any] struct {
	windows.Stage[T, *cutWindow[T], W]
	op       string
	up       reactor.Subscription // set by OnSubscribe
	prefetch int64
	batch    int64 // how many elements may be missing from the prefetch, or too many in it

	// Touched by the signals of src only.
	cut     boundary.Cutter[T]
	window  *cutWindow[T] // the open one; nil before its first element
	refused pending.Unwanted[T]

	debt  atomic.Int64                 // elements that are missing from the prefetch; < 0: too many
	queue *queue.Linked[*cutWindow[T]] // to be emitted; offered to by the signals of src, polled by the owner of the outlet
}

// cutWindow is a window as a publisher.
type cutWindow[T any] struct {
	unicast.Publisher[T]
	main   cutWindowOwner
	closed atomic.Bool
}

// Discarded implements reactor.Discardable.
func (w *cutWindow[T]) Discarded() { w.Abandon() }

type cutWindowOwner interface {
	windowReleased(cancelled bool)
	taken(n int64)
	lost(n int64)
}

// Released implements unicast.Owner.
func (w *cutWindow[T]) Released(cancelled bool) {
	w.closed.Store(true)
	w.main.windowReleased(cancelled)
}

// Delivered implements unicast.Producer.
func (w *cutWindow[T]) Delivered(n int64) {
	if w.closed.Load() {
		w.main.lost(n)
	} else {
		w.main.taken(n)
	}
}

// Passed implements unicast.Producer.
func (w *cutWindow[T]) Passed() { w.Delivered(1) }

// Lost implements unicast.Producer.
func (w *cutWindow[T]) Lost(n int64) { w.main.lost(n) }

func (s *windowCut[T, W]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	defer func() { // also if downstream ends the goroutine
		if !s.Out.Stopped() {
			up.Request(s.prefetch)
		}
	}()
	s.Out.Begin()
}

func (s *windowCut[T, W]) CancelAll() { s.up.Cancel() }

func (s *windowCut[T, W]) OnNext(v T) {
	if s.Ended.Load() {
		reactor.DropNext(s.Out.Context(), v)
		return
	}
	at := s.cut(v)
	if s.window == nil && !s.turn(v, false) {
		return
	}
	switch at {
	case boundary.None:
		s.send(v)
	case boundary.After:
		s.send(v)
		s.close()
		s.ask(1)
	case boundary.Before:
		if s.turn(v, true) {
			s.send(v)
		}
	default:
		failure.Before(s.Out.Context(), v, s.close)
		s.refused.Discard(s.Out.Context(), v)
		s.taken(1)
	}
}

// Push implements protocol.Pusher.
func (s *windowCut[T, W]) Push() func(T) { return s.OnNext }

// turn opens a window for v, after closing the one before if there is one. If nobody wants the
// window, v is discarded, and the result is false.
func (s *windowCut[T, W]) turn(v T, after bool) (open bool) {
	failure.Before(s.Out.Context(), v, func() {
		if after {
			s.close()
		}
		open = s.begin()
	})
	if !open {
		reactor.Discard(s.Out.Context(), v)
	}
	return open
}

// begin opens a window, unless nobody wants a window any more.
func (s *windowCut[T, W]) begin() bool {
	if s.Out.Stopped() {
		return false
	}
	w := &cutWindow[T]{main: s}
	w.Init(s.op, s.Out.Context(), queue.NewLinked[T](windows.Chunk), w)
	s.Live.Add(1)
	s.window = w
	s.queue.Offer(w)
	chaos.Yield()
	s.Out.Run()
	return true
}

func (s *windowCut[T, W]) send(v T) {
	if s.window.Next(v) != unicast.OK {
		s.refused.Discard(s.Out.Context(), v)
		s.taken(1)
	}
}

func (s *windowCut[T, W]) close() {
	w := s.window
	s.window = nil
	w.Complete()
}

// windowReleased implements cutWindowOwner.
func (s *windowCut[T, W]) windowReleased(cancelled bool) {
	s.Released(cancelled)
	if cancelled && s.Live.Load() > 0 {
		s.ask(1)
	}
}

// taken replenishes n elements that were delivered or discarded.
func (s *windowCut[T, W]) taken(n int64) {
	if !s.Ended.Load() {
		s.up.Request(n)
	}
}

// lost is taken for elements of a window that has ended. Reactor does not replenish
// them. It asks for one element when a window is emitted, and for one when it ends. For
// some streams that is enough, others stall. So the elements that are missing are counted,
// and asked for before the prefetch is used up.
func (s *windowCut[T, W]) lost(n int64) {
	if s.debt.Add(n) < s.batch {
		return
	}
	if n = s.debt.Swap(0); n > 0 {
		s.taken(n)
	} else {
		s.debt.Add(n)
	}
}

// ask asks for n elements that none has made room for.
func (s *windowCut[T, W]) ask(n int64) {
	if s.debt.Add(-n) <= -s.batch {
		s.debt.Add(n)
		return
	}
	s.taken(n)
}

func (s *windowCut[T, W]) OnError(err error) {
	if s.Ended.Swap(true) {
		reactor.DropError(s.Out.Context(), err)
		return
	}
	s.cut = nil // the key of the last element goes with the end, not with the subscription
	gone, w := s.Out.Stopped(), pending.Take(&s.window)
	err = reactor.NonNil(err)
	switch {
	case w == nil:
	case !gone:
		defer s.Out.End(err) // also if the subscriber of the window ends the goroutine
		w.End(err)
		return
	case w.EndOnly(err) == unicast.OK:
		return // who listens has got it
	}
	s.Out.End(err)
}

func (s *windowCut[T, W]) OnComplete() {
	if s.Ended.Swap(true) {
		return
	}
	s.cut = nil
	defer s.Out.End(nil) // also if the subscriber of the window ends the goroutine
	if s.window != nil {
		s.close()
	}
}

// Flow implements protocol.Flow.
func (s *windowCut[T, W]) Flow() {
	var sent int64
	for asked := s.Out.Demand(); ; sent++ {
		if !s.Out.Open() {
			return
		}
		if sent == asked {
			break
		}
		w, ok := s.queue.Poll()
		if !ok {
			break
		}
		s.Hold(w)
		s.Send(&s.Out, s.Wrap(w))
	}
	if sent > 0 {
		s.ask(sent)
		s.Out.Produced(sent)
	}
}

// Dry implements protocol.Flow.
func (s *windowCut[T, W]) Dry() bool { return s.queue.IsEmpty() }

// Drop implements protocol.Flow: it gives up the windows that wait to be emitted.
func (s *windowCut[T, W]) Drop() {
	windows.AbandonAll(s.queue)
	s.Out.DropFailures()
}
