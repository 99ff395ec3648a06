package parallel

import (
	"context"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

func wait() (int, error) {
	time.Sleep(time.Second) // want `time\.Sleep in a function of FromCallable .*SubscribeOn\(one\)\): use SubscribeOn\(schedulers\.BoundedElastic\(\)\) behind it`
	return 1, nil
}

// Who subscribes is written behind the source, wherever in the chain.
func sources(f flux.Flux[int], ch chan int) []any {
	one := schedulers.NewSingle("one")
	return []any{
		f.FlatMap(func(n int) mono.Mono[int] {
			return mono.FromSupplier(func() int {
				return n + <-ch // want `a receive from a channel in a function of FromSupplier blocks a worker that must not block \(SubscribeOn\(schedulers\.Parallel\(\)\)\)`
			}).SubscribeOn(schedulers.Parallel())
		}),
		mono.FromCallable(wait).PublishOn(schedulers.BoundedElastic()).SubscribeOn(one),
		mono.FromFunc(func(ctx context.Context) (int, error) {
			<-ctx.Done() // want `a receive from a channel in a function of FromFunc .*DelaySubscriptionFor emits on schedulers\.Parallel\(\)`
			return 0, ctx.Err()
		}).DelaySubscriptionFor(time.Second),
		flux.FromSeq(func(yield func(int) bool) {
			for n := range ch { // want `a range over a channel in a function of FromSeq .*SubscribeOn\(schedulers\.Single\(\)\)`
				yield(n)
			}
		}).SubscribeOn(schedulers.Single()),
		flux.Create(func(s *flux.Sink[int]) {
			s.Next(<-ch) // want `a receive from a channel in a function of Create`
		}).SubscribeOn(schedulers.Parallel()),

		mono.FromSupplier(func() int { return <-ch }),
		mono.FromSupplier(func() int { return <-ch }).PublishOn(schedulers.Parallel()),
		mono.FromSupplier(func() int { return <-ch }).SubscribeOn(schedulers.BoundedElastic()).SubscribeOn(schedulers.Parallel()),
		flux.Create(func(s *flux.Sink[int]) {
			go func() { s.Next(<-ch) }()
		}).SubscribeOn(schedulers.Parallel()),
		flux.Merge[int](mono.FromSupplier(func() int { return <-ch })).SubscribeOn(schedulers.Parallel()),
	}
}
