package flux

import (
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// PublishOn delivers what follows on a worker of scheduler: everything below this
// point runs there, and the source need not wait for it.
//
// See [operators.PublishOn] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) PublishOn[F Self[T]](scheduler schedulers.Scheduler, opts ...PublishOnOption) F {
	return wrap[F](operators.PublishOn(f.Source(), scheduler, opts...))
}

// SubscribeOn subscribes to everything above this point, and requests from it, on
// a worker of scheduler: the way to move a blocking source away.
//
// See [operators.SubscribeOn] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) SubscribeOn[F Self[T]](scheduler schedulers.Scheduler, opts ...SubscribeOnOption) F {
	return wrap[F](operators.SubscribeOn(f.Source(), scheduler, opts...))
}

// CancelOn cancels everything above this point on scheduler.
//
// See [operators.CancelOn].
func (f Flux[T]) CancelOn[F Self[T]](scheduler schedulers.Scheduler) F {
	return wrap[F](operators.CancelOn(f.Source(), scheduler))
}
