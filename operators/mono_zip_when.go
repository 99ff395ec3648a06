package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// MonoZipWhen emits combine(v, w) for the element v of src, which sends at most one, and the
// element w of the publisher fn(v).
//
//	src:    --- 1 |
//	fn(1):        --- 9 |
//	        MonoZipWhen(fn, pair)
//	out:    --------- (1, 9) |
//
// If either of the two is empty, so is the result. Demand passes to src; everything is
// requested of the publisher that fn returns. Errors of both pass; a panic of a function
// ends the stream. Cancellation goes to whichever of the two is running. An element whose
// counterpart does not come is discarded. combine runs on the goroutine of the publisher
// that fn returned.
func MonoZipWhen[T, U, R any, P reactor.Publisher[U]](src reactor.Publisher[T], fn func(T) P, combine func(T, U) R) reactor.Publisher[R] {
	argument.Given("zipWhen", "mapper", fn != nil)
	argument.Given("zipWhen", "combiner", combine != nil)
	return MonoFlatMap(src, func(v T) reactor.Publisher[R] {
		return &zipWhenPublisher[T, U, R]{value: v, src: protocol.Trust[U]("zipWhen", fn(v)), combine: combine}
	})
}

// zipWhenPublisher is the publisher of fn with the element that it belongs to. It is
// subscribed to once.
type zipWhenPublisher[T, U, R any] struct {
	protocol.Op
	value   T
	src     reactor.Publisher[U]
	combine func(T, U) R
}

func (p *zipWhenPublisher[T, U, R]) Subscribe(ctx context.Context, down reactor.Subscriber[R]) {
	s := &zipWhenSubscriber[T, U, R]{ctx: ctx, down: protocol.Strict(ctx, down), combine: p.combine, value: p.value}
	s.held.Store(true)
	p.src.Subscribe(ctx, s)
}

// Computable reports whether its source is: see [direct.Is].
func (p *zipWhenPublisher[T, U, R]) Computable() direct.Way { return whole(isComputable(p.src)) }

// Direct implements direct.Source.
func (p *zipWhenPublisher[T, U, R]) Direct(ctx context.Context) (r R, ok bool, err error) {
	var w U
	used := false
	defer func() {
		if !used {
			abandon(ctx, p.value)
			if ok {
				abandon(ctx, w)
			}
		}
	}()
	w, ok, err = second(ctx, p.src)
	if !ok || err != nil {
		_, used = err.(*instead[U])
		return r, false, passed[U, R](err, p)
	}
	r = p.combine(p.value, w)
	used = true
	return r, true, nil
}

func (p *zipWhenPublisher[T, U, R]) behind(src reactor.Publisher[U]) reactor.Publisher[R] {
	return &zipWhenPublisher[T, U, R]{value: p.value, src: src, combine: p.combine}
}

// giveUp implements keeping.
func (p *zipWhenPublisher[T, U, R]) giveUp(ctx context.Context) { abandon(ctx, p.value) }

type zipWhenSubscriber[T, U, R any] struct {
	protocol.Inner
	ctx     context.Context
	down    reactor.Subscriber[R]
	combine func(T, U) R
	up      reactor.Subscription // set by OnSubscribe
	held    atomic.Bool          // value waits for the other element; whoever resets it owns value
	value   T
}

func (s *zipWhenSubscriber[T, U, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *zipWhenSubscriber[T, U, R]) OnNext(w U) {
	if !s.held.Swap(false) {
		reactor.Discard(s.ctx, w)
		return
	}
	v := pending.Take(&s.value)
	failure.Unwinding(func() { s.down.OnNext(s.combine(v, w)) }, func(settled bool) {
		if !settled {
			reactor.Discard(s.ctx, v)
		}
	})
}

func (s *zipWhenSubscriber[T, U, R]) OnError(err error) {
	s.release()
	s.down.OnError(err)
}

func (s *zipWhenSubscriber[T, U, R]) OnComplete() {
	s.release()
	s.down.OnComplete()
}

func (s *zipWhenSubscriber[T, U, R]) Request(n int64) { s.up.Request(n) }

func (s *zipWhenSubscriber[T, U, R]) Cancel() {
	defer s.release() // also if a function that hears of what follows ends the goroutine
	s.up.Cancel()
}

// release discards the element if it waits for the other one.
func (s *zipWhenSubscriber[T, U, R]) release() {
	if s.held.Swap(false) {
		reactor.Discard(s.ctx, pending.Take(&s.value))
	}
}
