package blocking

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// Cleanup returns the Mono that calls fn, which gives a resource back and may block, on a worker of on.
// Nobody else does that, so if on refuses, because it is full or was disposed meanwhile, fn has a
// goroutine of its own.
func Cleanup[T any](on schedulers.Scheduler, fn func() error) mono.Mono[T] {
	end := mono.FromRunnable[T](fn)
	return end.SubscribeOn(on).OnErrorResume(func(error) mono.Mono[T] {
		return end.SubscribeOn(schedulers.FromExecutor(executors.Func(ownGoroutine)))
	}, mono.WhenIs(reactor.ErrRejected))
}

func ownGoroutine(ctx context.Context, task executors.Task) error {
	go task(ctx)
	return nil
}
