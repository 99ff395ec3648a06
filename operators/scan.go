package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Scan emits what has been accumulated so far: the first element as it is, then the
// result of fn for what was emitted before and each further element.
//
//	src:  1 --- 2 --- 3 |
//	      Scan(sum)
//	out:  1 --- 3 --- 6 |
//
// Demand passes through one for one. A panic of fn cancels src and ends the stream; for
// functions that fail in the ordinary way there is [TryScan]. The type of the result
// may be another one with [ScanWith]. fn runs on the goroutine of src.
func Scan[T any](src reactor.Publisher[T], fn func(acc, v T) T) reactor.Publisher[T] {
	protocol.NotNil("scan", "function", fn)
	return &scanPublisher[T]{src: protocol.Trust("scan", src), fn: fn}
}

type scanPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(acc, v T) T
}

func (p *scanPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, &scanSubscriber[T]{down: protocol.Strict(ctx, s), fn: p.fn})
}

// scanSubscriber never ends by itself. What is accumulated went down and is nobody's
// to discard.
type scanSubscriber[T any] struct {
	protocol.Inner
	down reactor.Subscriber[T]
	fn   func(acc, v T) T
	acc  T    // signals of upstream
	any  bool // there is an acc; signals of upstream
}

func (s *scanSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.down.OnSubscribe(up) }

func (s *scanSubscriber[T]) OnNext(v T) { s.down.OnNext(s.add(v)) }

// Push implements protocol.Pusher.
func (s *scanSubscriber[T]) Push() func(T) {
	next := protocol.Push(s.down)
	return func(v T) { next(s.add(v)) }
}

// add accumulates v.
func (s *scanSubscriber[T]) add(v T) T {
	if s.any {
		v = s.fn(s.acc, v)
	}
	s.acc, s.any = v, true
	return v
}

func (s *scanSubscriber[T]) OnError(err error) { s.down.OnError(err) }

func (s *scanSubscriber[T]) OnComplete() { s.down.OnComplete() }
