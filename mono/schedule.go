package mono

import (
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// PublishOn delivers what follows on scheduler: everything below this point runs there.
//
//	m:         1 |            on the goroutine of m
//	           PublishOn(parallel)
//	out:       1 |            on a task of the scheduler
//
// Demand passes through. One task delivers element and completion, or the error. If the
// scheduler refuses it, the stream fails with reactor.ErrRejected. Cancelling discards an
// element that was not delivered yet.
func (m Mono[T]) PublishOn[M Self[T]](scheduler schedulers.Scheduler) M {
	return wrap[M](operators.MonoPublishOn(m.Source(), scheduler))
}

// SubscribeOn subscribes to everything above this point, and requests from it, on a worker of
// scheduler: the way to move a blocking source away.
//
//	           SubscribeOn(boundedElastic)
//	m:         --- 1 |      on one worker, from the subscription on
//	out:       --- 1 |      wherever m emits: on that worker
//
// Demand passes through, by way of the worker unless the request comes from there. If the scheduler
// refuses, the stream fails with reactor.ErrRejected; a refused request cancels m. Cancelling passes through
// at once and gives the worker back: what it had still to do is dropped.
func (m Mono[T]) SubscribeOn[M Self[T]](scheduler schedulers.Scheduler) M {
	return wrap[M](operators.SubscribeOn(m.Source(), scheduler))
}

// CancelOn cancels everything above this point on scheduler.
//
// Everything else passes through where it is. If the scheduler refuses, the cancellation
// happens on the goroutine that asked for it. A task that it has taken and drops later, because
// it is shut down, cancels nothing.
func (m Mono[T]) CancelOn[M Self[T]](scheduler schedulers.Scheduler) M {
	return wrap[M](operators.CancelOn(m.Source(), scheduler))
}
