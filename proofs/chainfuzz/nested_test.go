package chainfuzz

import (
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// ops are all operators that a chain may consist of.
var ops = slices.Concat(plainOps, batchOps, nestedOps, sharedOps)

func sum(a, b int) int { return a + b }

// adding is the model of operators that add something to each element.
func adding(fn func(i, v, arg int) int) func(stream, int) stream {
	return func(s stream, arg int) stream {
		i := -1
		return s.each(func(out []int, v int) ([]int, bool, error) { i++; return append(out, fn(i, v, arg)), true, nil })
	}
}

// untilMultiple is the model of what cuts behind each multiple of arg+1.
func untilMultiple(s stream, arg int) stream {
	out, open := []int{}, []int{}
	for _, v := range s.items {
		if open = append(open, v); v%(arg+1) == 0 {
			out, open = append(out, total(open)), nil
		}
	}
	if len(open) > 0 && s.end == nil {
		out = append(out, total(open))
	}
	return s.with(out)
}

// batchOps are those that remember elements, or put several into one.
var batchOps = []op{
	{name: "buffer", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.Buffer(arg + 1).Map(total) },
		model: func(s stream, arg int) stream { return chunks(s, arg+1, arg+1) }},
	{name: "bufferOverlapping", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.Buffer(arg+2, flux.Stride(1)).Map(total)
	}, model: func(s stream, arg int) stream { return chunks(s, arg+2, 1) }},
	{name: "bufferSkipping", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.Buffer(1, flux.Stride(arg+1)).Map(total)
	}, model: func(s stream, arg int) stream { return chunks(s, 1, arg+1) }},
	{name: "bufferUntil", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.BufferUntil(func(v int) bool { return v%(arg+1) == 0 }).Map(total)
	}, model: untilMultiple},
	{name: "window", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.Window(arg + 1).ConcatMap(func(w flux.Flux[int]) mono.Mono[int] { return w.Reduce(sum) })
	}, model: func(s stream, arg int) stream { return chunks(s, arg+1, arg+1).vagueIfItFails() }},
	{name: "windowOverlapping", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.Window(arg+2, flux.Stride(1)).ConcatMap(func(w flux.Flux[int]) mono.Mono[int] { return w.Reduce(sum) })
	}, model: func(s stream, arg int) stream { return chunks(s, arg+2, 1).vagueIfItFails() }},
	{name: "windowUntil", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.WindowUntil(func(v int) bool { return v%(arg+1) == 0 }).
			ConcatMap(func(w flux.Flux[int]) mono.Mono[int] { return w.Reduce(sum) })
	}, model: func(s stream, arg int) stream { return untilMultiple(s, arg).vagueIfItFails() }},
	{name: "groupBy", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.GroupBy(residue(arg)).FlatMap(func(g flux.GroupedFlux[int, int]) flux.Flux[int] { return g.Flux })
	}, model: func(s stream, _ int) stream {
		s.vague = true
		return s
	}},
	{name: "scan", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] { return f.Scan(sum) },
		model: func(s stream, _ int) stream {
			acc := 0
			return s.each(func(out []int, v int) ([]int, bool, error) { acc += v; return append(out, acc), true, nil })
		}},
	{name: "scanSeed", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.ScanSeed(arg, sum) },
		model: func(s stream, arg int) stream {
			out := []int{arg}
			for _, v := range s.items {
				arg += v
				out = append(out, arg)
			}
			return s.with(out)
		}, grows: 1},
	{name: "handle", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.Handle(func(v int, s *flux.SyncSink[int]) {
			switch {
			case v == 4*arg+3:
				s.Complete()
			case v%(arg+1) == 0:
				s.Next(v + 1)
			}
		})
	}, model: func(s stream, arg int) stream {
		return s.each(func(out []int, v int) ([]int, bool, error) {
			if v == 4*arg+3 {
				return out, false, nil
			}
			if v%(arg+1) == 0 {
				out = append(out, v+1)
			}
			return out, true, nil
		})
	}},
	{name: "mapIndexed", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.MapIndexed(func(i, v int) int { return v + i*arg })
	}, model: adding(func(i, v, arg int) int { return v + i*arg })},
	{name: "materialized", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] {
		return flux.Dematerialize[int](f.Materialize())
	}, model: same},
	{name: "limitedByMaterialized", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return flux.Dematerialize[int](f.Materialize().Take(arg + 1))
	}, model: func(s stream, arg int) stream {
		if arg+1 <= len(s.items) {
			s.items, s.end = s.items[:arg+1], nil
		}
		return s
	}},
}

// expanded returns what the small elements turn into besides.
func expanded(arg int) func(int) flux.Flux[int] {
	return func(v int) flux.Flux[int] {
		if v >= 0 && v < arg {
			return flux.Just(v + arg)
		}
		return flux.Empty[int]()
	}
}

// nestedOps are those with a publisher for each element, or with further sources.
var nestedOps = []op{
	{name: "concatMap", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.ConcatMap(inner, flux.Prefetch(arg))
	}, model: func(s stream, arg int) stream { return concatInner(s, arg).vagueIfItFails() }, grows: 3},
	{name: "concatMapDelayed", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.ConcatMap(inner, flux.Prefetch(arg+1), flux.DelayErrors())
	}, model: concatInner, grows: 3},
	{name: "concatMapMono", build: func(e *env, f flux.Flux[int], _ int) flux.Flux[int] {
		return f.ConcatMap(func(v int) mono.Mono[int] { return mono.Just(v).SubscribeOn(e.elastic) }, flux.DelayErrors())
	}, model: sameElsewhere},
	{name: "flatMapSequential", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.FlatMapSequential(inner, flux.Concurrency(arg+1))
	}, model: func(s stream, arg int) stream { return concatInner(s, arg).vagueIfItFails() }, grows: 3},
	{name: "flatMapSequentialMono", build: func(e *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.FlatMapSequential(func(v int) mono.Mono[int] { return mono.Just(v).SubscribeOn(e.parallel) }, flux.Concurrency(arg+1))
	}, model: func(s stream, _ int) stream { return s.vagueIfItFails().asynchronous() }},
	{name: "flatMapSlice", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.FlatMapSlice(innerModel, flux.Prefetch(arg+1))
	}, model: func(s stream, arg int) stream { return concatInner(s, arg).vagueIfItFails() }, grows: 3},
	{name: "concatMapSlice", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] { return f.ConcatMapSlice(innerModel) },
		model: func(s stream, arg int) stream { return concatInner(s, arg).vagueIfItFails() }, grows: 3},
	{name: "switchMap", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] { return f.SwitchMap(inner) },
		model: func(s stream, arg int) stream {
			s = concatInner(s, arg)
			s.vague = true
			return s
		}, grows: 3},
	{name: "expand", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.Expand(expanded(arg)) },
		model: func(s stream, arg int) stream {
			s = s.vagueIfItFails()
			out := slices.Clone(s.items)
			for _, v := range s.items {
				if v >= 0 && v < arg {
					out = append(out, v+arg)
				}
			}
			return s.with(out)
		}, grows: 1},
	{name: "expandDeep", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.ExpandDeep(expanded(arg)) },
		model: func(s stream, arg int) stream {
			return s.vagueIfItFails().each(func(out []int, v int) ([]int, bool, error) {
				if out = append(out, v); v >= 0 && v < arg {
					out = append(out, v+arg)
				}
				return out, true, nil
			})
		}, grows: 1},
	{name: "mergeSequential", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return flux.MergeSequential([]reactor.Publisher[int]{f, flux.Range(0, arg)})
	}, model: func(s stream, arg int) stream { return s.then(stream{items: upTo(arg)}).vagueIfItFails() }, grows: 1},
	{name: "combineLatest", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return flux.CombineLatest[int, int](f, flux.Range(0, arg), sum)
	}, model: func(s stream, _ int) stream {
		s.vague = true
		return s
	}, grows: 8},
	{name: "withLatestFrom", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.WithLatestFrom(flux.Just(arg), sum)
	}, model: adding(func(_, v, arg int) int { return v + arg })},
	{name: "delayUntil", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.DelayUntil(func(int) flux.Flux[int] { return flux.Range(0, arg) })
	}, model: func(s stream, _ int) stream { return s.vagueIfItFails() }},
	{name: "switchOnFirst", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] {
		return f.SwitchOnFirst(func(_ reactor.Signal[int], all flux.Flux[int]) flux.Flux[int] { return all })
	}, model: same},
}

// sharedOps are those that several subscribers could share.
var sharedOps = []op{
	{name: "share", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] { return f.Share() },
		model: func(s stream, _ int) stream { return s.vagueIfItFails() }},
	{name: "publishSelector", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] {
		return f.PublishSelector(func(shared flux.Flux[int]) flux.Flux[int] { return shared })
	}, model: func(s stream, _ int) stream { return s.vagueIfItFails() }},
	{name: "cache", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] { return f.Cache() }, model: same},
	// With all of its history: one who comes after the end gets no more than that.
	{name: "replay", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] {
		return f.Replay().RefCount(1)
	}, model: func(s stream, _ int) stream { return s.vagueIfItFails() }},
}
