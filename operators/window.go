package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/windows"
	"github.com/goreactor/reactor/internal/unicast"
)

// Window splits src into streams of size elements each; the last one may be shorter.
// It emits window(elements) when the first element of a window comes.
//
//	src:  1 --- 2 --- 3 --- 4 --- 5 |
//	      Window(2)
//	out:  a --------- b --------- c |
//	a:    1 --- 2|
//	b:                3 --- 4|
//	c:                            5 |
//
// With [Stride] a window begins at every n-th element. If n is larger than size, the
// elements in between are discarded; if it is smaller, the windows overlap, and an
// element goes to each open window:
//
//	      Window(2, Stride(1))
//	a:    1 --- 2|
//	b:          2 --- 3|
//
// # Windows
//
// This holds for the windows of all operators of this family. A window can be subscribed
// once. It keeps its elements, without bound, until its subscriber requests them; a
// cancelled window discards the elements that it holds and those that come. When src
// completes, the open windows complete, and then the stream of windows does; when src
// fails, all of them get the error. If the stream of windows is cancelled, or a stage
// below it fails, no more windows are opened, the open windows go on, and src is
// cancelled with the last of them. A window that nobody ever subscribes to holds its
// elements until the window is garbage.
//
// The elements of a window come on the goroutine of src or on the one that requests
// from the window.
//
// # Demand
//
// A request for n windows asks src for the elements that fill them, whatever is requested
// from the windows. Windows come on the goroutine of src; overlapping windows that had to
// wait for demand come on the goroutine that requests. A size ≤ 0 panics.
func Window[T, W any](src reactor.Publisher[T], size int, window func(reactor.Publisher[T]) W, opts ...WindowOption) reactor.Publisher[W] {
	argument.Positive("window", "size", size)
	argument.Given("window", "function", window != nil)
	c := windowConfig{stride: size}
	for _, o := range argument.Options("window", opts) {
		o.applyWindow(&c)
	}
	return &windowPublisher[T, W]{src: protocol.Trust("window", src), size: int64(size), stride: int64(c.stride), window: window}
}

// WindowOption is an option of [Window]: [Stride].
type WindowOption interface{ applyWindow(*windowConfig) }

type windowConfig struct{ stride int }

func (o StrideOption) applyWindow(c *windowConfig) {
	argument.Positive("window", "stride", o)
	c.stride = int(o)
}

type windowPublisher[T, W any] struct {
	protocol.Op
	src          reactor.Publisher[T]
	size, stride int64
	window       func(reactor.Publisher[T]) W
}

func (p *windowPublisher[T, W]) Subscribe(ctx context.Context, s reactor.Subscriber[W]) {
	if p.stride < p.size {
		o := &windowOverlap[T, W]{size: p.size, stride: p.stride}
		o.Init(ctx, s, p.window, o)
		p.src.Subscribe(ctx, o)
		return
	}
	w := &windowSubscriber[T, W]{ctx: ctx, down: protocol.Strict(ctx, s), wrap: p.window, size: p.size, stride: p.stride}
	w.Live.Store(1)
	p.src.Subscribe(ctx, w)
}

// windowSubscriber opens one window after the other, with elements in between that
// belong to none if stride is larger than size.
type windowSubscriber[T, W any] struct {
	protocol.Inner
	windows.Count
	ctx          context.Context
	down         reactor.Subscriber[W]
	wrap         func(reactor.Publisher[T]) W
	size, stride int64
	up           reactor.Subscription // set by OnSubscribe
	cancelled    atomic.Bool
	first        atomic.Bool // demand has come

	// Touched by the signals of src only.
	window  *windows.Window[T] // nil if none
	index   int64              // elements since the beginning of the last window
	between pending.Unwanted[T]
	broken  bool // the stream of windows has ended with a failure below
}

func (s *windowSubscriber[T, W]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *windowSubscriber[T, W]) OnNext(v T) {
	if s.Ended.Load() {
		reactor.DropNext(s.ctx, v)
		return
	}
	if s.index == 0 && !s.cancelled.Load() {
		s.open(v)
	}
	s.index++
	if w := s.window; w == nil {
		s.between.Discard(s.ctx, v)
	} else {
		w.Send(v)
		if s.index == s.size {
			s.window = nil
			w.Complete()
		}
	}
	if s.index == s.stride {
		s.index = 0
	}
}

// open makes the window that begins with v and sends it down. If that fails, the stream of windows
// has ended; the window goes on if somebody has subscribed to it.
func (s *windowSubscriber[T, W]) open(v T) {
	s.window = windows.New[T]("window", s.ctx, s.size, &s.Count, s)
	if err := s.send(v); err != nil {
		s.broken = true
		failure.Before(s.ctx, v, func() {
			failure.InTurn(s.Cancel, func() { s.window.Abandon() }, func() { // each may end the goroutine
				s.down.OnError(reactor.OperatorError(s.ctx, err, nil))
			})
		})
	}
}

// send sends the window down, before v goes there, and returns the error of a panic on the way. A Goexit is src's to deal with: it
// ends that, too.
func (s *windowSubscriber[T, W]) send(v T) (err error) {
	clean := false
	defer func() {
		if clean {
			return
		}
		if r := recover(); r != nil {
			err = failure.Recovered(r)
		}
	}()
	failure.Before(s.ctx, v, func() { s.down.OnNext(s.wrap(s.window)) })
	clean = true
	return nil
}

// Push implements protocol.Pusher.
func (s *windowSubscriber[T, W]) Push() func(T) { return s.OnNext }

func (s *windowSubscriber[T, W]) OnError(err error) {
	if s.Ended.Swap(true) {
		reactor.DropError(s.ctx, err)
		return
	}
	if !s.broken {
		defer s.down.OnError(err) // also if the subscriber of the window ends the goroutine
		if s.window != nil {
			s.window.Error(err)
		}
	} else if s.window == nil || s.window.EndOnly(reactor.NonNil(err)) != unicast.OK {
		reactor.DropError(s.ctx, err)
	}
}

func (s *windowSubscriber[T, W]) OnComplete() {
	if s.Ended.Swap(true) {
		return
	}
	if !s.broken {
		defer s.down.OnComplete() // also if the subscriber of the window ends the goroutine
	}
	if s.window != nil {
		s.window.Complete()
	}
}

// Request asks for as many elements as n windows are made of; the first time without
// the elements between the n-th window and the next one.
func (s *windowSubscriber[T, W]) Request(n int64) {
	if s.first.CompareAndSwap(false, true) {
		s.up.Request(demand.Sum(demand.Product(s.size, n), demand.Product(s.stride-s.size, n-1)))
	} else {
		s.up.Request(demand.Product(s.stride, n))
	}
}

// Released implements unicast.Owner.
func (s *windowSubscriber[T, W]) Released(bool) {
	if s.Left() {
		s.up.Cancel()
	}
}

// Cancel ends the stream of windows; the open ones go on.
func (s *windowSubscriber[T, W]) Cancel() {
	if !s.cancelled.Swap(true) {
		s.Released(true)
	}
}
