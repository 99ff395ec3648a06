package operators

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/resubscribe"
	"github.com/goreactor/reactor/schedulers"
)

// backoffSettings is what a [RetrySpec] and a [RepeatSpec] say about the time between
// two subscriptions; S is the signal that their functions get.
type backoffSettings[S any] struct {
	clock                   schedulers.Scheduler // nil: schedulers.Parallel()
	ctx                     context.Context      // nil: that of the subscription
	before, after           []func(S)
	beforeGates, afterGates []func(S) reactor.Publisher[struct{}]
}

// context returns the context that the functions get, in a subscription with ctx.
func (p *backoffSettings[S]) context(ctx context.Context) context.Context {
	if p.ctx != nil {
		return p.ctx
	}
	return ctx
}

func (p *backoffSettings[S]) scheduler() schedulers.Scheduler {
	if p.clock == nil {
		return foreign.Scheduler(schedulers.Parallel())
	}
	return p.clock
}

// steps returns the steps to take, with a delay that may be 0, after a failure or, if because is
// nil, after a completion.
func (p *backoffSettings[S]) steps(s S, delay time.Duration, because error) []backoffStep {
	var steps []backoffStep
	add := func(calls []func(S), gates []func(S) reactor.Publisher[struct{}]) {
		for _, fn := range calls {
			steps = append(steps, backoffStep{because: because, call: func() { fn(s) }})
		}
		for _, fn := range gates {
			steps = append(steps, backoffStep{because: because, gate: func() reactor.Publisher[struct{}] { return fn(s) }})
		}
	}
	add(p.before, p.beforeGates)
	if delay > 0 {
		steps = append(steps, backoffStep{delay: delay, clock: p.scheduler})
	}
	add(p.after, p.afterGates)
	return steps
}

// jitter returns factor if it is one for a delay.
func jitter(factor float64) float64 {
	if !(factor >= 0 && factor <= 1) {
		panic(fmt.Sprintf("reactor: jitter: the factor must be between 0 and 1, got %v", factor))
	}
	return factor
}

// backingOff is what the stages of the two specs have in common: upstreams with pauses in
// between. A stage embeds it and decides at the end of an upstream.
type backingOff struct {
	resubscribe.Stage
	backoff backoff
}

// subscribeBackingOff subscribes src for stage, which embeds p.
func subscribeBackingOff[T any](
	ctx context.Context, src reactor.Publisher[T], s reactor.Subscriber[T], p *backingOff,
	stage interface {
		protocol.Signals
		Shared() *resubscribe.Stage
		reactor.Subscription
	},
) {
	sub := resubscribe.New(ctx, s, stage)
	p.Subscribe = func() { src.Subscribe(ctx, sub) }
	defer p.Advance() // also if downstream ends the goroutine
	p.Down.OnSubscribe(stage)
}

// backOff subscribes the next upstream when the steps are done, at once if there are none.
func (s *backingOff) backOff(op string, steps []backoffStep) { s.backoff.run(s.Ctx, op, s, steps) }

// fail ends the stream by decision of the policy.
func (s *backingOff) fail(err error) {
	defer s.Down.OnError(err) // also if a function that hears of what follows ends the goroutine
	s.Arbiter.Cancel()
}

// Cancel ends what is under way between two upstreams, and the upstream.
func (s *backingOff) Cancel() {
	defer s.Arbiter.Cancel() // also if a function that hears of the first ends the goroutine
	s.backoff.current.Cancel()
}

// backedOff implements backoffOwner.
func (s *backingOff) backedOff(err error) {
	switch {
	case err == nil:
		s.Advance()
	case s.Next(0):
		s.fail(err)
	default:
		belated.Drop(s.Ctx, err)
	}
}
