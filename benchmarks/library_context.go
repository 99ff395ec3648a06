package benchmarks

import (
	"context"

	"github.com/goreactor/reactor/flux"
)

// P1c: what P1 costs as it is really written, with a context that can end and each way to
// consume a stream.

func mapFilter() flux.Flux[int] { return flux.Range(0, Size).Map(plusOne).Filter(even) }

// within runs fn under a context that can end.
func within(fn func(ctx context.Context) (int, error)) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	v, err := fn(ctx)
	if err != nil {
		panic(err)
	}
	return v
}

func libMapFilterCtx() int {
	return within(func(ctx context.Context) (sum int, err error) {
		err = mapFilter().ForEach(ctx, func(v int) { sum += v })
		return sum, err
	})
}

func libMapFilterReduce() int {
	return within(func(ctx context.Context) (int, error) { return mapFilter().Reduce(plus).Block(ctx) })
}

func libMapFilterFold() int {
	return within(func(ctx context.Context) (int, error) { return mapFilter().Fold(0, plus).Block(ctx) })
}

func libMapFilterSubscribe() int {
	return within(func(ctx context.Context) (sum int, err error) {
		mapFilter().SubscribeFunc(ctx, func(v int) { sum += v }, flux.OnError(func(e error) { err = e }))
		return sum, err
	})
}

func libMapFilterAll() int {
	return within(func(ctx context.Context) (sum int, err error) {
		for v, err := range mapFilter().All(ctx) {
			if err != nil {
				return 0, err
			}
			sum += v
		}
		return sum, nil
	})
}

func libMapFilterTake() int {
	return within(func(ctx context.Context) (sum int, err error) {
		err = flux.Range(0, 2*Size).Map(plusOne).Filter(even).Take(Size/2).ForEach(ctx, func(v int) { sum += v })
		return sum, err
	})
}

func libCasts(n int) int {
	f := flux.Range(0, Size).Map(widen)
	for range n / 2 {
		f = f.Map(narrow).Map(widen)
	}
	sum := int64(0)
	if err := f.ForEach(context.Background(), func(v int64) { sum += v }); err != nil {
		panic(err)
	}
	return int(sum)
}
