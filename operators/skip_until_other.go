package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/paired"
)

// SkipUntilOther discards elements until other emits or completes, and passes on
// those that come later.
//
//	src:    1 - 2 - 3 - 4 - 5 |
//	other:  ------ x
//	out:    -------- 3 - 4 - 5 |
//
// other is subscribed before src. An error of other cancels src and ends the stream;
// when the stream ends otherwise, other is cancelled. Demand passes through; for each
// discarded element one more is requested. Elements come on the goroutine of src.
func SkipUntilOther[T, U any](src reactor.Publisher[T], other reactor.Publisher[U]) reactor.Publisher[T] {
	return &skipUntilPublisher[T]{
		src:     protocol.Trust("skipUntilOther", src),
		trigger: onSignal(protocol.Trust("skipUntilOther", other)),
	}
}

// SkipFor discards the elements that come within d after the subscription.
//
//	src:  1 - 2 - 3 - 4 - 5 |
//	      SkipFor(7 steps)
//	out:  ------------- 5 |
//
// Demand passes through; for each discarded element one more is requested.
// Elements come on the goroutine of src. The timer is one of
// schedulers.Parallel() unless [On] names another scheduler; if it is refused, the
// stream fails with reactor.ErrRejected.
func SkipFor[T any](src reactor.Publisher[T], d time.Duration, opts ...SchedulerOption) reactor.Publisher[T] {
	argument.NotNegative("skipFor", "duration", d)
	p := &skipUntilPublisher[T]{
		src:     protocol.Trust("skipFor", src),
		trigger: afterDelay("skipFor", d, timerOf("skipFor", opts)),
	}
	if d == 0 {
		return p.src
	}
	return p
}

type skipUntilPublisher[T any] struct {
	protocol.Op
	src     reactor.Publisher[T]
	trigger trigger
}

func (p *skipUntilPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := &skipUntilSubscriber[T]{discard: reactor.DiscardHookFor[T](ctx)}
	s.Init(ctx, sub)
	defer p.src.Subscribe(ctx, s) // also if a function that hears of what follows ends the goroutine
	p.trigger(ctx, s, 0, &s.Other)
}

type skipUntilSubscriber[T any] struct {
	paired.Until[T]
	discard func(any)   // nil if nobody wants what is discarded
	open    atomic.Bool // set by the companion
}

func (s *skipUntilSubscriber[T]) OnNext(v T) {
	open := s.open.Load()
	if open && s.Out.Deliver(s.Down, v) {
		return
	}
	if s.discard != nil {
		s.discard(v)
	}
	if !open {
		s.Link.Request(1)
	}
}

func (s *skipUntilSubscriber[T]) fired(int64) { s.open.Store(true) }

func (s *skipUntilSubscriber[T]) failed(_ int64, err error) {
	if !s.End(err) {
		reactor.DropError(s.Ctx, err)
	}
}
