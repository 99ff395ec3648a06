package mono

import (
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// PublishOn delivers the element on scheduler: everything below this point runs there.
//
//	m:         1 |            on the goroutine of m
//	           PublishOn(parallel)
//	out:       1 |            on a task of the scheduler
//
// Demand passes through. One task delivers the element and the completion, or the error. If the
// scheduler refuses the task, the stream fails with reactor.ErrRejected. Cancelling discards an
// element that was not delivered yet.
func (m Mono[T]) PublishOn[M Self[T]](scheduler schedulers.Scheduler) M {
	return wrap[M](operators.MonoPublishOn(m.Source(), scheduler))
}

// SubscribeOn subscribes to m, and requests from it, on a worker of scheduler: the way to move a
// blocking source to another goroutine.
//
//	           SubscribeOn(boundedElastic)
//	m:         --- 1 |      on one worker, from the subscription on
//	out:       --- 1 |      wherever m emits: on that worker
//
// A request passes through on the worker, or directly if it is made there. If the scheduler
// refuses, the stream fails with reactor.ErrRejected; a refused request also cancels m. Cancelling
// passes through at once and gives the worker back: its remaining tasks are dropped.
func (m Mono[T]) SubscribeOn[M Self[T]](scheduler schedulers.Scheduler) M {
	return wrap[M](operators.SubscribeOn(m.Source(), scheduler))
}

// CancelOn cancels m, and everything above it, on scheduler.
//
// Everything else passes through on the goroutine where it is. If the scheduler refuses, m is
// cancelled on the goroutine that cancels. If the scheduler accepts the task and drops it
// later, because it is shut down, m is not cancelled.
func (m Mono[T]) CancelOn[M Self[T]](scheduler schedulers.Scheduler) M {
	return wrap[M](operators.CancelOn(m.Source(), scheduler))
}
