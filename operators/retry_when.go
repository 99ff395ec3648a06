package operators

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/companion"
)

// RetryWhen subscribes to src again after its failures as policy decides: a [RetrySpec],
// such as [RetryMax] or [RetryBackoff] makes, or a companion publisher, see [RetryFrom].
//
//	src:  1 --- #      1 --- 2 |
//	      RetryWhen(RetryFixedDelay(3, 5ms))
//	out:  1 ---------- 1 --- 2 |
//
// Demand that an attempt leaves open is asked of the next one. Failures of stages
// downstream are not retried, nor is reactor.ErrGoexit. Cancellation ends a delay or a
// companion that is under way; after a cancellation src is not subscribed again. The next
// attempt starts on the goroutine on which src failed or, after a delay, on the scheduler
// of the policy.
func RetryWhen[T any](src reactor.Publisher[T], policy RetryPolicy, opts ...RetryWhenOption) reactor.Publisher[T] {
	argument.NotNil("retryWhen", "policy", policy)
	src = protocol.Trust("retryWhen", src)
	var cfg againConfig
	for _, o := range argument.Options("retryWhen", opts) {
		o.applyRetryWhen(&cfg)
	}
	switch policy := policy.(type) {
	case RetrySpec:
		return &retrySpecPublisher[T]{src: src, spec: policy, verbatim: cfg.verbatim}
	case *RetrySpec:
		return &retrySpecPublisher[T]{src: src, spec: *policy, verbatim: cfg.verbatim}
	case retryFrom:
		return &companion.Publisher[T, RetrySignal]{Name: "retryWhen", Src: src, Attach: policy.attach, Drive: retryDrive[T], Verbatim: cfg.verbatim}
	}
	panic(fmt.Sprintf("reactor: retryWhen: the policy is a %T, and neither a RetrySpec nor the result of RetryFrom", policy))
}

// RetryWhenOption is an option of [RetryWhen]: [Verbatim].
type RetryWhenOption interface{ applyRetryWhen(*againConfig) }

// againConfig is for RetryWhen, RepeatWhen and MonoRepeatWhenEmpty.
type againConfig struct{ verbatim bool }

func (o VerbatimOption) applyRetryWhen(c *againConfig) { c.verbatim = bool(o) }

// RetryPolicy is what [RetryWhen] takes: a [RetrySpec], or the result of [RetryFrom].
type RetryPolicy interface{ retryPolicy() }

// RetrySignal describes a failure to a retry policy.
type RetrySignal struct {
	// TotalRetries is how often the source was subscribed again so far: 0 at the first
	// failure.
	TotalRetries int64
	// TotalRetriesInARow is how often the source was subscribed again since it last
	// sent an element.
	TotalRetriesInARow int64
	// Failure is the error of the source.
	Failure error
	// Context is the context of the spec, see [RetrySpec.WithContext], or else the context with
	// which the failed attempt was subscribed; with [RetryFrom] it has the values of the contexts
	// that the companion has sent.
	Context context.Context
}

// RetryFrom makes a retry policy of a companion publisher: fn gets a publisher of the failures and
// returns the companion. Each element of the companion, whatever it is, subscribes to the source
// again. An error of the companion ends the stream with that error, and its completion completes
// the stream. An element that is a context.Context provides values for the subscriptions that
// follow. The values of earlier such contexts stay visible behind the newer ones, so each of these
// contexts is kept as long as the stream. RetrySignal.Context has these values at the next
// failure; the context of the companion itself, as in [SyncSink.Context], never has them, unlike
// in Reactor.
//
// The companion is subscribed before the source, and asked for one element per failure. The
// publisher of failures serves one subscriber, which may request any number of them.
func RetryFrom[X any, P reactor.Publisher[X]](fn func(failures reactor.Publisher[RetrySignal]) P) RetryPolicy {
	argument.Given("retryFrom", "function", fn != nil)
	return retryFrom{companion.Attach[RetrySignal, X]("retryFrom", func(c reactor.Publisher[RetrySignal]) P { return fn(c) })}
}

type retryFrom struct {
	attach func(context.Context, *companion.Feed[RetrySignal], companion.Owner)
}

func (retryFrom) retryPolicy() {}

// retryDrive makes the subscriber that signals failures to its companion.
func retryDrive[T any](s *companion.Stage[T, RetrySignal]) reactor.Subscriber[T] {
	return &retryFromSubscriber[T]{Stage: s}
}

type retryFromSubscriber[T any] struct {
	*companion.Stage[T, RetrySignal]
	total, inARow int64 // failures; touched by the signals of upstream only
}

func (s *retryFromSubscriber[T]) OnError(err error) {
	if s.Out.Calling() || !mayRepeat(err) {
		s.Finish(err)
		return
	}
	if s.Produced > 0 {
		s.inARow = 0
	}
	signal := RetrySignal{TotalRetries: s.total, TotalRetriesInARow: s.inARow, Failure: err, Context: s.Ctx}
	s.total++
	s.inARow++
	if !s.Signal(signal) {
		belated.Drop(s.Ctx, err)
	}
}

func (s *retryFromSubscriber[T]) OnComplete() {
	if !s.IsCancelled() { // else the companion is, too, and downstream has left
		s.Finish(nil)
	}
}

type retrySpecPublisher[T any] struct {
	protocol.Op
	src      reactor.Publisher[T]
	spec     RetrySpec
	verbatim bool
}

func (p *retrySpecPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	stage := &retrySpecStage{spec: &p.spec}
	stage.ToTheEnded = p.verbatim
	subscribeBackingOff(ctx, p.src, s, &stage.backingOff, stage)
}

type retrySpecStage struct {
	backingOff
	spec          *RetrySpec
	total, inARow int64 // failures; touched by the signals of upstream only
}

func (s *retrySpecStage) OnError(err error) {
	if s.Call.Active() || !mayRepeat(err) {
		s.Down.OnError(err)
		return
	}
	if s.Produced > 0 {
		s.inARow = 0
	}
	signal := RetrySignal{TotalRetries: s.total, TotalRetriesInARow: s.inARow, Failure: err, Context: s.spec.context(s.Ctx)}
	s.total++
	s.inARow++
	produced := s.Produced
	s.Produced = 0
	if !s.Next(produced) {
		belated.Drop(s.Ctx, err)
		return
	}
	delay, again := s.spec.decide(s.Ctx, signal, s.fail)
	if !again {
		return
	}
	s.backOff("retryWhen", s.spec.steps(signal, delay, err))
}

func (s *retrySpecStage) OnComplete() {
	if !s.IsCancelled() {
		s.Down.OnComplete()
	}
}
