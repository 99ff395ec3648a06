package benchmarks

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// P1c: what P1 costs as it is really written, with a context that can end and each way to
// consume a stream.

// within returns the function that consumes a stream by fn under a context that can end.
func within[S any](fn func(ctx context.Context, s S) (int, error)) func(S) int {
	return func(s S) int {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		v, err := fn(ctx, s)
		if err != nil {
			panic(err)
		}
		return v
	}
}

func libMapFilterCtx() Life { return libEach(mapFilter) }

func libMapFilterReduce() Life {
	return of(mapFilter, within(func(ctx context.Context, f flux.Flux[int]) (int, error) { return f.Reduce(plus).Block(ctx) }))
}

func libMapFilterFold() Life {
	return of(mapFilter, within(func(ctx context.Context, f flux.Flux[int]) (int, error) { return f.Fold(0, plus).Block(ctx) }))
}

func libMapFilterSubscribe() Life {
	return of(mapFilter, within(func(ctx context.Context, f flux.Flux[int]) (sum int, err error) {
		f.SubscribeFunc(ctx, func(v int) { sum += v }, flux.OnError(func(e error) { err = e }))
		return sum, err
	}))
}

func libMapFilterAll() Life {
	return of(mapFilter, within(func(ctx context.Context, f flux.Flux[int]) (sum int, err error) {
		for v, err := range f.All(ctx) {
			if err != nil {
				return 0, err
			}
			sum += v
		}
		return sum, nil
	}))
}

func libMapFilterTake() Life {
	return libEach(func(n int) flux.Flux[int] { return mapFilter(2 * n).Take(n / 2) })
}

func libMapFilterGuarded() Life {
	return libEach(func(n int) flux.Flux[int] {
		return mapFilter(n).Retry(flux.Times(3)).OnErrorReturn(0).DoFinally(func(reactor.SignalKind) {})
	})
}

// libEach adds the elements of a stream under a context that can end.
func libEach(open func(n int) flux.Flux[int]) Life {
	return of(open, within(func(ctx context.Context, f flux.Flux[int]) (sum int, err error) {
		err = f.ForEach(ctx, func(v int) { sum += v })
		return sum, err
	}))
}

// libHopMapped has a function of the user before the hop, so that no elements are computed where
// they are read.
func libHopMapped() Life {
	return libEach(func(n int) flux.Flux[int] { return flux.Range(0, n).Map(same).PublishOn(schedulers.Parallel()) })
}

func libMergeMapped() Life {
	return libEach(func(n int) flux.Flux[int] {
		return flux.Merge(libParts(n, func(f flux.Flux[int]) flux.Flux[int] {
			return f.Map(same).SubscribeOn(schedulers.BoundedElastic())
		})...)
	})
}

func libCasts(stages int) Life {
	return of(func(n int) flux.Flux[int64] {
		f := flux.Range(0, n).Map(widen)
		for range stages / 2 {
			f = f.Map(narrow).Map(widen)
		}
		return f
	}, func(f flux.Flux[int64]) int {
		sum := int64(0)
		if err := f.ForEach(context.Background(), func(v int64) { sum += v }); err != nil {
			panic(err)
		}
		return int(sum)
	})
}

// asked is the context of a request that goes on.
var asked, _ = context.WithCancel(context.Background())

// libOnceUser is P7 of what is no number, under a context that can end.
func libOnceUser() Life {
	return of(func(int) mono.Mono[*user] {
		return mono.Just(someone).
			Map(verified).
			FlatMap(func(u *user) mono.Mono[*user] { return mono.Just(saved(u)) })
	}, func(m mono.Mono[*user]) int {
		u, err := m.Block(asked)
		if err != nil {
			panic(err)
		}
		return u.id
	})
}

// libLoads is a chain of functions that take the context.
func libLoads() Life {
	return of(func(int) mono.Mono[*user] {
		return mono.FromFunc(load).
			Map(verified).
			FlatMap(func(u *user) mono.Mono[*user] {
				return mono.FromFunc(func(context.Context) (*user, error) { return saved(u), nil })
			})
	}, func(m mono.Mono[*user]) int {
		u, err := m.Block(asked)
		if err != nil {
			panic(err)
		}
		return u.id
	})
}
