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
	for i, s := range rails {
		hops[i] = protocol.Strict(ctx, s) // before there are workers: it panics if there is no subscriber
	}
	ends := railEnds{open: len(rails), due: len(rails), rails: make([]railEnd, len(rails))}
	workers := make([]schedulers.Worker, len(rails))
	if !failure.Guard(func() {
		for i := range workers {
			workers[i] = p.scheduler.NewWorker()
		}
	}, func(err error) { refuseRails(ctx, hops, workers, err) }) {
		return
	}
	for i, down := range hops {
		hop := newPublishOn(ctx, down, workers[i], p.config)
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
		down, sub := rails[i-len(rails)], &runnableSubscription{}
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
	due   int     // rails whose source has not ended, which may yet bring an error; guarded by mu
	heard []error // guarded by mu
	lost  []error // guarded by mu
}

// railEnd is the end of one rail.
type railEnd struct {
	of   *railEnds
	err  error // of the source, which the outlet has; guarded by of.mu
	over bool  // guarded by of.mu
	done bool  // the source has ended; guarded by of.mu
}

// came takes the error of the source for the outlet. If the rail is over, it is one that the rail has lost.
func (r *railEnd) came(out *protocol.TaskOutlet, err error) {
	if out.Done() {
		out.End(err)
		return
	}
	ends, unheard := r.noted(out, err)
	dropAll(out, unheard)
	if ends {
		out.Run()
	}
}

// noted hands the error to the outlet and reports true, unless the rail is over. The lock keeps that from becoming so in between.
func (r *railEnd) noted(out *protocol.TaskOutlet, err error) (ends bool, unheard []error) {
	e := r.of
	e.mu.Lock()
	defer e.mu.Unlock() // also if a method of an error ends the goroutine
	r.sourceEnded()
	if !r.over {
		r.err = err
		return out.Ending(err), nil
	}
	e.lost = append(e.lost, err)
	return false, e.unheard()
}

// sourceEnded notes that the source brings nothing more.
func (r *railEnd) sourceEnded() {
	if !r.done {
		r.done = true
		r.of.due--
	}
}

// ended notes that the rail with the outlet out is over, or that something has come after that.
// waited says that elements waited before the error.
func (r *railEnd) ended(out *protocol.TaskOutlet, waited bool) { dropAll(out, r.lost(out, waited)) }

// lost notes what has become of the rail, and returns the errors that no rail has delivered, when all are over.
func (r *railEnd) lost(out *protocol.TaskOutlet, waited bool) (unheard []error) {
	e := r.of
	e.mu.Lock()
	defer e.mu.Unlock()       // as above
	lost := out.TakeFailure() // nil if it was sent
	if out.Done() {
		r.sourceEnded()
	}
	if !r.over {
		r.over = true
		e.open--
		if r.err != nil && lost == nil {
			e.heard = append(e.heard, r.err)
		}
		r.err = nil
	}
	if lost != nil && !waited {
		e.lost = append(e.lost, lost)
	}
	return e.unheard()
}

// unheard returns the errors that no rail has delivered, when all are over. Nothing hangs on the subscription of a rail that
// somebody keeps once no error is due.
func (e *railEnds) unheard() (unheard []error) {
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
	if e.due == 0 {
		e.heard = nil
	}
	return unheard
}

func dropAll(out *protocol.TaskOutlet, errs []error) {
	for _, err := range errs {
		reactor.DropError(out.Context(), err)
	}
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
