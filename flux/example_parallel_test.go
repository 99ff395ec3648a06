package flux_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

func square(v int) int { return v * v }

func ExampleFlux_Parallel() {
	squares, err := flux.Range(1, 5).
		Parallel(2).
		RunOn(schedulers.Parallel()).
		Map(square). // two at a time
		Sequential().
		Collect(context.Background())
	slices.Sort(squares) // rails have no order between them
	fmt.Println(squares, err)
	// Output: [1 4 9 16 25] <nil>
}

func ExampleParallelFrom() {
	fmt.Println(flux.ParallelFrom[int](flux.Range(1, 2), flux.Range(3, 2)).
		Ordered(cmp.Compare[int]).
		Collect(context.Background()))
	// Output: [1 2 3 4] <nil>
}

func ExampleParallelFlux_RunOn() {
	n := 0
	err := flux.Range(1, 100).
		Parallel(4).
		RunOn(schedulers.Parallel(), flux.Prefetch(16)).
		Sequential().
		ForEach(context.Background(), func(int) { n++ })
	fmt.Println(n, err)
	// Output: 100 <nil>
}

func ExampleParallelFlux_Sequential() {
	fmt.Println(flux.Range(1, 4).Parallel(2).Sequential().Collect(context.Background()))
	// Output: [1 2 3 4] <nil>
}

func ExampleParallelFlux_Ordered() {
	fmt.Println(flux.Range(1, 6).
		Parallel(3).
		RunOn(schedulers.Parallel()).
		Map(square).
		Ordered(cmp.Compare[int]).
		Collect(context.Background()))
	// Output: [1 4 9 16 25 36] <nil>
}

func ExampleParallelFlux_TransformGroups() {
	fmt.Println(flux.Range(1, 4).
		Parallel(2).
		TransformGroups(func(rail flux.Flux[int]) flux.Flux[string] {
			return rail.Map(func(v int) string { return fmt.Sprint("<", v, ">") })
		}).
		Sequential().
		Collect(context.Background()))
	// Output: [<1> <2> <3> <4>] <nil>
}

func ExampleParallelFlux_Map() {
	fmt.Println(flux.Range(1, 4).Parallel(2).Map(square).Sequential().Collect(context.Background()))
	// Output: [1 4 9 16] <nil>
}

func ExampleParallelFlux_Transform() {
	priced := func(orders flux.ParallelFlux[int]) flux.ParallelFlux[string] {
		return orders.Filter(func(n int) bool { return n > 1 }).Map(func(n int) string { return fmt.Sprint(n, " €") })
	}
	fmt.Println(flux.Range(1, 3).Parallel(2).Transform(priced).Ordered(cmp.Compare[string]).Collect(context.Background()))
	// Output: [2 € 3 €] <nil>
}

func ExampleParallelFlux_As() {
	total := func(orders flux.ParallelFlux[int]) mono.Mono[int] {
		return orders.Reduce(func(a, b int) int { return a + b })
	}
	fmt.Println(flux.Range(1, 4).Parallel(2).As(total).Block(context.Background()))
	// Output: 10 <nil>
}

// Up to four calls at a time.
func ExampleParallelFlux_TryMapContext() {
	load := func(ctx context.Context, id int) (string, error) { return fmt.Sprint("user ", id), ctx.Err() }
	fmt.Println(flux.Range(1, 3).
		Parallel(4).
		RunOn(schedulers.BoundedElastic()).
		TryMapContext(load).
		Ordered(cmp.Compare[string]).
		Collect(context.Background()))
	// Output: [user 1 user 2 user 3] <nil>
}

func ExampleParallelFlux_TryMap() {
	_, err := flux.Range(1, 4).
		Parallel(2).
		TryMap(func(v int) (int, error) { return 0, fmt.Errorf("no %d", v) }).
		Sequential().
		Collect(context.Background())
	fmt.Println(err)
	// Output: no 1
}

func ExampleParallelFlux_Filter() {
	even := func(v int) bool { return v%2 == 0 }
	fmt.Println(flux.Range(1, 6).Parallel(3).Filter(even).Ordered(cmp.Compare[int]).Collect(context.Background()))
	// Output: [2 4 6] <nil>
}

func ExampleParallelFlux_Hide() {
	fmt.Println(flux.Range(1, 2).Parallel(2).Hide().Sequential().Collect(context.Background()))
	// Output: [1 2] <nil>
}

func ExampleParallelFlux_Parallelism() {
	fmt.Println(flux.Range(1, 2).Parallel(3).Parallelism())
	// Output: 3
}

func ExampleParallelFlux_Rails() {
	rails := flux.Range(1, 3).Parallel(2).Rails() // for the functions of package operators
	fmt.Println(operators.Collect(context.Background(), operators.ParallelSequential(rails)))
	// Output: [1 2 3] <nil>
}

// printer is a subscriber with a name.
type printer string

func (p printer) OnSubscribe(s reactor.Subscription) { s.Request(reactor.Unbounded) }
func (p printer) OnNext(v int)                       { fmt.Println(p, v) }
func (p printer) OnError(err error)                  { fmt.Println(p, err) }
func (p printer) OnComplete()                        { fmt.Println(p, "end") }

func ExampleParallelFlux_SubscribeRails() {
	flux.Range(1, 3).Parallel(2).SubscribeRails(context.Background(), printer("a"), printer("b"))
	// Output:
	// a 1
	// b 2
	// a 3
	// a end
	// b end
}

func ExampleParallelFlux_SubscribeFunc() {
	flux.Range(1, 3).Parallel(2).SubscribeFunc(context.Background(), func(v int) { fmt.Println(v) },
		flux.OnComplete(func() { fmt.Println("one rail has ended") }))
	// Output:
	// 1
	// 2
	// 3
	// one rail has ended
	// one rail has ended
}

func ExampleParallelFlux_Then() {
	var sum atomic.Int64
	done := flux.Range(1, 10).
		Parallel(2).
		RunOn(schedulers.Parallel()).
		DoOnNext(func(v int) { sum.Add(int64(v)) }).
		Then()
	_, err := operators.Collect(context.Background(), done)
	fmt.Println(sum.Load(), err)
	// Output: 55 <nil>
}

func ExampleParallelFlux_DoOnNext() {
	_, _ = flux.Range(1, 2).Parallel(2).DoOnNext(func(v int) { fmt.Println(v) }).Sequential().Collect(context.Background())
	// Output:
	// 1
	// 2
}

func ExampleParallelFlux_DoOnEach() {
	_, _ = flux.Range(1, 2).Parallel(2).
		DoOnEach(func(_ context.Context, s reactor.Signal[int]) { fmt.Println(s) }).
		Sequential().Collect(context.Background())
	// Output:
	// onNext(1)
	// onNext(2)
	// onComplete()
	// onComplete()
}

func ExampleParallelFlux_DoOnSubscribe() {
	_, _ = flux.Range(1, 2).Parallel(2).
		DoOnSubscribe(func(reactor.Subscription) { fmt.Println("begin") }).
		Sequential().Collect(context.Background())
	// Output:
	// begin
	// begin
}

func ExampleParallelFlux_DoOnRequest() {
	_, _ = flux.Range(1, 2).Parallel(2).
		DoOnRequest(func(n int64) { fmt.Println(n) }).
		Sequential().Collect(context.Background())
	// Output:
	// 256
	// 256
}

func ExampleParallelFlux_DoOnComplete() {
	_, _ = flux.Range(1, 2).Parallel(2).DoOnComplete(func() { fmt.Println("end") }).Sequential().Collect(context.Background())
	// Output:
	// end
	// end
}

func ExampleParallelFlux_DoOnError() {
	_, _ = flux.Error[int](fmt.Errorf("boom")).Parallel(1).
		DoOnError(func(err error) { fmt.Println(err) }).
		Sequential().Collect(context.Background())
	// Output: boom
}

func ExampleParallelFlux_DoOnTerminate() {
	_, _ = flux.Range(1, 2).Parallel(2).DoOnTerminate(func() { fmt.Println("end") }).Sequential().Collect(context.Background())
	// Output:
	// end
	// end
}

func ExampleParallelFlux_DoAfterTerminate() {
	_, _ = flux.Range(1, 2).Parallel(2).DoAfterTerminate(func() { fmt.Println("ended") }).Sequential().Collect(context.Background())
	// Output:
	// ended
	// ended
}

func ExampleParallelFlux_DoOnCancel() {
	_, _ = flux.ParallelFrom[int](flux.Never[int](), flux.Error[int](fmt.Errorf("boom"))).
		DoOnCancel(func() { fmt.Println("cancelled") }).
		Sequential().Collect(context.Background())
	// Output: cancelled
}

func ExampleParallelFlux_Log() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	_, _ = flux.Just("a", "b").Parallel(2).
		Log(operators.LogTo(logger), operators.LogCategory("rails"), operators.LogSignals(reactor.KindComplete)).
		Sequential().Collect(context.Background())
	// Output:
	// level=INFO msg=onComplete category=rails
	// level=INFO msg=onComplete category=rails
}

func ExampleParallelFlux_Name() {
	fmt.Println(flux.Range(1, 2).Parallel(2).Name("numbers").Sequential().Collect(context.Background()))
	// Output: [1 2] <nil>
}

func ExampleParallelFlux_Tag() {
	fmt.Println(flux.Range(1, 2).Parallel(2).Tag("kind", "numbers").Sequential().Collect(context.Background()))
	// Output: [1 2] <nil>
}

func ExampleParallelFlux_Sorted() {
	fmt.Println(flux.Just(5, 2, 4, 1, 3).
		Parallel(2).
		RunOn(schedulers.Parallel()).
		Sorted(cmp.Compare[int]).
		Collect(context.Background()))
	// Output: [1 2 3 4 5] <nil>
}

func ExampleParallelFlux_CollectSorted() {
	sorted := flux.Just(5, 2, 4, 1, 3).Parallel(2).CollectSorted(cmp.Compare[int])
	fmt.Println(operators.Collect(context.Background(), sorted))
	// Output: [[1 2 3 4 5]] <nil>
}

func ExampleParallelFlux_Reduce() {
	sum := flux.Range(1, 100).
		Parallel(4).
		RunOn(schedulers.Parallel()).
		Reduce(func(a, b int) int { return a + b })
	fmt.Println(operators.Collect(context.Background(), sum))
	// Output: [5050] <nil>
}

func ExampleParallelFlux_ReduceWith() {
	counts, err := flux.Range(1, 5).
		Parallel(2).
		ReduceWith(func() int { return 0 }, func(n, _ int) int { return n + 1 }).
		Sequential().
		Collect(context.Background())
	fmt.Println(counts, err)
	// Output: [3 2] <nil>
}

func ExampleParallelFlux_Collect() {
	type set = map[int]bool
	sets, err := flux.Range(1, 4).
		Parallel(2).
		Collect(func() set { return set{} }, func(s set, v int) { s[v] = true }).
		Sequential().
		Collect(context.Background())
	fmt.Println(sets, err)
	// Output: [map[1:true 3:true] map[2:true 4:true]] <nil>
}

func ExampleParallelFlux_FlatMap() {
	items, err := flux.Just(1, 2).
		Parallel(2).
		FlatMap(func(v int) flux.Flux[int] { return flux.Range(10*v, 2) }).
		Ordered(cmp.Compare[int]).
		Collect(context.Background())
	fmt.Println(items, err)
	// Output: [10 11 20 21] <nil>
}

func ExampleParallelFlux_Groups() {
	type shard struct {
		id   int
		rows flux.Flux[string]
	}
	shards, _ := flux.Just("a", "b", "c").
		Parallel(2).
		Groups(func(i int, rail flux.Flux[string]) shard { return shard{i, rail} }).
		Collect(context.Background())
	fmt.Println(len(shards), shards[1].id)
	fmt.Println(shards[1].rows.Collect(context.Background())) // nobody else asks, so everything goes here
	// Output:
	// 2 1
	// [a b c] <nil>
}
