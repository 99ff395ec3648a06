package flux

import (
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// PublishOn delivers elements on a worker of scheduler: everything below this point runs there,
// and the source need not wait for it.
//
//	f:         1 - 2 - 3 |      on the goroutine of f
//	           PublishOn(parallel)
//	out:       1 - 2 - 3 |      on one worker
//
// Elements cross over in a queue. f is asked for 256 elements ([Prefetch]), and for another
// three quarters of that number whenever as many were delivered, however large the demand
// downstream is. An error waits until everything received before it was delivered; with
// [EagerErrors] it comes at once, and the queued elements are discarded. If the scheduler
// refuses a task, the stream fails with reactor.ErrRejected. Cancelling discards the queued
// elements and gives the worker back. After a few thousand elements in a row the worker runs
// its other tasks before it goes on.
//
// Where the source is right above and calls no function of yours, as with [Range] or [FromSlice],
// there is no queue: the worker asks the source for what downstream wants.
func (f Flux[T]) PublishOn[F Self[T]](scheduler schedulers.Scheduler, opts ...PublishOnOption) F {
	return wrap[F](operators.PublishOn(f.Source(), scheduler, opts...))
}

// SubscribeOn subscribes to f, and requests from it, on a worker of scheduler: the way to move a
// blocking source to another goroutine.
//
//	           SubscribeOn(boundedElastic)
//	f:         1 - 2 - 3 |      on one worker, from the subscription on
//	out:       1 - 2 - 3 |      wherever f emits: on that worker
//
// A request passes through on the worker, or directly if it is made there; with [RequestInPlace]
// it passes through on the goroutine that requests. If the scheduler refuses, the stream fails
// with reactor.ErrRejected; a refused request also cancels f. Cancelling passes through at once
// and gives the worker back: its remaining tasks are dropped.
func (f Flux[T]) SubscribeOn[F Self[T]](scheduler schedulers.Scheduler, opts ...SubscribeOnOption) F {
	return wrap[F](operators.SubscribeOn(f.Source(), scheduler, opts...))
}

// CancelOn cancels f, and everything above it, on scheduler.
//
// Everything else passes through on the goroutine where it is. If the scheduler refuses, f is
// cancelled on the goroutine that cancels. If the scheduler accepts the task and drops it
// later, because it is shut down, f is not cancelled.
func (f Flux[T]) CancelOn[F Self[T]](scheduler schedulers.Scheduler) F {
	return wrap[F](operators.CancelOn(f.Source(), scheduler))
}
