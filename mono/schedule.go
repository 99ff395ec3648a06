package mono

import (
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// PublishOn delivers what follows on scheduler: everything below this point runs
// there.
//
// See [operators.MonoPublishOn] for demand, errors, cancellation and the goroutine.
func (m Mono[T]) PublishOn[M Self[T]](scheduler schedulers.Scheduler) M {
	return wrap[M](operators.MonoPublishOn(m.Source(), scheduler))
}

// SubscribeOn subscribes to everything above this point, and requests from it, on
// a worker of scheduler: the way to move a blocking source away.
//
// See [operators.SubscribeOn] for demand, errors, cancellation and the goroutine.
func (m Mono[T]) SubscribeOn[M Self[T]](scheduler schedulers.Scheduler) M {
	return wrap[M](operators.SubscribeOn(m.Source(), scheduler))
}

// CancelOn cancels everything above this point on scheduler.
//
// See [operators.CancelOn].
func (m Mono[T]) CancelOn[M Self[T]](scheduler schedulers.Scheduler) M {
	return wrap[M](operators.CancelOn(m.Source(), scheduler))
}
