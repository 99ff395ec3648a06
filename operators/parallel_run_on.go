package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// ParallelRunOn gives each rail a worker of scheduler, on which it delivers.
//
// Each rail asks for 256 elements ([Prefetch]) and replenishes as [PublishOn] does;
// its errors wait until what it has queued was delivered. If the scheduler refuses a
// task, that rail fails with reactor.ErrRejected.
func ParallelRunOn[T any](src ParallelPublisher[T], scheduler schedulers.Scheduler, opts ...ParallelRunOnOption) ParallelPublisher[T] {
	argument.NotNil("runOn", "source", src)
	argument.NotNil("runOn", "scheduler", scheduler)
	c := parallelRunOnConfig{prefetch: defaultHopPrefetch()}
	for _, o := range argument.Options("parallelRunOn", opts) {
		o.applyParallelRunOn(&c)
	}
	return &parallelRunOn[T]{
		ParallelPublisher: src,
		scheduler:         scheduler,
		config:            publishOnConfig{op: "runOn", prefetch: c.prefetch, demand: positiveSize("runOn", "prefetch", c.prefetch), rail: true},
	}
}

// ParallelRunOnOption is an option of [ParallelRunOn]: [Prefetch].
type ParallelRunOnOption interface{ applyParallelRunOn(*parallelRunOnConfig) }

type parallelRunOnConfig struct{ prefetch int }

func (o PrefetchOption) applyParallelRunOn(c *parallelRunOnConfig) { c.prefetch = int(o) }

type parallelRunOn[T any] struct {
	ParallelPublisher[T]
	scheduler schedulers.Scheduler
	config    publishOnConfig
}

func (p *parallelRunOn[T]) SubscribeRails(ctx context.Context, rails []reactor.Subscriber[T]) {
	hops := make([]reactor.Subscriber[T], len(rails))
	for i, s := range rails {
		hops[i] = newPublishOn(ctx, protocol.Strict(ctx, s), p.scheduler.NewWorker(), p.config)
	}
	p.ParallelPublisher.SubscribeRails(ctx, hops)
}
