package benchmarks

import (
	"context"

	"github.com/reactivex/rxgo/v2"
)

// RxGo. Every operator runs on a goroutine of its own, connected by channels with
// as much room as those of channel.go.

func rxRange(start, n int) rxgo.Observable {
	return rxgo.Range(start, n, rxgo.WithBufferedChannel(chanRoom))
}

func rxSum(o rxgo.Observable, opts ...rxgo.Option) int {
	sum := 0
	for item := range o.Observe(append(opts, rxgo.WithBufferedChannel(chanRoom))...) {
		sum += item.V.(int)
	}
	return sum
}

func rxMapFilter() int {
	return rxSum(rxRange(0, Size).
		Map(func(_ context.Context, v any) (any, error) { return plusOne(v.(int)), nil }, rxgo.WithBufferedChannel(chanRoom)).
		Filter(func(v any) bool { return even(v.(int)) }, rxgo.WithBufferedChannel(chanRoom)))
}

func rxFlatMap() int {
	return rxSum(rxRange(0, Inner).FlatMap(func(item rxgo.Item) rxgo.Observable {
		return rxRange(item.V.(int), Inner)
	}, rxgo.WithBufferedChannel(chanRoom)))
}

func rxOnce() int {
	return rxSum(rxgo.Just(6)().
		Map(func(_ context.Context, v any) (any, error) { return plusOne(v.(int)), nil }).
		FlatMap(func(item rxgo.Item) rxgo.Observable { return rxgo.Just(double(item.V.(int)))() }))
}
