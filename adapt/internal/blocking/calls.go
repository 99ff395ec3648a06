package blocking

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// Waiting returns the scheduler for what waits, for long or for others of the pool: it has a goroutine for whatever it is
// given, as many as it takes. Under virtual time it is that of the test, which knows nothing of other goroutines.
func Waiting() schedulers.Scheduler {
	if elastic := schedulers.BoundedElastic(); isVirtual(elastic) {
		return elastic
	}
	return goroutines
}

func isVirtual(s schedulers.Scheduler) bool {
	v, ok := s.(interface{ IsVirtual() bool })
	return ok && v.IsVirtual()
}

var goroutines = schedulers.FromExecutor(executors.Func(func(ctx context.Context, task executors.Task) error {
	go task(ctx)
	return nil
}))

// Call returns the Mono of the result of fn, which may block, on a worker of on, where that is given. Otherwise it has a goroutine
// of its own, since it may wait for what somebody has to give back first who needs a lane for that, and the result is
// emitted on a worker of the schedulers.BoundedElastic() that there is at subscription. A panic in it is one of op, which is what the
// caller of the adapter has written, and not of what that is made of.
func Call[T any](op string, on schedulers.Scheduler, fn func(context.Context) (T, error)) mono.Mono[T] {
	call := mono.FromFunc(fn)
	named := func(err error) error { return failure.Renamed(err, "fromFunc", op) }
	if on != nil {
		return call.SubscribeOn(on).OnErrorMap(named)
	}
	return mono.Defer(func(context.Context) mono.Mono[T] {
		elastic := schedulers.BoundedElastic()
		if isVirtual(elastic) {
			return call.SubscribeOn(elastic).OnErrorMap(named)
		}
		return call.SubscribeOn(goroutines).PublishOn(elastic).OnErrorMap(named)
	})
}

// Aside calls fn, which gives back the result of a [Call] that nobody has got and may block, without holding up who discards that:
// it may be who cancels.
func Aside(fn func()) {
	if Waiting().Execute(func(context.Context) { fn() }) != nil { // a clock of a test that was disposed
		go fn()
	}
}

// Cleanup returns the Mono that calls fn, which gives a resource back and may block, on a worker of on.
// Nobody else does that, so if on refuses, because it is full or was disposed meanwhile, fn has a
// goroutine of its own.
func Cleanup[T any](on schedulers.Scheduler, fn func() error) mono.Mono[T] {
	end := mono.FromRunnable[T](fn)
	return end.SubscribeOn(on).OnErrorResume(func(error) mono.Mono[T] {
		return end.SubscribeOn(goroutines)
	}, mono.WhenIs(reactor.ErrRejected))
}
