package chainfuzz

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// env is what operators of one run share.
type env struct {
	parallel schedulers.Scheduler
	elastic  schedulers.Scheduler
}

// op is an operator of a chain. arg is a small number from the chain's bytes.
type op struct {
	name  string
	build func(e *env, f flux.Flux[int], arg int) flux.Flux[int]
	model func(s stream, arg int) stream
	grows int // by how much the number of elements may grow; 0 means not at all
}

func inner(v int) flux.Flux[int] { return flux.Range(v, v&3) }

func innerModel(v int) []int {
	out := make([]int, v&3)
	for i := range out {
		out[i] = v + i
	}
	return out
}

// concatInner is the model of all operators that flatten inner(v) in order.
func concatInner(s stream, _ int) stream {
	return s.each(func(out []int, v int) ([]int, bool, error) { return append(out, innerModel(v)...), true, nil })
}

func total(items []int) int {
	sum := 0
	for _, v := range items {
		sum += v
	}
	return sum
}

func chunks(s stream, size, skip int) stream {
	out := []int{}
	for i := 0; i < len(s.items); i += skip {
		if i+size > len(s.items) && s.end != nil {
			break
		}
		out = append(out, total(s.items[i:min(i+size, len(s.items))]))
	}
	return s.with(out)
}

// single is the model of operators that reduce a stream to one element.
func single(fn func(items []int) ([]int, error)) func(stream, int) stream {
	return func(s stream, _ int) stream {
		if s.end != nil {
			return s.with(nil)
		}
		items, err := fn(s.items)
		s.end = err
		return s.with(items)
	}
}

// same is the model of operators that change nothing.
func same(s stream, _ int) stream { return s }

// sameElsewhere is that of those that move signals to another goroutine.
func sameElsewhere(s stream, _ int) stream { return s.asynchronous() }

func limit(n int) func(stream, int) stream {
	return func(s stream, arg int) stream {
		if k := n + arg; len(s.items) >= k {
			s.items, s.end = s.items[:k], nil
		}
		return s
	}
}

func residue(arg int) func(int) int { return func(v int) int { return v % (arg + 1) } }

// plainOps are those with one source, one element after the other.
var plainOps = []op{
	{name: "map", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.Map(func(v int) int { return v + arg })
	}, model: func(s stream, arg int) stream {
		return s.each(func(out []int, v int) ([]int, bool, error) { return append(out, v+arg), true, nil })
	}},
	{name: "mapPanics", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.Map(func(v int) int {
			if v == arg {
				panic(errPanic)
			}
			return v
		})
	}, model: failsAt(errPanic)},
	{name: "tryMap", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.TryMap(func(v int) (int, error) {
			if v == arg {
				return 0, errTry
			}
			return v, nil
		})
	}, model: failsAt(errTry)},
	{name: "pairwise", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.Pairwise(func(a, b int) int { return max(a, b) - arg })
	}, model: func(s stream, arg int) stream {
		out := []int{}
		for i := range s.items[min(1, len(s.items)):] {
			out = append(out, max(s.items[i], s.items[i+1])-arg)
		}
		return s.with(out)
	}},
	{name: "tryMapContext", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.TryMapContext(func(ctx context.Context, v int) (int, error) {
			if v == arg {
				return 0, errTry
			}
			return v, ctx.Err()
		})
	}, model: failsAt(errTry)},
	{name: "filter", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.Filter(func(v int) bool { return v%(arg+1) == 0 })
	}, model: func(s stream, arg int) stream {
		return s.each(func(out []int, v int) ([]int, bool, error) {
			if v%(arg+1) == 0 {
				out = append(out, v)
			}
			return out, true, nil
		})
	}},
	{name: "filterPanics", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.Filter(func(v int) bool {
			if v == arg {
				panic(errPanic)
			}
			return true
		})
	}, model: failsAt(errPanic)},
	{name: "filterWhen", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.FilterWhen(func(v int) mono.Mono[bool] { return mono.Just(v%(arg+1) == 0) })
	}, model: func(s stream, arg int) stream {
		return s.each(func(out []int, v int) ([]int, bool, error) {
			if v%(arg+1) == 0 {
				out = append(out, v)
			}
			return out, true, nil
		}).vagueIfItFails()
	}},
	{name: "take", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.Take(arg) },
		model: func(s stream, arg int) stream {
			if arg == 0 {
				return stream{async: s.async} // never subscribes
			}
			return limit(0)(s, arg)
		}},
	{name: "takeLast", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.TakeLast(arg) },
		model: func(s stream, arg int) stream {
			if s.end != nil {
				return s.with(nil)
			}
			return s.with(s.items[max(0, len(s.items)-arg):])
		}},
	{name: "takeWhile", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.TakeWhile(func(v int) bool { return v < 4*arg })
	}, model: func(s stream, arg int) stream {
		return s.each(func(out []int, v int) ([]int, bool, error) {
			if v < 4*arg {
				return append(out, v), true, nil
			}
			return out, false, nil
		})
	}},
	{name: "takeUntil", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.TakeUntil(func(v int) bool { return v >= 4*arg })
	}, model: func(s stream, arg int) stream {
		return s.each(func(out []int, v int) ([]int, bool, error) { return append(out, v), v < 4*arg, nil })
	}},
	{name: "skip", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.Skip(arg) },
		model: func(s stream, arg int) stream { return s.with(s.items[min(arg, len(s.items)):]) }},
	{name: "skipLast", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.SkipLast(arg) },
		model: func(s stream, arg int) stream { return s.with(s.items[:max(0, len(s.items)-arg)]) }},
	{name: "skipWhile", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.SkipWhile(func(v int) bool { return v < arg })
	}, model: func(s stream, arg int) stream {
		if i := slices.IndexFunc(s.items, func(v int) bool { return v >= arg }); i >= 0 {
			return s.with(s.items[i:])
		}
		return s.with(nil)
	}},
	{name: "skipUntil", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.SkipUntil(func(v int) bool { return v >= arg })
	}, model: func(s stream, arg int) stream {
		if i := slices.IndexFunc(s.items, func(v int) bool { return v >= arg }); i >= 0 {
			return s.with(s.items[i:])
		}
		return s.with(nil)
	}},
	{name: "distinct", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.Distinct(residue(arg)) },
		model: func(s stream, arg int) stream {
			seen := map[int]bool{}
			return s.each(func(out []int, v int) ([]int, bool, error) {
				if k := v % (arg + 1); !seen[k] {
					seen[k] = true
					out = append(out, v)
				}
				return out, true, nil
			})
		}},
	{name: "distinctUntilChanged", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.DistinctUntilChanged(residue(arg))
	}, model: func(s stream, arg int) stream {
		last, any := 0, false
		return s.each(func(out []int, v int) ([]int, bool, error) {
			if k := v % (arg + 1); !any || k != last {
				last, any = k, true
				out = append(out, v)
			}
			return out, true, nil
		})
	}},
	{name: "sort", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] {
		return f.Sort(func(a, b int) int { return cmp.Compare(b, a) })
	}, model: func(s stream, _ int) stream {
		if s.end != nil {
			return s.with(nil)
		}
		items := slices.Clone(s.items)
		slices.SortFunc(items, func(a, b int) int { return cmp.Compare(b, a) })
		return s.with(items)
	}},
	{name: "elementAt", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return flux.From(f.ElementAtOr(arg, -1))
	}, model: func(s stream, arg int) stream {
		switch {
		case arg < len(s.items):
			s.items, s.end = s.items[arg:arg+1], nil
		case s.end != nil:
			s.items = nil
		default:
			s.items = []int{-1}
		}
		return s
	}},
	{name: "reduce", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] {
		return flux.From(f.Reduce(func(a, b int) int { return a + b }))
	}, model: single(func(items []int) ([]int, error) {
		if len(items) == 0 {
			return nil, nil
		}
		return []int{total(items)}, nil
	})},
	{name: "collect", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] {
		return flux.From(f.CollectSlice()).Map(total)
	}, model: single(func(items []int) ([]int, error) { return []int{total(items)}, nil })},
	{name: "count", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] {
		return flux.From(f.Count())
	}, model: single(func(items []int) ([]int, error) { return []int{len(items)}, nil })},
	{name: "ignore", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] { return flux.From(f.IgnoreElements()) },
		model: single(func([]int) ([]int, error) { return nil, nil })},
	{name: "thenMany", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.ThenMany(flux.Range(0, arg)) },
		model: func(s stream, arg int) stream { return s.with(nil).then(stream{items: upTo(arg)}) }},
	{name: "concatWith", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.ConcatWith(flux.Range(0, arg)) },
		model: func(s stream, arg int) stream { return s.then(stream{items: upTo(arg)}) }, grows: 1},
	{name: "startWith", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.StartWith(flux.Range(0, arg)) },
		model: func(s stream, arg int) stream { return stream{items: upTo(arg)}.then(s) }, grows: 1},
	{name: "startWithError", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.StartWith(flux.Error[int](errSource)).Skip(arg)
	}, model: func(s stream, _ int) stream { return stream{end: errSource, async: s.async} }},
	{name: "defaultIfEmpty", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.DefaultIfEmpty(arg) },
		model: func(s stream, arg int) stream {
			if len(s.items) == 0 && s.end == nil {
				s.items = []int{arg}
			}
			return s
		}},
	{name: "switchIfEmpty", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.SwitchIfEmpty(flux.Range(0, arg))
	}, model: func(s stream, arg int) stream {
		if len(s.items) == 0 && s.end == nil {
			s.items = upTo(arg)
		}
		return s
	}},
	{name: "repeat", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.Repeat(flux.Times(arg & 3)) },
		model: func(s stream, arg int) stream {
			out := s
			for range arg & 3 {
				out = out.then(s)
			}
			return out
		}, grows: 4},
	{name: "retry", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.Retry(flux.Times(arg & 3)) },
		model: func(s stream, arg int) stream {
			items := s.items
			if s.end != nil {
				for range arg & 3 {
					items = slices.Concat(items, s.items)
				}
			}
			return s.with(items)
		}, grows: 4},
	{name: "onErrorReturn", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.OnErrorReturn(arg) },
		model: func(s stream, arg int) stream {
			if s.end != nil {
				s.items, s.end = append(slices.Clone(s.items), arg), nil
			}
			return s
		}},
	{name: "onErrorResume", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.OnErrorResume(func(error) flux.Flux[int] { return flux.Range(0, arg) })
	}, model: func(s stream, arg int) stream {
		if s.end != nil {
			s.items, s.end = slices.Concat(s.items, upTo(arg)), nil
		}
		return s
	}},
	{name: "onErrorComplete", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] { return f.OnErrorComplete() },
		model: func(s stream, _ int) stream {
			s.end = nil
			return s
		}},
	{name: "onErrorMap", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] {
		return f.OnErrorMap(func(error) error { return errEmpty })
	}, model: func(s stream, _ int) stream {
		if s.end != nil {
			s.end = errEmpty
		}
		return s
	}},
	{name: "publishOn", build: func(e *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.PublishOn(e.parallel, flux.Prefetch(arg+1))
	}, model: sameElsewhere},
	{name: "publishOnImmediate", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.PublishOn(schedulers.Immediate(), flux.Prefetch(arg+1))
	}, model: same},
	{name: "subscribeOn", build: func(e *env, f flux.Flux[int], _ int) flux.Flux[int] { return f.SubscribeOn(e.elastic) },
		model: sameElsewhere},
	{name: "cancelOn", build: func(e *env, f flux.Flux[int], _ int) flux.Flux[int] { return f.CancelOn(e.elastic) },
		model: same},
	{name: "limitRate", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.LimitRate(arg + 1) }, model: same},
	{name: "onBackpressureBuffer", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] { return f.OnBackpressureBuffer() },
		model: func(s stream, _ int) stream { return s.vagueIfItFails() }},
	{name: "hide", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] { return f.Hide() }, model: same},
	{name: "doOnNext", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.DoOnNext(func(v int) {
			if v == arg {
				panic(errPanic)
			}
		})
	}, model: failsAt(errPanic)},
	{name: "doFinally", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] {
		return f.DoFinally(func(reactor.SignalKind) {})
	}, model: same},
	{name: "doOnComplete", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.DoOnComplete(func() {
			if arg == 0 {
				panic(errPanic)
			}
		})
	}, model: func(s stream, arg int) stream {
		if arg == 0 && s.end == nil {
			s.end = errPanic
		}
		return s
	}},
	{name: "delayElements", build: func(e *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.DelayElements(time.Duration(arg)*time.Millisecond, flux.On(e.parallel))
	}, model: func(s stream, _ int) stream { return s.vagueIfItFails().asynchronous() }},
	{name: "delaySequence", build: func(e *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.DelaySequence(time.Duration(arg)*time.Millisecond, flux.On(e.parallel))
	}, model: func(s stream, _ int) stream { return s.vagueIfItFails().asynchronous() }},
	{name: "throttle", build: func(e *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.Throttle(arg+1, time.Millisecond, flux.Burst(arg/2+1), flux.On(e.parallel))
	}, model: sameElsewhere},
	{name: "delaySubscription", build: func(e *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.DelaySubscriptionFor(time.Duration(arg)*time.Millisecond, flux.On(e.parallel))
	}, model: sameElsewhere},
	{name: "timeout", build: func(e *env, f flux.Flux[int], _ int) flux.Flux[int] {
		return f.Timeout(1000*time.Hour, flux.On(e.parallel))
	}, model: sameElsewhere},
	{name: "flatMap", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.FlatMap(inner, flux.Concurrency(arg+1))
	}, model: func(s stream, arg int) stream {
		s = concatInner(s, arg)
		s.vague = true
		return s
	}, grows: 3},
	{name: "flatMapOne", build: func(_ *env, f flux.Flux[int], _ int) flux.Flux[int] {
		return f.FlatMap(inner, flux.Concurrency(1))
	}, model: func(s stream, arg int) stream { return concatInner(s, arg).vagueIfItFails() }, grows: 3},
	{name: "flatMapMono", build: func(e *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.FlatMap(func(v int) mono.Mono[int] { return mono.Just(v).SubscribeOn(e.elastic) }, flux.Concurrency(arg+1))
	}, model: func(s stream, _ int) stream {
		s.vague = true
		return s.asynchronous()
	}},
	{name: "flatMapCalls", build: func(e *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.FlatMap(func(v int) mono.Mono[int] {
			return mono.FromCallable(func() (int, error) { return v, nil }).SubscribeOn(e.elastic)
		}, flux.Concurrency(arg+1))
	}, model: func(s stream, _ int) stream {
		s.vague = true
		return s.asynchronous()
	}},
	{name: "mergeWith", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] { return f.MergeWith(flux.Range(0, arg)) },
		model: func(s stream, arg int) stream {
			s = s.then(stream{items: upTo(arg)})
			s.vague = true
			return s
		}, grows: 1},
	{name: "zipWith", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.ZipWith(flux.Range(0, 3*arg), func(a, b int) int { return a + b })
	}, model: func(s stream, arg int) stream {
		s = s.vagueIfItFails()
		out := []int{}
		for i := range min(3*arg, len(s.items)) {
			out = append(out, s.items[i]+i)
		}
		if len(s.items) >= 3*arg {
			s.end = nil
		}
		return s.with(out)
	}},
	{name: "zipWithSlice", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.ZipWithSlice(upTo(arg), func(a, b int) int { return a + b })
	}, model: func(s stream, arg int) stream {
		if arg == 0 {
			return stream{async: s.async}
		}
		s = limit(0)(s, arg)
		out := []int{}
		for i, v := range s.items {
			out = append(out, v+i)
		}
		return s.with(out)
	}},
	{name: "transformDeferred", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.TransformDeferred(func(f flux.Flux[int]) flux.Flux[int] {
			n := 0
			return f.Map(func(v int) int { n++; return v + n*arg })
		})
	}, model: func(s stream, arg int) stream {
		n := 0
		return s.each(func(out []int, v int) ([]int, bool, error) { n++; return append(out, v+n*arg), true, nil })
	}},
	{name: "contextWrite", build: func(_ *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.TransformDeferredContext(func(ctx context.Context, f flux.Flux[int]) flux.Flux[int] {
			k, _ := ctx.Value(key{}).(int)
			return f.Map(func(v int) int { return v + k })
		}).ContextWriteValue(key{}, arg)
	}, model: func(s stream, arg int) stream {
		return s.each(func(out []int, v int) ([]int, bool, error) { return append(out, v+arg), true, nil })
	}},
	{name: "parallel", build: func(e *env, f flux.Flux[int], arg int) flux.Flux[int] {
		return f.Parallel(arg&3 + 1).RunOn(e.parallel).Map(func(v int) int { return v + 1 }).Sequential()
	}, model: func(s stream, _ int) stream {
		s.vague = true
		return s.asynchronous()
	}},
}

type key struct{}

// failsAt is the model of operators whose function fails at the element arg.
func failsAt(err error) func(stream, int) stream {
	return func(s stream, arg int) stream {
		return s.each(func(out []int, v int) ([]int, bool, error) {
			if v == arg {
				return out, false, err
			}
			return append(out, v), true, nil
		})
	}
}
