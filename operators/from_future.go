package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
)

// FutureOption is an option of [FromFuture]: [SuppressCancel].
type FutureOption interface{ applyFuture(*futureConfig) }

type futureConfig struct{ suppressCancel bool }

// SuppressCancelOption makes [FromFuture] not cancel the future.
type SuppressCancelOption bool

// SuppressCancel makes [FromFuture] not cancel the future when a subscriber cancels:
// others may wait for it.
func SuppressCancel() SuppressCancelOption { return true }

func (o SuppressCancelOption) applyFuture(c *futureConfig) { c.suppressCancel = bool(o) }

// FromFuture emits the result of f to every subscriber, as soon as the result has come.
//
//	      FromFuture(f)
//	out:  --- a |
//
// The element waits for demand. Cancellation cancels the future, unless
// [SuppressCancel] is given. A future runs already; to start one per subscription, wrap
// the call of FromFuture in [Defer]. The element is emitted on the goroutine that
// brings the result or, if the result is already there, on the one that subscribes or
// requests.
func FromFuture[T any](f *Future[T], opts ...FutureOption) reactor.Publisher[T] {
	argument.NotNil("fromFuture", "future", f)
	p := &futurePublisher[T]{f: f.made()}
	for _, o := range argument.Options("fromFuture", opts) {
		o.applyFuture(&p.config)
	}
	return p
}

type futurePublisher[T any] struct {
	protocol.Op
	f      *Future[T]
	config futureConfig
}

func (p *futurePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &futureSubscription[T]{ctx: ctx, down: protocol.Strict(ctx, s), f: p.f, suppress: p.config.suppressCancel}
	defer func() { // also if downstream ends the goroutine
		switch {
		case !p.f.listen(sub):
			sub.settled()
		case sub.state.Load()&futureOver != 0: // cancelled before it was on the list
			p.f.unlisten(sub)
		}
	}()
	sub.down.OnSubscribe(sub)
}

// futureSubscription is one subscriber's share in a future. The element belongs to
// all of them, so none that leaves without it discards it.
type futureSubscription[T any] struct {
	ctx      context.Context
	down     reactor.Subscriber[T]
	f        *Future[T]
	suppress bool
	state    atomic.Uint32
}

// The bits of state.
const (
	futureRequested = 1 << iota
	futureSettled   // the element is there
	futureOver      // ended or cancelled
)

func (s *futureSubscription[T]) Request(int64) {
	if s.state.Or(futureRequested) == futureSettled {
		s.emit()
	}
}

func (s *futureSubscription[T]) Cancel() {
	if s.state.Or(futureOver)&futureOver != 0 {
		return
	}
	s.f.unlisten(s)
	if !s.suppress {
		s.f.cancel() // not Cancel: a stage has called, which knows what has become of its element
	}
}

// settled is called once, when the result is there.
func (s *futureSubscription[T]) settled() {
	switch f := s.f; {
	case f.has:
		if s.state.Or(futureSettled) == futureRequested {
			s.emit()
		}
	case s.state.Or(futureOver)&futureOver != 0:
	case f.err != nil:
		s.down.OnError(f.err)
	default:
		s.down.OnComplete()
	}
}

func (s *futureSubscription[T]) emit() {
	if s.state.Or(futureOver)&futureOver == 0 {
		single.Last(s.ctx, s.down, s.f.value)
	}
}

// listen makes l hear of the result, or reports false if the result has come already.
func (f *Future[T]) listen(l *futureSubscription[T]) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return false
	}
	if f.listeners == nil {
		f.listeners = make(map[*futureSubscription[T]]bool)
	}
	f.listeners[l] = true
	return true
}

// unlisten undoes listen.
func (f *Future[T]) unlisten(l *futureSubscription[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.listeners, l)
}
