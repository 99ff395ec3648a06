package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/resubscribe"
)

// Repeat subscribes to src again whenever src completes: without end, or within the
// limits that [Times] and [While] set.
//
//	src:  1 --- 2 | 1 --- 2 |
//	      Repeat(Times(1))
//	out:  1 --- 2 - 1 --- 2 |
//
// Times counts the repetitions, not the first subscription: Times(1) runs src twice.
// Demand that a round leaves open is asked of the next one. An empty src that is
// repeated without end runs for ever, whatever the demand. An error of src passes, and
// a panic of the condition ends the stream. After cancellation src is not subscribed
// again. A src that completes at once is subscribed again in a loop, at constant stack
// depth, on the goroutine on which it completed.
func Repeat[T any](src reactor.Publisher[T], opts ...RepeatOption) reactor.Publisher[T] {
	cfg := repeatConfig{times: reactor.Unbounded}
	for _, o := range argument.Options("repeat", opts) {
		o.applyRepeat(&cfg)
	}
	src = protocol.Trust("repeat", src)
	if cfg.times == 0 {
		return src
	}
	return &repeatPublisher[T]{src: src, cfg: cfg}
}

// RepeatOption is an option of [Repeat]: [Times] or [While].
type RepeatOption interface{ applyRepeat(*repeatConfig) }

type repeatConfig struct {
	times int64       // reactor.Unbounded: without end
	while func() bool // nil: always
}

// TimesOption is how often a source is subscribed again.
type TimesOption int

// Times limits how often a source is subscribed again to n ≥ 0 times; the first
// subscription does not count.
func Times(n int) TimesOption { return TimesOption(n) }

func (n TimesOption) applyRepeat(c *repeatConfig) {
	argument.NotNegative("repeat", "times", n)
	c.times = count(int(n))
}

// WhileOption is a condition for a further repetition.
type WhileOption func() bool

// While asks condition before each repetition; the stream completes when condition
// reports false.
func While(condition func() bool) WhileOption { return condition }

func (w WhileOption) applyRepeat(c *repeatConfig) {
	argument.NotNil("repeat", "condition", w)
	c.while = w
}

type repeatPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	cfg repeatConfig
}

func (p *repeatPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	stage := &repeatStage{left: p.cfg.times, while: p.cfg.while}
	sub := resubscribe.New(ctx, s, stage)
	stage.Subscribe = func() { p.src.Subscribe(ctx, sub) }
	defer stage.Advance() // also if downstream ends the goroutine
	sub.Down.OnSubscribe(stage)
}

type repeatStage struct {
	resubscribe.Stage
	left  int64 // rounds; touched by the signals of upstream only
	while func() bool
}

func (s *repeatStage) OnError(err error) { s.Down.OnError(err) }

func (s *repeatStage) OnComplete() {
	if s.left == 0 {
		s.Down.OnComplete()
		return
	}
	if s.left != reactor.Unbounded {
		s.left--
	}
	if s.while != nil {
		again, failed := false, false
		failure.Guard(func() { again = s.while() }, func(err error) {
			failed = true
			s.Down.OnError(reactor.OperatorError(s.Ctx, err, nil))
		})
		if failed {
			return
		}
		if !again {
			s.Down.OnComplete()
			return
		}
	}
	s.Advance()
}
