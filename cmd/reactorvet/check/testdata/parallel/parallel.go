package parallel

import (
	"context"
	"net/http"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

func slow(n int) int {
	time.Sleep(time.Second) // want `time\.Sleep in a function of Map blocks a worker that must not block \(PublishOn\(schedulers\.Parallel\(\)\)\)`
	return n
}

func found(f flux.Flux[int], ch chan int, client *http.Client) []flux.Flux[int] {
	one := schedulers.NewSingle("one")
	return []flux.Flux[int]{
		f.PublishOn(schedulers.Parallel()).Map(slow),
		f.PublishOn(schedulers.BoundedElastic()).PublishOn(schedulers.Single()).Map(func(n int) int {
			return n + <-ch // want `a receive from a channel in a function of Map blocks a worker that must not block \(PublishOn\(schedulers\.Single\(\)\)\)`
		}),
		f.Filter(func(n int) bool {
			for range ch { // want `a range over a channel in a function of Filter .*SubscribeOn\(schedulers\.Parallel\(\)\)`
			}
			return true
		}).SubscribeOn(schedulers.Parallel()),
		f.PublishOn(one).DoOnNext(func(n int) {
			_, _ = http.Get("http://localhost") // want `http\.Get in a function of DoOnNext .*PublishOn\(one\)`
			_, _ = client.Do(&http.Request{})   // want `client\.Do in a function of DoOnNext`
			select {                            // want `a select without default in a function of DoOnNext`
			case <-ch:
			case ch <- n:
			}
		}),
		flux.Interval(time.Second).Map(func(n int64) int {
			return <-ch // want `a receive from a channel in a function of Map .*Interval emits on schedulers\.Parallel\(\)`
		}),
		f.PublishOn(schedulers.BoundedElastic()).DelayElements(time.Second).Map(func(n int) int {
			return n + <-ch // want `a receive from a channel in a function of Map .*DelayElements emits on schedulers\.Parallel\(\)`
		}),
		f.SampleEvery(time.Second, flux.On(one)).Filter(func(n int) bool {
			return <-ch == n // want `a receive from a channel in a function of Filter .*On\(one\)`
		}),
		f.BufferTimeout(10, time.Second).Map(func(all []int) int {
			return <-ch // want `a receive from a channel in a function of Map .*BufferTimeout emits on schedulers\.Parallel\(\)`
		}),
		f.Map(func(n int) int {
			return n + <-ch // want `a receive from a channel in a function of Map .*SubscribeOn\(one\)`
		}).SubscribeOn(one).DelayElements(time.Second),
		f.DelaySubscriptionFor(time.Second).Map(func(n int) int {
			return n + <-ch // want `a receive from a channel in a function of Map .*DelaySubscriptionFor emits on schedulers\.Parallel\(\)`
		}),
		f.PublishOn(one).TakeUntilOther(f).Timeout(time.Second).Map(func(n int) int {
			return n + <-ch // want `a receive from a channel in a function of Map .*PublishOn\(one\)`
		}),
		f.PublishOn(one).FlatMap(func(n int) flux.Flux[int] {
			<-ch // want `a receive from a channel in a function of FlatMap .*PublishOn\(one\)`
			return f
		}),
		f.Parallel(2).RunOn(schedulers.Parallel()).Map(func(n int) int {
			time.Sleep(time.Second) // want `time\.Sleep in a function of Map .*RunOn\(schedulers\.Parallel\(\)\)`
			return n
		}).Sequential(),
		flux.Cron("0 * * * * *").Map(func(time.Time) int {
			return <-ch // want `a receive from a channel in a function of Map .*Cron emits on schedulers\.Parallel\(\)`
		}),
		f.PublishOn(schedulers.Parallel()).DoFinally(func(reactor.SignalKind) {
			<-ch // want `a receive from a channel in a function of DoFinally .*PublishOn\(schedulers\.Parallel\(\)\)`
		}),
		f.DoFirst(func() {
			<-ch // want `a receive from a channel in a function of DoFirst .*SubscribeOn\(schedulers\.Parallel\(\)\)`
		}).SubscribeOn(schedulers.Parallel()).SubscribeOn(schedulers.BoundedElastic()),
	}
}

func fine(f flux.Flux[int], ch chan int) []flux.Flux[int] {
	workers, _ := schedulers.NewBoundedElastic(2, 10, "io")
	return []flux.Flux[int]{
		f.Map(func(n int) int { return n + <-ch }),
		f.PublishOn(schedulers.Parallel()).PublishOn(workers).Map(func(n int) int { return n + <-ch }),
		f.Map(func(n int) int { return n + <-ch }).PublishOn(schedulers.Parallel()),
		f.PublishOn(schedulers.Parallel()).DoOnNext(func(n int) {
			select {
			case v := <-ch:
				_ = v
			default:
			}
			go func() { <-ch }()
		}),
		f.PublishOn(schedulers.Parallel()).FlatMap(func(n int) flux.Flux[int] {
			return flux.Create(func(s *flux.Sink[int]) { s.Next(<-ch); s.Complete() }).SubscribeOn(workers)
		}),
		flux.Interval(time.Second, flux.On(workers)).Map(func(int64) int { return <-ch }),
		flux.Interval(time.Second).DelayElements(time.Second, flux.On(workers)).Map(func(int64) int { return <-ch }),
		f.PublishOn(schedulers.Parallel()).FlatMap(func(n int) mono.Mono[int] {
			return mono.Just(n).PublishOn(workers)
		}).Map(func(n int) int { return n + <-ch }),
		f.PublishOn(schedulers.Parallel()).TryFlatMap(func(n int) (flux.Flux[int], error) { return f, nil }).Map(func(n int) int { return n + <-ch }),
		f.PublishOn(schedulers.Parallel()).SwitchMap(func(n int) flux.Flux[int] { return f }).Map(func(n int) int { return n + <-ch }),
		f.PublishOn(schedulers.Parallel()).MergeWith(f).Map(func(n int) int { return n + <-ch }),
		f.PublishOn(schedulers.Parallel()).ZipWith(f, func(a, b int) int { return a + <-ch }).Map(func(n int) int { return n + <-ch }),
		f.PublishOn(schedulers.Parallel()).As(func(f flux.Flux[int]) flux.Flux[int] { return f.PublishOn(workers) }).Map(func(n int) int { return n + <-ch }),
		flux.Merge(f, f.PublishOn(workers)).Map(func(n int) int { return n + <-ch }).SubscribeOn(schedulers.Parallel()),
		flux.From(mono.Just(1).PublishOn(schedulers.Parallel()).SwitchIfEmpty(mono.Just(1).PublishOn(workers)).Map(func(n int) int { return n + <-ch })),
		// These emit on goroutines of others.
		flux.FromChan(ch).Map(func(n int) int { return n + <-ch }).SubscribeOn(schedulers.Parallel()),
		flux.Create(func(s *flux.Sink[int]) { s.Complete() }).Map(func(n int) int { return n + <-ch }).SubscribeOn(schedulers.Parallel()),
		flux.Cron("0 * * * * *", flux.On(workers)).Map(func(time.Time) int { return <-ch }),
		// These are called by who subscribes, asks for more, cancels, or puts the chain together.
		f.PublishOn(schedulers.Parallel()).DoFirst(func() { <-ch }).DoOnSubscribe(func(reactor.Subscription) { <-ch }),
		f.SubscribeOn(schedulers.Parallel()).DoFirst(func() { <-ch }).SubscribeOn(workers),
		f.PublishOn(schedulers.Parallel()).DoOnRequest(func(int64) { <-ch }).DoOnCancel(func() { <-ch }),
		f.PublishOn(schedulers.Parallel()).ContextWrite(func(ctx context.Context) context.Context { <-ch; return ctx }),
		flux.Interval(time.Second).Map(func(n int64) int { return int(n) }).Transform(func(f flux.Flux[int]) flux.Flux[int] { return f.Take(<-ch) }),
		f.PublishOn(schedulers.Parallel()).As(func(f flux.Flux[int]) flux.Flux[int] { return f.Take(<-ch) }),
		f.PublishOn(workers).Map(func(n int) flux.Flux[int] { return f.Take(<-ch) }).FlatMap(func(f flux.Flux[int]) flux.Flux[int] { return f }),
	}
}

// Where the scheduler of a timer may be in what is not written here, nothing is known of it.
func clocks(f flux.Flux[int], ch chan int, given flux.SchedulerOption, more ...flux.SchedulerOption) []flux.Flux[int] {
	workers, _ := schedulers.NewBoundedElastic(2, 10, "io")
	onWorkers, onParallel := flux.On(workers), flux.On(schedulers.Parallel())
	all := []flux.SchedulerOption{flux.On(workers)}
	onCall := func() flux.SchedulerOption { return flux.On(workers) }
	return []flux.Flux[int]{
		flux.Interval(time.Second, onWorkers).Map(func(int64) int { return <-ch }),
		flux.Interval(time.Second, given).Map(func(int64) int { return <-ch }),
		flux.Interval(time.Second, onCall()).Map(func(int64) int { return <-ch }),
		f.DelayElements(time.Second, more...).Map(func(n int) int { return n + <-ch }),
		f.DelayElements(time.Second, all...).Map(func(n int) int { return n + <-ch }),
		f.SampleEvery(time.Second, given).Map(func(n int) int { return n + <-ch }),
		f.Map(func(n int) int { return n + <-ch }).DelaySubscriptionFor(time.Second, onWorkers),
		flux.Interval(time.Second, onParallel).Map(func(int64) int {
			return <-ch // want `a receive from a channel in a function of Map .*On\(schedulers\.Parallel\(\)\)`
		}),
		flux.Interval(time.Second, flux.InitialDelay(time.Hour)).Map(func(int64) int {
			return <-ch // want `a receive from a channel in a function of Map .*Interval emits on schedulers\.Parallel\(\)`
		}),
		f.SampleEvery(time.Second, given).PublishOn(schedulers.Parallel()).Map(func(n int) int {
			return n + <-ch // want `a receive from a channel in a function of Map .*PublishOn\(schedulers\.Parallel\(\)\)`
		}),
	}
}

func sleeps[T any](n T) T {
	time.Sleep(time.Second) // want `time\.Sleep in a function of Map`
	return n
}

type handler[T any] struct{}

func (handler[T]) sleeps(n T) T {
	time.Sleep(time.Second) // want `time\.Sleep in a function of Map`
	return n
}

type embeds struct{ handler[int] }

type mapper func(int) int

func seen(f flux.Flux[int], ch chan int, h handler[int], e embeds) []flux.Flux[int] {
	parallel := f.PublishOn(schedulers.Parallel())
	return []flux.Flux[int]{
		parallel.Map(sleeps[int]).Map(sleeps),
		parallel.Map(h.sleeps).Map(e.sleeps),
		parallel.Map(mapper(func(n int) int {
			return n + <-ch // want `a receive from a channel in a function of Map .*PublishOn\(schedulers\.Parallel\(\)\)`
		})),
		parallel.DoOnNext(func(n int) {
			go println(<-ch)    // want `a receive from a channel in a function of DoOnNext`
			defer println(<-ch) // want `a receive from a channel in a function of DoOnNext`
		}),
	}
}

func load() flux.Flux[int] { return flux.Range(0, 3).PublishOn(schedulers.BoundedElastic()) }

type sink interface{ AsFlux() flux.Flux[int] }

func choose(*schedulers.Scheduler) {}

// The worker may be another one than what is seen of it.
func unseen(f flux.Flux[int], ch chan int, s sink, given schedulers.Scheduler, more []schedulers.Scheduler) []flux.Flux[int] {
	elastic := f.PublishOn(schedulers.BoundedElastic())
	often := f.Take(1)
	often = often.PublishOn(schedulers.BoundedElastic())
	var itself flux.Flux[int]
	itself = itself.Map(func(n int) int { return n + <-ch })
	if given == nil {
		given = schedulers.Parallel()
	}
	chosen := schedulers.Parallel()
	choose(&chosen)
	all := []flux.Flux[int]{
		itself,
		elastic.Map(func(n int) int { return n + <-ch }).SubscribeOn(schedulers.Parallel()),
		often.Map(func(n int) int { return n + <-ch }).SubscribeOn(schedulers.Parallel()),
		load().Map(func(n int) int { return n + <-ch }).SubscribeOn(schedulers.Parallel()),
		s.AsFlux().Map(func(n int) int { return n + <-ch }).SubscribeOn(schedulers.Parallel()),
		f.PublishOn(given).Map(func(n int) int { return n + <-ch }),
		f.PublishOn(chosen).Map(func(n int) int { return n + <-ch }),
	}
	for _, each := range more {
		if each == nil {
			each = schedulers.Parallel()
		}
		all = append(all, f.PublishOn(each).Map(func(n int) int { return n + <-ch }))
	}
	return all
}
