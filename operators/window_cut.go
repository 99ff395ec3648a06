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

// newWindowCut returns the publisher of windows between the boundaries that a cutter
// finds; there is one for each subscription.
func newWindowCut[T, W any](op string, src reactor.Publisher[T], newCutter func() cutter[T], window func(reactor.Publisher[T]) W, prefetch int) reactor.Publisher[W] {
	protocol.NotNil(op, "function", window)
	return &windowCutPublisher[T, W]{
		op: op, src: protocol.Trust(op, src), newCutter: newCutter, window: window, prefetch: protocol.Prefetch(op, prefetch),
	}
}

type windowCutPublisher[T, W any] struct {
	protocol.Op
	op        string
	src       reactor.Publisher[T]
	newCutter func() cutter[T]
	window    func(reactor.Publisher[T]) W
	prefetch  int64
}

func (p *windowCutPublisher[T, W]) Subscribe(ctx context.Context, sub reactor.Subscriber[W]) {
	s := &windowCut[T, W]{
		cut: p.newCutter(), prefetch: p.prefetch, batch: protocol.RefillBatch(p.prefetch),
		queue: queue.NewLinked[*cutWindow[T]](windowChunk),
	}
	s.init(p.op, ctx, sub, p.window, func() { s.up.Cancel() })
	p.src.Subscribe(ctx, s)
}

// windowCut is the subscriber of src and the subscription of downstream. All windows
// live on one supply of prefetched elements.
type windowCut[T, W any] struct {
	windowStage[T, W]
	up       reactor.Subscription // set by OnSubscribe
	prefetch int64
	batch    int64 // how many elements may be missing from the supply, or too many in it

	// Touched by the signals of src only, after done by the owner of drain.
	cut    cutter[T]
	window *cutWindow[T]    // the open one; nil before its first element
	late   protocol.Hand[T] // the element that a window is opened or closed for

	debt   atomic.Int64                 // elements that are missing from the supply; < 0: too many
	queue  *queue.Linked[*cutWindow[T]] // to be emitted; offered to by the signals of src, polled by the owner of drain
	err    error                        // written before done
	done   atomic.Bool                  // src has ended, and its end is to be delivered
	demand atomic.Int64                 // for windows
	drain  protocol.Drain

	// What follows belongs to the owner of drain.
	over bool          // the end was delivered, or nobody wants windows any more
	hand *cutWindow[T] // on its way down; nil if none
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

// Delivered implements unicast.Feeder.
func (w *cutWindow[T]) Delivered(n int64) {
	if w.closed.Load() {
		w.main.lost(n)
	} else {
		w.main.taken(n)
	}
}

// Lost implements unicast.Feeder.
func (w *cutWindow[T]) Lost(n int64) { w.main.lost(n) }

func (s *windowCut[T, W]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
	if !s.cancelled.Load() {
		up.Request(s.prefetch)
	}
}

func (s *windowCut[T, W]) OnNext(v T) {
	if s.ended.Load() {
		reactor.DropNext(s.ctx, v)
		return
	}
	at := s.cut(v)
	if s.window == nil {
		s.late.Hold(v)
		open := s.begin()
		s.late.LetGo()
		if !open {
			reactor.Discard(s.ctx, v)
			return
		}
	}
	switch at {
	case cutNone:
		s.send(v)
	case cutAfter:
		s.send(v)
		s.close()
		s.ask(1)
	case cutBefore:
		s.late.Hold(v)
		s.close()
		open := s.begin()
		s.late.LetGo()
		if open {
			s.send(v)
		} else {
			reactor.Discard(s.ctx, v)
		}
	default:
		s.late.Hold(v)
		s.close()
		s.late.LetGo()
		reactor.Discard(s.ctx, v)
		s.taken(1)
	}
}

// Push implements protocol.Pusher.
func (s *windowCut[T, W]) Push() func(T) { return s.OnNext }

// begin opens a window, unless nobody wants one.
func (s *windowCut[T, W]) begin() bool {
	if s.cancelled.Load() {
		return false
	}
	w := &cutWindow[T]{main: s}
	w.Init(s.op, s.ctx, queue.NewLinked[T](windowChunk), w)
	s.live.Add(1)
	s.window = w
	s.queue.Offer(w)
	chaos.Yield()
	s.drain.Run(s)
	return true
}

func (s *windowCut[T, W]) send(v T) {
	if s.window.Next(v) != unicast.OK {
		reactor.Discard(s.ctx, v)
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
	if cancelled && s.live.Load() > 0 {
		s.ask(1)
	}
}

// taken asks for elements in the place of n that were delivered or discarded.
func (s *windowCut[T, W]) taken(n int64) {
	if !s.ended.Load() {
		s.up.Request(n)
	}
}

// lost is taken for elements of a window that has ended. Reactor does not ask for
// others in their place, but for one when a window is emitted, and for one when it ends,
// which is enough for some streams and lets others stand still. So these are counted,
// and the difference is made up for before it matters.
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
	s.late.UnwindLate(s.ctx, err)
	if s.ended.Swap(true) {
		reactor.DropError(s.ctx, err)
		return
	}
	s.err = reactor.NonNil(err)
	s.done.Store(true)
	s.drain.Run(s)
}

func (s *windowCut[T, W]) OnComplete() {
	if s.ended.Swap(true) {
		return
	}
	if s.window != nil {
		s.close()
	}
	s.done.Store(true)
	s.drain.Run(s)
}

// Request adds to the demand for windows.
func (s *windowCut[T, W]) Request(n int64) {
	protocol.AddDemand(&s.demand, n)
	s.drain.Run(s)
}

// Cancel ends the stream of windows; the open one goes on if it was emitted.
func (s *windowCut[T, W]) Cancel() {
	if !s.cancelled.Swap(true) {
		s.Released(true)
		s.drain.Run(s)
	}
}

// DrainPass implements protocol.Drainer.
func (s *windowCut[T, W]) DrainPass() {
	var sent int64
	for demand := s.demand.Load(); ; sent++ {
		done := s.done.Load() // before the look at the queue
		if done && s.err != nil {
			s.fail()
			return
		}
		if s.over || s.cancelled.Load() {
			s.clear()
			return
		}
		if done && s.queue.IsEmpty() {
			s.over = true
			s.down.OnComplete()
			return
		}
		if sent == demand {
			break
		}
		w, ok := s.queue.Poll()
		if !ok {
			break
		}
		s.hand = w
		s.down.OnNext(s.wrap(w))
		s.hand = nil
	}
	if sent == 0 {
		return
	}
	s.ask(sent)
	if s.demand.Load() != reactor.Unbounded {
		protocol.Produced(&s.demand, sent)
	}
}

// fail passes the error of src to the open window, and down.
func (s *windowCut[T, W]) fail() {
	err := s.err
	s.err = nil // but done stays
	over, w := s.over || s.cancelled.Load(), s.window
	s.window = nil
	if w != nil {
		w.Error(err)
	}
	s.clear()
	switch {
	case !over && !s.cancelled.Load():
		s.down.OnError(err)
	case !over || w == nil:
		reactor.DropError(s.ctx, err)
	}
}

// clear gives up the windows that wait to be emitted.
func (s *windowCut[T, W]) clear() {
	s.over = true
	for w, ok := s.queue.Poll(); ok; w, ok = s.queue.Poll() {
		w.Abandon()
	}
}

// DrainCrashed implements protocol.Drainer.
func (s *windowCut[T, W]) DrainCrashed(err error) {
	over, w := s.over, s.hand
	s.hand = nil
	s.Cancel()
	if w != nil {
		w.Abandon()
	}
	s.clear()
	err = reactor.OperatorError(s.ctx, err, nil)
	if over {
		reactor.DropError(s.ctx, err)
		return
	}
	s.down.OnError(err)
}
