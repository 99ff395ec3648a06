package flux

import (
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// PublishOn delivers what follows on a worker of scheduler: everything below this point runs
// there, and the source need not wait for it.
//
//	f:         1 - 2 - 3 |      on the goroutine of f
//	           PublishOn(parallel)
//	out:       1 - 2 - 3 |      on one worker
//
// Elements cross through a queue. It asks f for 256 elements ([Prefetch]) and, whenever three
// quarters of them were delivered, for as many again, however large the demand downstream is.
// An error waits until everything received before it was delivered, unless [EagerErrors] is
// given; then what is queued is discarded. If the scheduler refuses a task, the stream fails
// with reactor.ErrRejected. Cancelling discards what is queued and gives the worker back. After
// a few thousand elements in a row the worker turns to its other tasks first.
//
// A source right above that calls no function of yours, such as [Range] or [FromSlice], is asked
// by the worker for what downstream wants, without a queue.
func (f Flux[T]) PublishOn[F Self[T]](scheduler schedulers.Scheduler, opts ...PublishOnOption) F {
	return wrap[F](operators.PublishOn(f.Source(), scheduler, opts...))
}

// SubscribeOn subscribes to everything above this point, and requests from it, on a worker of
// scheduler: the way to move a blocking source away.
//
//	           SubscribeOn(boundedElastic)
//	f:         1 - 2 - 3 |      on one worker, from the subscription on
//	out:       1 - 2 - 3 |      wherever f emits: on that worker
//
// Demand passes through, by way of the worker unless the request comes from there; with
// [RequestInPlace] on the goroutine that requests. If the scheduler refuses, the stream fails
// with reactor.ErrRejected; a refused request cancels f. Cancelling passes through at once and
// gives the worker back: what it had still to do is dropped.
func (f Flux[T]) SubscribeOn[F Self[T]](scheduler schedulers.Scheduler, opts ...SubscribeOnOption) F {
	return wrap[F](operators.SubscribeOn(f.Source(), scheduler, opts...))
}

// CancelOn cancels everything above this point on scheduler.
//
// Everything else passes through where it is. If the scheduler refuses, the cancellation
// happens on the goroutine that asked for it. A task that it has taken and drops later, because
// it is shut down, cancels nothing.
func (f Flux[T]) CancelOn[F Self[T]](scheduler schedulers.Scheduler) F {
	return wrap[F](operators.CancelOn(f.Source(), scheduler))
}
