package benchmarks

import (
	"context"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// This library. The context never ends, but in P1c.

func libSum(f flux.Flux[int]) int {
	sum := 0
	if err := f.ForEach(context.Background(), func(v int) { sum += v }); err != nil {
		panic(err)
	}
	return sum
}

func mapFilter(n int) flux.Flux[int] { return flux.Range(0, n).Map(plusOne).Filter(even) }

func libMapFilter() Life { return of(mapFilter, libSum) }

func libMaps(stages int) Life {
	return of(func(n int) flux.Flux[int] {
		f := flux.Range(0, n)
		for range stages {
			f = f.Map(plusOne)
		}
		return f
	}, libSum)
}

func libHop() Life {
	return of(func(n int) flux.Flux[int] { return flux.Range(0, n).PublishOn(schedulers.Parallel()) }, libSum)
}

// libFlatMap has n inner streams.
func libFlatMap() Life {
	return of(func(n int) flux.Flux[int] {
		return flux.Range(0, n).FlatMap(func(i int) flux.Flux[int] { return flux.Range(i, Inner) })
	}, libSum)
}

func libOnce() Life {
	return of(func(int) mono.Mono[int] {
		return mono.Just(6).
			Map(plusOne).
			FlatMap(func(v int) mono.Mono[int] { return mono.Just(double(v)) })
	}, func(m mono.Mono[int]) int {
		v, err := m.Block(context.Background())
		if err != nil {
			panic(err)
		}
		return v
	})
}
