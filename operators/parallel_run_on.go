package operators

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// ParallelRunOn gives each rail a worker of scheduler, on which the rail delivers.
//
// Each rail asks for 256 elements ([Prefetch]) and replenishes as [PublishOn] does; its
// errors wait until its queued elements were delivered. If the scheduler refuses a
// task, the rail of that task fails with reactor.ErrRejected.
func ParallelRunOn[T any](src ParallelPublisher[T], scheduler schedulers.Scheduler, opts ...ParallelRunOnOption) ParallelPublisher[T] {
	argument.NotNil("runOn", "source", src)
	argument.NotNil("runOn", "scheduler", scheduler)
	c := parallelRunOnConfig{prefetch: defaultHopPrefetch()}
	for _, o := range argument.Options("parallelRunOn", opts) {
		o.applyParallelRunOn(&c)
	}
	return &parallelRunOn[T]{
		ParallelPublisher: src,
		scheduler:         foreign.Scheduler(scheduler),
		config:            publishOnConfig{op: "runOn", prefetch: c.prefetch, demand: positiveSize("runOn", "prefetch", c.prefetch)},
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
	ends := railEnds{open: len(rails), rails: make([]railEnd, len(rails))}
	workers := make([]schedulers.Worker, len(rails))
	if !failure.Guard(func() {
		for i := range workers {
			workers[i] = p.scheduler.NewWorker()
		}
	}, func(err error) { refuseRails(ctx, rails, workers, err) }) {
		return
	}
	for i, s := range rails {
		hop := newPublishOn(ctx, protocol.Strict(ctx, s), workers[i], p.config)
		hop.rail = &ends.rails[i]
		hop.rail.of = &ends
		hops[i] = hop
	}
	p.ParallelPublisher.SubscribeRails(ctx, hops)
}

// refuseRails is called when the scheduler has ended the goroutine with err: the workers that there are, the others are nil, go
// back, and each rail ends, but for those that another one has cancelled because of that.
func refuseRails[T any](ctx context.Context, rails []reactor.Subscriber[T], workers []schedulers.Worker, err error) {
	err = reactor.OperatorError(ctx, failure.Renamed(err, "parallelRunOn", "runOn"), nil)
	failure.Persist(2*len(rails), func(i int) bool { // each may end the goroutine again
		if i < len(rails) {
			if w := workers[i]; w != nil {
				w.Dispose()
			}
			return true
		}
		down, sub := protocol.Strict(ctx, rails[i-len(rails)]), &runnableSubscription{}
		defer func() {
			if !sub.cancelled.Load() {
				down.OnError(err)
			}
		}()
		down.OnSubscribe(sub)
		return true
	})
}

// railEnds records what has become of the errors of all rails. Rails may have the same error: a
// rail that drops it need not report it as long as another rail may deliver it.
type railEnds struct {
	rails []railEnd

	mu    sync.Mutex
	open  int     // rails that have not ended; guarded by mu
	heard []error // guarded by mu
	lost  []error // guarded by mu
}

// railEnd is the end of one rail.
type railEnd struct {
	of   *railEnds
	err  error // of the source; guarded by of.mu
	over bool  // guarded by of.mu
}

// came notes the error of the source before the outlet has it.
func (r *railEnd) came(err error) {
	r.of.mu.Lock()
	r.err = err
	r.of.mu.Unlock()
}

// ended notes that the rail with the outlet out is over, or that something has come after that.
// waited says that elements waited before the error.
func (r *railEnd) ended(out *protocol.TaskOutlet, waited bool) {
	lost := out.TakeFailure() // nil if it was sent
	for _, err := range r.unheard(lost, waited) {
		reactor.DropError(out.Context(), err)
	}
}

// unheard notes what has become of the rail, and returns the errors that no rail has delivered, when all are over.
func (r *railEnd) unheard(lost error, waited bool) (unheard []error) {
	e := r.of
	e.mu.Lock()
	defer e.mu.Unlock() // also if a method of an error ends the goroutine
	if !r.over {
		r.over = true
		e.open--
		if r.err != nil && lost == nil {
			e.heard = append(e.heard, r.err)
		}
	}
	if lost != nil && !waited {
		e.lost = append(e.lost, lost)
	}
	if e.open > 0 {
		return nil
	}
	all := e.lost
	e.lost = nil
	for _, err := range all {
		if !slices.ContainsFunc(e.heard, func(heard error) bool { return isError(err, heard) }) {
			unheard = append(unheard, err)
			e.heard = append(e.heard, err)
		}
	}
	return unheard
}

// isError is errors.Is, but false where that panics: errors may be of a type that can't be compared, or have a method that panics.
func isError(err, heard error) (is bool) {
	defer func() {
		if recover() != nil {
			is = false
		}
	}()
	return errors.Is(err, heard)
}
