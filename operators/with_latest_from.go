package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/paired"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// WithLatestFrom combines each element of src with the newest element of other;
// elements of src that come before the first element of other are discarded.
//
//	src:    1 --- 2 ------ 3 --- 4 |
//	other:  --- 10 --- 20 ---------- 30
//	        WithLatestFrom(other, sum)
//	out:    ----- 12 ----- 23 -- 24 |
//
// other is subscribed before src, and everything is requested of other. As long as
// other has sent nothing, the elements of src are discarded, and one more is requested
// for each; after that demand passes through. Elements of other that are never combined
// are discarded. If other completes without an element, src is cancelled and the stream
// completes; the completion of src completes the stream too. An error of src or of
// other, or a panic of fn, cancels what still runs and ends the stream. Elements come,
// and fn runs, on the goroutine of src.
func WithLatestFrom[T, U, R any](src reactor.Publisher[T], other reactor.Publisher[U], fn func(T, U) R) reactor.Publisher[R] {
	argument.Given("withLatestFrom", "combiner", fn != nil)
	return &withLatestFromPublisher[T, U, R]{
		src: protocol.Trust("withLatestFrom", src), other: protocol.Trust("withLatestFrom", other), fn: fn,
	}
}

type withLatestFromPublisher[T, U, R any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	other reactor.Publisher[U]
	fn    func(T, U) R
}

func (p *withLatestFromPublisher[T, U, R]) Subscribe(ctx context.Context, down reactor.Subscriber[R]) {
	s := &withLatestFromSubscriber[T, U, R]{fn: p.fn, discard: reactor.DiscardHookFor[T](ctx)}
	s.Init(ctx, down)
	failure.InTurn(func() { p.other.Subscribe(ctx, &withLatestFromOther[T, U, R]{main: s}) }, func() { p.src.Subscribe(ctx, s) })
}

type withLatestFromSubscriber[T, U, R any] struct {
	paired.Until[R]
	fn      func(T, U) R
	discard func(any) // nil if nobody wants what is discarded

	// fresh is the newest element of other if it was not combined yet. The goroutine
	// that takes the box out owns it.
	fresh atomic.Pointer[U]
	spare atomic.Pointer[U] // an empty box, for other
	mine  *U                // likewise; touched by the signals of other only

	// Touched by the signals of src only.
	latest U
	some   bool // latest is an element
	unused bool // latest was not combined yet
}

func (s *withLatestFromSubscriber[T, U, R]) OnSubscribe(up reactor.Subscription) {
	if s.Started.Swap(true) {
		up.Cancel()
		return
	}
	// Deferred: downstream may end the goroutine.
	defer s.Link.Set(up)
	defer s.Out.Release()
	s.Out.Down.OnSubscribe(s)
}

func (s *withLatestFromSubscriber[T, U, R]) OnNext(v T) {
	if s.Link.IsCancelled() {
		pending.Discard(s.discard, v)
		return
	}
	if s.fresh.Load() != nil {
		s.renew()
	}
	if !s.some {
		pending.Discard(s.discard, v)
		s.Link.Request(1)
		return
	}
	r := s.fn(v, s.latest)
	s.unused = false
	if !s.Out.Deliver(s.Down, r) {
		pending.Discard(s.discard, r)
	}
}

// renew takes over the newest element of other.
func (s *withLatestFromSubscriber[T, U, R]) renew() {
	chaos.Yield()
	box := s.fresh.Swap(nil)
	if box == nil {
		return // the stream has ended
	}
	s.latest, s.some, s.unused = *box, true, true
	*box = *new(U)
	s.spare.Store(box)
}

// put makes v the newest element.
func (s *withLatestFromSubscriber[T, U, R]) put(v U) {
	box := s.mine
	s.mine = nil
	if box == nil {
		box = s.spare.Swap(nil)
	}
	if box == nil {
		box = new(U)
	}
	*box = v
	chaos.Yield()
	if old := s.fresh.Swap(box); old != nil {
		v := *old
		*old = *new(U)
		s.mine = old
		pending.Discard(s.discard, v)
	}
	if s.Link.IsCancelled() {
		s.drop()
	}
}

// drop discards an element of other that was not combined; the stream has ended.
func (s *withLatestFromSubscriber[T, U, R]) drop() {
	chaos.Yield()
	if box := s.fresh.Swap(nil); box != nil {
		pending.Discard(s.discard, *box)
	}
}

func (s *withLatestFromSubscriber[T, U, R]) OnError(err error) {
	// Deferred: the hook may end the goroutine.
	defer s.EndOfSource(s.Link.Close(), err)
	latest := pending.Take(&s.latest)
	if s.unused { // fn has failed
		s.unused = false
		defer pending.Discard(s.discard, latest)
	}
	s.drop()
}

func (s *withLatestFromSubscriber[T, U, R]) OnComplete() {
	defer s.EndOfSource(s.Link.Close(), nil) // also if the hook ends the goroutine
	s.latest = *new(U)
	s.drop()
}

// Cancel cancels both sources.
func (s *withLatestFromSubscriber[T, U, R]) Cancel() {
	defer s.drop() // also if a function that hears of what follows ends the goroutine
	s.Until.Cancel()
}

// withLatestFromOther is the subscriber of the other publisher. It is also the handle on
// it.
type withLatestFromOther[T, U, R any] struct {
	protocol.Inner
	main *withLatestFromSubscriber[T, U, R]
	link protocol.Deferred
	some bool // touched by the signals of the publisher only
}

func (s *withLatestFromOther[T, U, R]) OnSubscribe(up reactor.Subscription) {
	s.main.Other.Set(0, s)
	if s.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *withLatestFromOther[T, U, R]) OnNext(v U) {
	if s.link.IsCancelled() {
		pending.Discard(s.main.discard, v)
		return
	}
	s.some = true
	s.main.put(v)
}

func (s *withLatestFromOther[T, U, R]) OnError(err error) {
	defer s.main.drop() // also if a function that hears of what follows ends the goroutine
	if !s.link.Close() || !s.main.End(err) {
		reactor.DropError(s.main.Ctx, err)
	}
}

func (s *withLatestFromOther[T, U, R]) OnComplete() {
	if !s.some && s.link.Close() {
		s.main.End(nil)
	}
}

// Dispose cancels the subscription.
func (s *withLatestFromOther[T, U, R]) Dispose() { s.link.Cancel() }

// IsDisposed reports whether the subscription has ended.
func (s *withLatestFromOther[T, U, R]) IsDisposed() bool { return s.link.IsCancelled() }
