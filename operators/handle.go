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
	"github.com/goreactor/reactor/internal/upstream"
)

// Handle calls fn with every element and a sink, and emits what fn puts into the
// sink: at most one element for each call, and the end of the stream.
//
//	src:  1 --- 2 --- 3 --- 4 |
//	      Handle(even: Next(10n), 4: Complete too)
//	out:  ----- 20 -------- 40 |
//
// It is map, filter and a failing map in one. Demand passes through; for each element
// for which fn puts none into the sink, one more is requested. Such an element counts
// as consumed by fn and is not discarded. Complete cancels src; Error cancels src and
// discards the element. A panic of fn is treated like an error that fn puts into the
// sink. The sink is valid only during the call of fn. fn runs on the goroutine of src.
func Handle[T, R any](src reactor.Publisher[T], fn func(v T, sink *SyncSink[R])) reactor.Publisher[R] {
	argument.Given("handle", "handler", fn != nil)
	return &handlePublisher[T, R]{src: protocol.Trust("handle", src), fn: fn}
}

type handlePublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T, *SyncSink[R])
}

func (p *handlePublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	sub := &handleSubscriber[T, R]{fn: p.fn, cont: upstream.Continuing(ctx)}
	sub.down = initFiltering(ctx, &sub.filtering, s)
	sub.sink.ctx = ctx
	p.src.Subscribe(ctx, sub)
}

// Computable reports whether its source is: see [direct.Is].
func (p *handlePublisher[T, R]) Computable() direct.Way { return whole(isComputable(p.src)) }

// Direct implements direct.Source.
func (p *handlePublisher[T, R]) Direct(ctx context.Context) (r R, ok bool, err error) {
	v, ok, err := computed(ctx, p.src)
	if !ok || err != nil {
		return r, false, passed[T, R](err, p)
	}
	sink := &SyncSink[R]{ctx: ctx}
	returned, used := false, false
	defer func() {
		if !returned {
			defer sink.dropFailure("handle") // also if what follows ends the goroutine
			if sink.state&syncNext != 0 {
				defer abandon(ctx, sink.take())
			}
		}
		if !used {
			abandon(ctx, v)
		}
	}()
	p.fn(v, sink)
	returned = true
	sent, failed := sink.state&syncNext != 0, sink.state&syncError != 0
	used = !failed
	switch r = sink.take(); {
	case sent && failed:
		return *new(R), false, &instead[R]{&sentAndFailed[R]{value: r, err: sink.failure("handle")}}
	case failed:
		err = sink.failure("handle")
	}
	return r, sent, err
}

func (p *handlePublisher[T, R]) behind(src reactor.Publisher[T]) reactor.Publisher[R] {
	return &handlePublisher[T, R]{src: src, fn: p.fn}
}

// sentAndFailed is what a handler has left that was computed, which sent an element and then failed.
type sentAndFailed[T any] struct {
	protocol.Op
	value T
	err   error
}

func (p *sentAndFailed[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	down.OnSubscribe(&failsAfter[T]{ctx: ctx, down: down, p: p})
}

type failsAfter[T any] struct {
	ctx  context.Context
	down reactor.Subscriber[T]
	p    *sentAndFailed[T]
	over atomic.Bool
}

// Request sends the element and the failure. A subscriber that cancels meanwhile gets the failure
// as well, because it has happened before.
func (s *failsAfter[T]) Request(int64) {
	if s.over.Swap(true) {
		return
	}
	sent := false
	defer func() { // also if downstream ends the goroutine
		if !sent { // it has another error
			reactor.DropError(s.ctx, s.p.err)
		}
	}()
	if sent = protocol.Emit(s.ctx, s.down, s.p.value); sent {
		s.down.OnError(s.p.err)
	}
}

func (s *failsAfter[T]) Cancel() {
	if !s.over.Swap(true) {
		reactor.Discard(s.ctx, s.p.value)
		reactor.DropError(s.ctx, s.p.err)
	}
}

type handleSubscriber[T, R any] struct {
	filtering
	down reactor.Subscriber[R]
	fn   func(T, *SyncSink[R])
	cont *upstream.Continuation // nil: failures end the stream
	sink SyncSink[R]            // touched by the signals of upstream only
}

func (s *handleSubscriber[T, R]) OnNext(v T) {
	if s.Done {
		reactor.DropNext(s.Ctx, v)
		return
	}
	s.sink.reset()
	if s.cont != nil {
		if err := s.attempt(v); err != nil {
			s.failed(err, v, false)
			return
		}
	} else {
		s.fn(v, &s.sink)
	}
	if s.sink.state == syncNext {
		s.down.OnNext(s.sink.take())
		return
	}
	s.settle(v)
}

// Push implements protocol.Pusher.
func (s *handleSubscriber[T, R]) Push() func(T) {
	if s.cont != nil {
		return s.OnNext
	}
	fn, next := s.fn, protocol.Push(s.down)
	return func(v T) {
		if s.Done {
			reactor.DropNext(s.Ctx, v)
			return
		}
		s.sink.reset()
		fn(v, &s.sink)
		if s.sink.state == syncNext {
			next(s.sink.take())
			return
		}
		s.settle(v)
	}
}

// settle does what fn has left in the sink for v.
func (s *handleSubscriber[T, R]) settle(v T) {
	state := s.sink.state
	if state&syncNext != 0 {
		s.down.OnNext(s.sink.take())
	}
	s.sink.state = 0 // what follows is on its way; before that OnError takes it for lost
	switch {
	case state&syncError != 0:
		s.failed(s.sink.failure("handle"), v, state&syncNext != 0)
	case state&syncComplete != 0:
		s.Finish()
	default:
		s.demand.replace()
	}
}

// failed ends the stream with the error of fn, unless the stream is to be continued.
// sent says that fn has sent an element for v.
func (s *handleSubscriber[T, R]) failed(err error, v T, sent bool) {
	defer s.sink.dropFailure("handle") // of a call that has panicked behind it
	s.unsent()
	if err = s.cont.Take(err, v); err != nil {
		s.Fail(err, v)
	} else if !sent {
		s.demand.replace()
	}
}

// attempt calls the function and turns a panic into an error.
func (s *handleSubscriber[T, R]) attempt(v T) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = failure.Recovered(r)
		}
	}()
	s.fn(v, &s.sink)
	return nil
}

// unsent discards an element of a call that failed after it had provided it.
func (s *handleSubscriber[T, R]) unsent() {
	if s.sink.state&syncNext != 0 {
		pending.Discard(s.discard, s.sink.take())
	}
}

// OnError is also for a call that has failed, or whose element has failed further down: what it has left in the sink goes
// nowhere any more.
func (s *handleSubscriber[T, R]) OnError(err error) {
	defer s.sink.dropFailure("handle") // also if what follows ends the goroutine
	s.unsent()
	s.filtering.OnError(err)
}
