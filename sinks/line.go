package sinks

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/schedulers"
)

// line is where emissions of a sink wait, in the order in which they came: the first one
// for room, for demand, for a subscriber, or for the emission that is under way, the others
// for their turn. A nil line is for a sink in which nothing waits.
type line struct {
	inLine  atomic.Int32 // emissions that wait, or are about to
	waiting atomic.Bool  // the first one wants to be woken
	once    sync.Once
	turn    chan struct{} // holds a token while one is the first; made by once
	stir    chan struct{} // holds a token when something has changed; made by once
}

func (l *line) open() {
	l.turn, l.stir = make(chan struct{}, 1), make(chan struct{}, 1)
}

// Wake tells that something may go now that did not before. It costs a load where nothing
// waits.
func (l *line) Wake() {
	if l == nil || !l.waiting.Load() {
		return
	}
	chaos.Yield()
	select {
	case l.stir <- struct{}{}:
	default: // told already
	}
}

// wait waits for the caller's turn, and then calls try until the result is final, and returns
// that; or the cause of the end of ctx, if that comes first.
func (l *line) wait(ctx context.Context, try func() EmitResult) (EmitResult, error) {
	l.inLine.Add(1)
	defer l.inLine.Add(-1)
	l.once.Do(l.open)
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return OK, context.Cause(ctx)
	}
	defer func() { <-l.turn }()
	// Before the first try: what changes after it must find somebody to wake.
	l.waiting.Store(true)
	defer l.waiting.Store(false)
	for {
		chaos.Yield()
		if result := try(); !result.mayPass() {
			return result, nil
		}
		select {
		case <-l.stir:
		case <-ctx.Done():
			return OK, context.Cause(ctx)
		}
	}
}

// mayPass reports whether the same emission may succeed later.
func (r EmitResult) mayPass() bool {
	return r == FailOverflow || r == FailNonSerialized || r == FailZeroSubscriber
}

// EmitNextWait emits v, and may be called from any number of goroutines: it waits for its
// turn while others emit, for room or demand (FailOverflow) and for a subscriber
// (FailZeroSubscriber). Waiting calls are served in the order in which they came. It
// corresponds to a send on a channel, and blocks as a send does.
//
// If there is an error, v is still the caller's. The error is context.Cause(ctx) if ctx
// ends first, an [*EmissionError] if the sink has ended or its subscriber has cancelled for
// good, and one that matches reactor.ErrBlocking on a worker that must not block, whether
// the call would have to wait or not. An emission from within the delivery of another one,
// on the same goroutine, does not wait for room, because nobody could make room: it fails
// with FailOverflow. For the same reason do not call EmitNextWait where the elements are
// consumed.
//
// A sink of [Unsafe] has no turns: the caller must still make one emission at a time. Such
// a sink does not recognise an emission from within the delivery of another one, which
// therefore waits like any other.
func (s *ManySink[T]) EmitNextWait(ctx context.Context, v T) error {
	argument.Given("emitNextWait", "context", ctx != nil)
	if err := schedulers.CheckBlocking(ctx, "emitNextWait"); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l := s.made().line()
	nested := s.guard.isMine()
	if nested || l.inLine.Load() == 0 {
		if result := s.TryEmitNext(v); nested || !result.mayPass() {
			return result.Err()
		}
	}
	result, err := l.wait(ctx, func() EmitResult {
		if !s.guard.enter() {
			return FailNonSerialized
		}
		defer s.guard.release()
		return s.made().next(v)
	})
	if err != nil {
		return err
	}
	return result.Err()
}

// isMine reports whether the caller is within an emission of its own.
func (g *guard) isMine() bool {
	return g != nil && g.owner.Load() == goid.Current()
}
