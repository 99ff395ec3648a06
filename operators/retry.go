package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/resubscribe"
)

// Retry subscribes to src again whenever src fails: without end, or as often as [Times]
// says, and only after errors that one of the [ErrorFilter] options accepts.
//
//	src:  1 --- #  1 --- 2 |
//	      Retry(Times(1))
//	out:  1 ------ 1 --- 2 |
//
// Demand that an attempt leaves open is asked of the next one. The last error passes.
// Failures of stages downstream are not retried, nor is reactor.ErrGoexit. A panic of a
// filter ends the stream with an error that wraps both the panic and the failure of src.
// After cancellation src is not subscribed again. A src that fails at once is subscribed
// again in a loop, at constant stack depth, on the goroutine on which it failed.
func Retry[T any](src reactor.Publisher[T], opts ...RetryOption) reactor.Publisher[T] {
	times, when := retryOptions(opts)
	return &retryPublisher[T]{src: protocol.Trust("retry", src), times: times, when: when}
}

func retryOptions(opts []RetryOption) (times int64, when ErrorFilter) {
	cfg := retryConfig{times: reactor.Unbounded}
	for _, o := range argument.Options("retry", opts) {
		o.applyRetry(&cfg)
	}
	return cfg.times, anyFilter("retry", cfg.when)
}

// RetryOption is an option of [Retry]: [Times], or an [ErrorFilter].
type RetryOption interface{ applyRetry(*retryConfig) }

type retryConfig struct {
	times int64 // reactor.Unbounded: without end
	when  []ErrorFilter
}

func (n TimesOption) applyRetry(c *retryConfig) {
	argument.NotNegative("retry", "times", n)
	c.times = count(int(n))
}

func (f ErrorFilter) applyRetry(c *retryConfig) { c.when = append(c.when, f) }

type retryPublisher[T any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	times int64
	when  ErrorFilter
}

func (p *retryPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	stage := &retryStage{left: p.times, when: p.when}
	sub := resubscribe.New(ctx, s, stage)
	stage.Subscribe = func() { p.src.Subscribe(ctx, sub) }
	defer stage.Advance() // also if downstream ends the goroutine
	sub.Down.OnSubscribe(stage)
}

// Computable reports whether its source is: see [direct.Is].
func (p *retryPublisher[T]) Computable() direct.Way { return whole(isComputable(p.src)) }

// Direct implements direct.Source.
func (p *retryPublisher[T]) Direct(ctx context.Context) (T, bool, error) {
	for left := p.times; ; {
		v, ok, failed, err := attempted(ctx, p.src)
		switch {
		case err != nil:
			return v, false, passed[T, T](err, &retryPublisher[T]{src: p.src, times: left, when: p.when})
		case failed == nil:
			return v, ok, nil
		}
		if left == 0 || !mayRepeat(failed) {
			return v, false, failed
		}
		if refused := p.when.refusal(ctx, failed); refused != nil {
			return v, false, refused
		}
		if left != reactor.Unbounded {
			left--
		}
	}
}

// behind goes on where an attempt has to be subscribed to: the others are made as the first one was.
func (p *retryPublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	once := &onceThen[T]{first: src, then: p.src}
	return &retryBegun[T]{retry: &retryPublisher[T]{src: once, times: p.times, when: p.when}, once: once}
}

// retryBegun subscribes in any case to the attempt that was computed in part, also for a subscriber
// that has cancelled meanwhile.
type retryBegun[T any] struct {
	protocol.Op
	retry *retryPublisher[T]
	once  *onceThen[T]
}

func (p *retryBegun[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.retry.Subscribe(ctx, s)
	if !p.once.begun.Load() {
		p.once.Subscribe(ctx, &unwanted[T]{ctx: ctx})
	}
}

// onceThen is first for the first subscriber, and then for all later ones.
type onceThen[T any] struct {
	protocol.Op
	first, then reactor.Publisher[T]
	begun       atomic.Bool
}

func (p *onceThen[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	src := p.then
	if !p.begun.Swap(true) {
		src = p.first
	}
	src.Subscribe(ctx, s)
}

type retryStage struct {
	resubscribe.Stage
	left int64 // attempts; touched by the signals of upstream only
	when ErrorFilter
}

func (s *retryStage) OnError(err error) {
	if s.Call.Active() || s.left == 0 || !mayRepeat(err) {
		s.Down.OnError(err)
		return
	}
	if s.IsCancelled() {
		belated.Drop(s.Ctx, err)
		return
	}
	if !s.when.accepts(s.Ctx, err, s.Down.OnError) {
		return
	}
	if s.left != reactor.Unbounded {
		s.left--
	}
	s.Advance()
}

func (s *retryStage) OnComplete() { s.Down.OnComplete() }
