package operators

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/companion"
)

// RepeatWhen subscribes to src again after its completions as policy decides: a
// [RepeatSpec], such as [RepeatTimes] makes, or a companion publisher, see [RepeatFrom].
//
//	src:  1 --- 2 |       1 --- 2 |
//	      RepeatWhen(RepeatTimes(1).FixedDelay(5ms))
//	out:  1 --- 2 ------- 1 --- 2 |
//
// Demand that a round leaves open is asked of the next one. An error of src passes.
// Cancellation ends a delay or a companion that is under way; after a cancellation src is
// not subscribed again. The next round starts on the goroutine on which src completed or,
// after a delay, on the scheduler of the policy.
func RepeatWhen[T any](src reactor.Publisher[T], policy RepeatPolicy, opts ...RepeatWhenOption) reactor.Publisher[T] {
	policy = repeatPolicyOf("repeatWhen", policy)
	src = protocol.Trust("repeatWhen", src)
	var cfg againConfig
	for _, o := range argument.Options("repeatWhen", opts) {
		o.applyRepeatWhen(&cfg)
	}
	if spec, ok := policy.(RepeatSpec); ok {
		return &repeatSpecPublisher[T]{src: src, spec: spec, verbatim: cfg.verbatim}
	}
	return &companion.Publisher[T, int64]{Name: "repeatWhen", Src: src, Attach: policy.(repeatFrom).attach, Drive: repeatDrive[T], Verbatim: cfg.verbatim}
}

// RepeatWhenOption is an option of [RepeatWhen]: [Verbatim].
type RepeatWhenOption interface{ applyRepeatWhen(*againConfig) }

func (o VerbatimOption) applyRepeatWhen(c *againConfig) { c.verbatim = bool(o) }

// RepeatPolicy is what [RepeatWhen] takes: a [RepeatSpec], or the result of [RepeatFrom].
type RepeatPolicy interface{ repeatPolicy() }

// repeatPolicyOf returns policy as a RepeatSpec or a repeatFrom.
func repeatPolicyOf(op string, policy RepeatPolicy) RepeatPolicy {
	argument.NotNil(op, "policy", policy)
	switch policy := policy.(type) {
	case RepeatSpec, repeatFrom:
		return policy
	case *RepeatSpec:
		return *policy
	}
	panic(fmt.Sprintf("reactor: %s: the policy is a %T, and neither a RepeatSpec nor the result of RepeatFrom", op, policy))
}

// RepeatSignal describes a completion to a repeat policy.
type RepeatSignal struct {
	// Iteration is how often the source was subscribed again so far: 0 at the first
	// completion.
	Iteration int64
	// Elements is how many elements the round had.
	Elements int64
	// Backoff is the delay before the next round.
	Backoff time.Duration
	// Context is the context of the spec, see [RepeatSpec.WithContext], or else that of
	// the subscription.
	Context context.Context
}

// RepeatFrom makes a repeat policy of a companion publisher: fn gets a publisher that emits, for
// each completion of the source, how many elements the round had, and returns the companion. Each
// element of the companion, whatever it is, subscribes to the source again. An error of the
// companion ends the stream with that error, and its completion completes the stream. An element
// that is a context.Context provides values for the subscriptions that follow. The values of
// earlier such contexts stay visible behind the newer ones, so each of these contexts is kept as
// long as the stream.
//
// The companion is subscribed before the source, and asked for one element per completion. The
// publisher of completions serves one subscriber, which may request any number of them.
func RepeatFrom[X any, P reactor.Publisher[X]](fn func(completions reactor.Publisher[int64]) P) RepeatPolicy {
	argument.Given("repeatFrom", "function", fn != nil)
	return repeatFrom{companion.Attach[int64, X]("repeatFrom", func(c reactor.Publisher[int64]) P { return fn(c) })}
}

type repeatFrom struct {
	attach func(context.Context, *companion.Feed[int64], companion.Owner)
}

func (repeatFrom) repeatPolicy() {}

// repeatDrive makes the subscriber that signals completions to its companion.
func repeatDrive[T any](s *companion.Stage[T, int64]) reactor.Subscriber[T] {
	return repeatFromSubscriber[T]{s}
}

type repeatFromSubscriber[T any] struct{ *companion.Stage[T, int64] }

func (s repeatFromSubscriber[T]) OnError(err error) {
	if !s.Out.Calling() && s.IsCancelled() {
		belated.Drop(s.Ctx, err)
		return
	}
	s.Finish(err)
}

func (s repeatFromSubscriber[T]) OnComplete() { s.Signal(s.Produced) }

type repeatSpecPublisher[T any] struct {
	protocol.Op
	src      reactor.Publisher[T]
	spec     RepeatSpec
	verbatim bool
}

func (p *repeatSpecPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	stage := &repeatSpecStage{spec: &p.spec}
	stage.ToTheEnded = p.verbatim
	subscribeBackingOff(ctx, p.src, s, &stage.backingOff, stage)
}

type repeatSpecStage struct {
	backingOff
	spec      *RepeatSpec
	iteration int64 // touched by the signals of upstream only
}

func (s *repeatSpecStage) OnError(err error) {
	if !s.Call.Active() && s.IsCancelled() {
		belated.Drop(s.Ctx, err)
		return
	}
	s.Down.OnError(err)
}

func (s *repeatSpecStage) OnComplete() {
	signal := RepeatSignal{Iteration: s.iteration, Elements: s.Produced, Backoff: s.spec.delay(), Context: s.spec.context(s.Ctx)}
	s.iteration++
	s.Produced = 0
	if !s.Next(signal.Elements) {
		return
	}
	if s.spec.decide(s.Ctx, signal, s.end) {
		s.backOff("repeatWhen", s.spec.steps(signal, signal.Backoff, nil))
	}
}

// end ends the stream by decision of the policy.
func (s *repeatSpecStage) end(err error) {
	if err != nil {
		s.fail(err)
		return
	}
	s.Arbiter.Cancel()
	s.Down.OnComplete()
}
