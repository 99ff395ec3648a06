package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
)

// HasElement reports whether src, which sends at most one element, sends one. For longer
// streams there is [HasElements].
//
//	src:  --- 7 |
//	      HasElement()
//	out:  --- true |
//
// The first request asks src for its element, which is discarded. An error of src passes.
// The result comes on the goroutine of src, or on the one that requests.
func HasElement[T any](src reactor.Publisher[T]) reactor.Publisher[bool] {
	return &hasElementPublisher[T]{src: protocol.Trust("hasElement", src)}
}

type hasElementPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
}

func (p *hasElementPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[bool]) {
	sub := &monoOutcome[T, bool]{result: func(_ T, ok bool) bool { return ok }, discard: reactor.DiscardHookFor[T](ctx)}
	sub.Ctx, sub.Down = ctx, protocol.Strict(ctx, s)
	p.src.Subscribe(ctx, sub)
}

// Computable reports whether its source is: see [direct.Is].
func (p *hasElementPublisher[T]) Computable() direct.Way { return whole(isComputable(p.src)) }

// Direct implements direct.Source.
func (p *hasElementPublisher[T]) Direct(ctx context.Context) (has, ok bool, err error) {
	v, has, err := computed(ctx, p.src)
	if has {
		abandon(ctx, v)
	}
	return has, err == nil, passed[T, bool](err, p)
}

func (p *hasElementPublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[bool] {
	return &hasElementPublisher[T]{src: src}
}

// monoOutcome makes an element of whether its source sends one; it serves HasElement
// and SingleOptional.
type monoOutcome[T, R any] struct {
	protocol.Inner
	single.Slot[R]
	up      reactor.Subscription // set by OnSubscribe
	result  func(v T, ok bool) R // may panic
	discard func(any)            // takes elements that result does not keep; may be nil
	done    bool                 // touched by the signals of upstream only
}

func (s *monoOutcome[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.Down.OnSubscribe(s)
}

func (s *monoOutcome[T, R]) OnNext(v T) {
	if s.done {
		reactor.DropNext(s.Ctx, v)
		return
	}
	// A panic of the function comes back as OnError.
	r := s.result(v, true)
	s.done = true
	if s.discard != nil {
		s.discard(v)
	}
	s.Complete(r)
}

func (s *monoOutcome[T, R]) OnError(err error) {
	if s.done {
		reactor.DropError(s.Ctx, err)
		return
	}
	s.done = true
	s.Fail(err)
}

func (s *monoOutcome[T, R]) OnComplete() {
	if s.done {
		return
	}
	s.done = true
	var r R
	var none T
	failed := false
	failure.Guard(func() { r = s.result(none, false) }, func(err error) {
		failed = true
		s.Fail(reactor.OperatorError(s.Ctx, err, nil))
	})
	if !failed {
		s.Complete(r)
	}
}

func (s *monoOutcome[T, R]) Request(int64) {
	if s.Demand() {
		s.up.Request(reactor.Unbounded)
	}
}

func (s *monoOutcome[T, R]) Cancel() {
	s.Slot.Cancel()
	s.up.Cancel()
}
