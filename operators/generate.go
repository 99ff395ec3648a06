package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// Generate computes elements one by one from a state: each call of step gets the
// state that the call before returned, and gives at most one element, or the
// end, to its sink.
//
//	      Generate(func() int { return 1 }, func(n int, s *SyncSink[int]) int { s.Next(n); return 2 * n })
//	out:  1 - 2 - 4 - 8 - …
//
// step runs on demand, on the goroutine that requests, once per element. A call of step
// that does not use the sink ends the stream with reactor.ErrIllegalState, a panic of
// step ends it with a *reactor.PanicError. initial runs once per subscription. Each
// function in cleanup gets the last state once: after the end or the cancellation, but
// before the error if step has panicked or has not used its sink. Panics of these
// functions are reported as dropped errors.
func Generate[T, S any](initial func() S, step func(S, *SyncSink[T]) S, cleanup ...func(S)) reactor.Publisher[T] {
	argument.Given("generate", "initial state", initial != nil)
	argument.Given("generate", "step", step != nil)
	for _, fn := range cleanup {
		argument.NotNil("generate", "cleanup", fn)
	}
	return &generatePublisher[T, S]{initial: initial, step: step, cleanup: cleanup}
}

// GenerateStateless is [Generate] without a state.
//
//	      GenerateStateless(func(s *SyncSink[int]) { s.Next(rand.Int()) })
//	out:  4 - 4 - 4 - …
func GenerateStateless[T any](step func(*SyncSink[T])) reactor.Publisher[T] {
	argument.Given("generate", "step", step != nil)
	return Generate(func() struct{} { return struct{}{} }, func(none struct{}, s *SyncSink[T]) struct{} {
		step(s)
		return none
	})
}

type generatePublisher[T, S any] struct {
	protocol.Op
	initial func() S
	step    func(S, *SyncSink[T]) S
	cleanup []func(S)
}

func (p *generatePublisher[T, S]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &generateSubscription[T, S]{p: p, ctx: ctx, down: protocol.Strict(ctx, s)}
	sub.sink.ctx = ctx
	if failure.Guard(
		func() { sub.state = p.initial() },
		func(err error) { protocol.Fail(sub.down, reactor.OperatorError(ctx, err, nil)) },
	) {
		sub.Init(sub)
		sub.down.OnSubscribe(sub)
	}
}

// generateSubscription is touched by the owner of the loop only.
type generateSubscription[T, S any] struct {
	protocol.PullLoop
	p     *generatePublisher[T, S]
	ctx   context.Context
	down  reactor.Subscriber[T]
	push  func(T) // hands elements to down; taken at the first request
	sink  SyncSink[T]
	state S
	clean bool // the functions in cleanup have run
}

// Pull emits what a call left in the sink after the call has returned: then no user
// code is on the stack, and the state is the one that cleanup has to get.
func (s *generateSubscription[T, S]) Pull(n int64) bool {
	if s.push == nil {
		s.push = protocol.Push(s.down)
	}
	for step := s.p.step; n > 0; n-- {
		if s.Cancelled() {
			return true
		}
		s.sink.reset()
		s.state = step(s.state, &s.sink)
		if s.sink.state&syncNext != 0 {
			s.push(s.sink.value)
			if s.sink.state == syncNext {
				continue
			}
			if s.Cancelled() {
				s.sink.dropFailure("generate")
				return true
			}
		}
		s.finish()
		return true
	}
	s.sink.value = *new(T) // the next request may be long in coming
	return false
}

func (s *generateSubscription[T, S]) finish() {
	state := s.sink.state &^ syncNext
	s.sink.state = 0 // nothing is left there
	switch state {
	case syncComplete:
		s.Finish(s.down, nil)
	case syncError:
		s.Finish(s.down, reactor.OperatorError(s.ctx, s.sink.failure("generate"), nil))
	default:
		defer s.Finish(s.down, reactor.Failure("generate", reactor.ErrIllegalState, "the step neither emitted nor ended"))
		s.Release()
	}
}

// Crashed discards the element in the sink: it was on its way down, or the step
// failed after it had provided it. An error behind it goes nowhere any more.
func (s *generateSubscription[T, S]) Crashed(err error) {
	v, some := s.sink.value, s.sink.state&syncNext != 0
	// Deferred: cleanup may end the goroutine.
	defer func() {
		defer s.sink.dropFailure("generate") // also if downstream ends the goroutine
		if some {
			protocol.Crash(s.ctx, s.down, err, v)
			return
		}
		s.down.OnError(reactor.OperatorError(s.ctx, err, nil))
	}()
	s.Release()
}

// Release runs the functions in cleanup, once.
func (s *generateSubscription[T, S]) Release() {
	if s.clean {
		return
	}
	s.clean = true
	state := s.state
	s.state, s.sink.value = *new(S), *new(T)
	if len(s.p.cleanup) == 0 {
		return // nothing is allocated
	}
	failure.Persist(len(s.p.cleanup), func(i int) bool { // each may end the goroutine
		failure.Guard(func() { s.p.cleanup[i](state) }, func(err error) { reactor.DropError(s.ctx, err) })
		return true
	})
}
