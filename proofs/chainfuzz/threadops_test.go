package chainfuzz

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/roster"
)

type publisher = reactor.Publisher[element]

// use is where a source or stage stands: its argument, and what its functions have to call.
type use struct {
	*trial
	arg  int
	call func()
}

type threadSource struct {
	name  string
	build func(u use) publisher
}

type threadOp struct {
	name  string
	build func(u use, src publisher) publisher
}

const (
	// tick is how long a short time is.
	tick = 2 * time.Microsecond
	// period is the time between two signals that never end.
	period = 100 * time.Microsecond
)

// chain builds what the program describes.
func (t *trial) chain() publisher {
	p := threadSources[t.source.op].build(use{t, t.source.arg, t.function(0)})
	for i, s := range t.stages {
		p = threadOps[s.op].build(use{t, s.arg, t.function(i + 1)}, p)
	}
	return p
}

// sequence emits n elements that are made when they are asked for.
func (u use) sequence(n int) publisher {
	return operators.FromSeq(func(yield func(element) bool) {
		for range n {
			u.call()
			if !yield(u.books.Produce()) {
				return
			}
		}
	})
}

// quiet is sequence without calls of the function.
func (u use) quiet(n int) publisher {
	u.call = func() {}
	return u.sequence(n)
}

// one emits one element.
func (u use) one() publisher {
	return operators.FromCallable(func() (element, error) { u.call(); return u.books.Produce(), nil })
}

// takes says that whoever subscribes takes v, and then sends what p does.
func (u use) takes(v element, p publisher) publisher {
	return operators.Defer(func(context.Context) publisher {
		u.books.Delivered(v)
		return p
	})
}

// inner is a publisher for v.
func (u use) inner(v element) publisher {
	u.call()
	switch (u.arg + v.Number) % 8 {
	case 0:
		return operators.Just(v)
	case 1:
		return operators.Hide(operators.Just(v))
	case 2:
		return operators.Concat(operators.Just(v), u.quiet(2))
	case 3:
		return u.takes(v, operators.SubscribeOn(u.quiet(1), u.scheduler))
	case 4:
		return u.takes(v, operators.PublishOn(u.quiet(2), u.scheduler))
	case 5:
		return u.takes(v, operators.Empty[element]())
	case 6:
		if v.Number%4 == 0 {
			return operators.Concat(operators.Just(v), operators.Error[element](errFault))
		}
		return u.takes(v, operators.MonoDelayElement(u.one(), tick, operators.On(u.scheduler)))
	default:
		if v.Number%2 == 0 {
			return u.takes(v, operators.SubscribeOn(u.one(), u.scheduler))
		}
		return u.takes(v, u.one())
	}
}

// through is a function that hands elements on.
func (u use) through(v element) element {
	u.call()
	return v
}

func (u use) list(v element) []element {
	u.call()
	if v.Number%2 == 0 {
		return []element{v}
	}
	return []element{v, u.books.Produce()}
}

// flat are the elements of a slice, or window.
func flat(list []element) []element        { return list }
func (u use) window(w publisher) publisher { u.call(); return w }

// timer emits once.
func (u use) timer() reactor.Publisher[int64] {
	return operators.Delay(tick, operators.On(u.scheduler))
}

// ticks never end.
func (u use) ticks() reactor.Publisher[int64] {
	return operators.OnBackpressureDrop(operators.Interval(period, operators.On(u.scheduler)))
}

// flatten brings a publisher of publishers together in one of three ways.
func (u use) flatten(windows reactor.Publisher[publisher]) publisher {
	switch u.arg % 3 {
	case 0:
		return operators.FlatMap(windows, u.window)
	case 1:
		return operators.ConcatMap(windows, u.window)
	default:
		return operators.FlatMapSequential(windows, u.window)
	}
}

func window(w publisher) publisher { return w }

var threadSources = []threadSource{
	{"sequence", func(u use) publisher { return u.sequence(u.arg) }},
	{"asynchronous sequence", func(u use) publisher { return operators.SubscribeOn(u.sequence(u.arg), u.scheduler) }},
	{"hidden sequence", func(u use) publisher { return operators.Hide(u.sequence(u.arg)) }},
	{"long sequence", func(u use) publisher { return u.sequence(40 * u.arg) }},
	{"generate", func(u use) publisher {
		return operators.Generate(func() int { return 0 }, func(n int, s *operators.SyncSink[element]) int {
			u.call()
			if n == u.arg {
				s.Complete()
			} else {
				s.Next(u.books.Produce())
			}
			return n + 1
		})
	}},
	{"create", func(u use) publisher {
		return operators.Create(func(s *operators.FluxSink[element]) {
			u.start(func() {
				defer s.Complete()
				for range u.arg {
					s.Next(u.books.Produce())
				}
			})
		})
	}},
	{"timed create", func(u use) publisher {
		return operators.Create(func(s *operators.FluxSink[element]) {
			u.start(func() {
				defer s.Complete()
				for range u.arg {
					time.Sleep(tick)
					s.Next(u.books.Produce())
				}
			})
		})
	}},
	{"failing sequence", func(u use) publisher {
		return operators.Concat(u.sequence(u.arg), operators.Error[element](errFault))
	}},
	{"callable", func(u use) publisher {
		return u.one()
	}},
	{"interval", func(u use) publisher {
		ticks := operators.Take(operators.OnBackpressureBuffer(operators.Interval(tick, operators.On(u.scheduler))), u.arg)
		return operators.ConcatMapSlice(ticks, func(int64) []element { u.call(); return []element{u.books.Produce()} })
	}},
	{"channel", func(u use) publisher {
		ch := make(chan element)
		u.start(func() {
			defer close(ch)
			for range u.arg {
				v := u.books.Produce()
				select {
				case ch <- v:
				case <-u.ctx.Done():
					u.books.Discarded(v)
				}
			}
		})
		return operators.FromChan(ch)
	}},
}

var threadOps = slices.Concat(rosterOps(), oneToOneOps, flatteningOps, cuttingOps, joiningOps)

// unfit are the stages of the roster whose books can't be balanced for other reasons than their traits
// say: sinks keep what they have for those who come later, and a handler swallows what it is told of.
var unfit = regexp.MustCompile(`^(sink|onErrorContinue)`)

// rosterOps are all stages of the roster whose books can be balanced. What a stage makes of
// the elements is taken apart again.
func rosterOps() (list []threadOp) {
	apart := func(v any) (elements []element) {
		ledger.Each(v, func(e element) {
			if e != nil {
				elements = append(elements, e)
			}
		})
		return elements
	}
	for _, stage := range roster.Stages[element]() {
		if stage.Swallows || stage.Hot || stage.Single || stage.Lingers || unfit.MatchString(stage.Name) {
			continue
		}
		list = append(list, threadOp{"roster: " + stage.Name, func(u use, src publisher) publisher {
			if stage.Calling != nil {
				if p, same := stage.Calling(u.call, src).(publisher); same {
					return p
				}
			}
			return operators.ConcatMapSlice(stage.Build(u.scheduler, src), apart)
		}})
	}
	return list
}

var oneToOneOps = []threadOp{
	{"map", func(u use, src publisher) publisher { return operators.Map(src, u.through) }},
	{"tryMap", func(u use, src publisher) publisher {
		return operators.TryMap(src, func(v element) (element, error) {
			if u.call(); v.Number == u.arg {
				return v, errFault
			}
			return v, nil
		})
	}},
	{"tryMapContext", func(u use, src publisher) publisher {
		return operators.TryMapContext(src, func(_ context.Context, v element) (element, error) {
			if u.call(); v.Number == u.arg {
				return v, errFault
			}
			return v, nil
		})
	}},
	{"filter", func(u use, src publisher) publisher {
		return operators.Filter(src, func(v element) bool { u.call(); return v.Number%(u.arg+2) != 0 })
	}},
	{"handle", func(u use, src publisher) publisher {
		return operators.Handle(src, func(v element, s *operators.SyncSink[element]) { u.call(); s.Next(v) })
	}},
	{"doOnNext", func(u use, src publisher) publisher { return operators.DoOnNext(src, func(element) { u.call() }) }},
	{"doFinally", func(u use, src publisher) publisher {
		return operators.DoFinally(src, func(reactor.SignalKind) { u.call() })
	}},
	{"doOnComplete", func(u use, src publisher) publisher { return operators.DoOnComplete(src, u.call) }},
	{"filterWhen", func(u use, src publisher) publisher {
		return operators.FilterWhen(src, func(v element) reactor.Publisher[bool] {
			u.call()
			keep := operators.Just(v.Number%4 != 0)
			if u.arg%2 == 0 {
				return operators.SubscribeOn(keep, u.scheduler)
			}
			return keep
		}, operators.Prefetch(1+u.arg))
	}},
	{"delayUntil", func(u use, src publisher) publisher {
		return operators.DelayUntil(src, func(v element) reactor.Publisher[int64] {
			if u.call(); v.Number%2 == 0 {
				return u.timer()
			}
			return operators.Empty[int64]()
		})
	}},
	{"delayElements", func(u use, src publisher) publisher {
		return operators.DelayElements(src, tick, operators.On(u.scheduler))
	}},
	{"delaySequence", func(u use, src publisher) publisher {
		return operators.DelaySequence(src, tick, operators.On(u.scheduler))
	}},
	{"throttle", func(u use, src publisher) publisher {
		return operators.Throttle(src, 1+u.arg, tick, operators.Burst(1+u.arg), operators.Prefetch(1+u.arg*u.arg), operators.On(u.scheduler))
	}},
	{"publishOn", func(u use, src publisher) publisher {
		return operators.PublishOn(src, u.scheduler, operators.Prefetch(1+u.arg*u.arg))
	}},
	{"subscribeOn", func(u use, src publisher) publisher { return operators.SubscribeOn(src, u.scheduler) }},
	{"limitRate", func(u use, src publisher) publisher { return operators.LimitRate(src, 1+u.arg) }},
	{"take", func(u use, src publisher) publisher { return operators.Take(src, u.arg) }},
	{"takeLast", func(u use, src publisher) publisher { return operators.TakeLast(src, 1+u.arg) }},
	{"skipLast", func(u use, src publisher) publisher { return operators.SkipLast(src, u.arg) }},
	{"takeUntilOther", func(u use, src publisher) publisher { return operators.TakeUntilOther(src, u.timer()) }},
	{"skipUntilOther", func(u use, src publisher) publisher { return operators.SkipUntilOther(src, u.timer()) }},
	{"timeout", func(u use, src publisher) publisher {
		return operators.Timeout(src, 10*time.Duration(1+u.arg)*tick, operators.On(u.scheduler))
	}},
	{"onBackpressureBuffer", func(u use, src publisher) publisher { return operators.OnBackpressureBuffer(src) }},
	{"materialize", func(u use, src publisher) publisher {
		return operators.Dematerialize(operators.Materialize[element, reactor.Signal[element]](src))
	}},
	{"parallel", func(u use, src publisher) publisher {
		rails := operators.ParallelRunOn(operators.Parallel(src, 1+u.arg%3), u.scheduler)
		return operators.ParallelSequential(operators.ParallelRails(rails, func(rail publisher) publisher {
			return operators.Map(rail, u.through)
		}))
	}},
}

var flatteningOps = []threadOp{
	{"flatMap", func(u use, src publisher) publisher {
		return operators.FlatMap(src, u.inner, operators.Concurrency(1+u.arg))
	}},
	{"flatMap, errors delayed", func(u use, src publisher) publisher {
		return operators.FlatMap(src, u.inner, operators.Concurrency(1+u.arg), operators.DelayErrors())
	}},
	{"concatMap", func(u use, src publisher) publisher { return operators.ConcatMap(src, u.inner) }},
	{"concatMap by some", func(u use, src publisher) publisher {
		return operators.ConcatMap(src, u.inner, operators.Prefetch(u.arg))
	}},
	{"concatMap one by one", func(u use, src publisher) publisher {
		return operators.ConcatMap(src, u.inner, operators.Prefetch(0))
	}},
	{"concatMap one by one, errors delayed", func(u use, src publisher) publisher {
		return operators.ConcatMap(src, u.inner, operators.Prefetch(0), operators.DelayErrors())
	}},
	{"concatMap, errors delayed", func(u use, src publisher) publisher {
		return operators.ConcatMap(src, u.inner, operators.Prefetch(u.arg), operators.DelayErrors())
	}},
	{"concatMap to the boundary", func(u use, src publisher) publisher {
		return operators.ConcatMap(src, u.inner, operators.Prefetch(1+u.arg), operators.DelayErrorsToBoundary())
	}},
	{"flatMapSequential", func(u use, src publisher) publisher {
		return operators.FlatMapSequential(src, u.inner, operators.Concurrency(1+u.arg))
	}},
	{"switchMap", func(u use, src publisher) publisher { return operators.SwitchMap(src, u.inner) }},
	{"switchMap ahead", func(u use, src publisher) publisher {
		return operators.SwitchMap(src, u.inner, operators.Prefetch(1+u.arg))
	}},
	{"exhaustMap", func(u use, src publisher) publisher {
		return operators.ExhaustMap(src, u.inner, operators.Prefetch(1+u.arg))
	}},
	{"exhaustMap, errors delayed", func(u use, src publisher) publisher {
		return operators.ExhaustMap(src, u.inner, operators.DelayErrors())
	}},
	{"flatMapSlice", func(u use, src publisher) publisher {
		return operators.FlatMapSlice(src, u.list, operators.Prefetch(1+u.arg))
	}},
	{"concatMapSlice", func(u use, src publisher) publisher { return operators.ConcatMapSlice(src, u.list) }},
	{"expand", func(u use, src publisher) publisher {
		return operators.Expand(src, func(v element) publisher {
			if u.call(); v.Number%4 == 0 {
				return u.quiet(1 - v.Number/64)
			}
			return operators.Empty[element]()
		})
	}},
	{"switchOnFirst", func(u use, src publisher) publisher {
		return operators.SwitchOnFirst(src, func(_ reactor.Signal[element], all publisher) publisher { u.call(); return all })
	}},
}

var cuttingOps = []threadOp{
	{"buffer", func(u use, src publisher) publisher {
		return operators.FlatMapSlice(operators.Buffer(src, 1+u.arg), flat)
	}},
	{"bufferTimeout", func(u use, src publisher) publisher {
		return operators.ConcatMapSlice(operators.BufferTimeout(src, 1+u.arg, tick, operators.On(u.scheduler)), flat)
	}},
	{"fair bufferTimeout", func(u use, src publisher) publisher {
		return operators.ConcatMapSlice(operators.BufferTimeout(src, 1+u.arg, tick, operators.On(u.scheduler), operators.FairBackpressure()), flat)
	}},
	{"window", func(u use, src publisher) publisher { return u.flatten(operators.Window(src, 1+u.arg/2, window)) }},
	{"windowTimeout", func(u use, src publisher) publisher {
		return u.flatten(operators.WindowTimeout(src, 1+u.arg/2, tick, window, operators.On(u.scheduler)))
	}},
	{"fair windowTimeout", func(u use, src publisher) publisher {
		return u.flatten(operators.WindowTimeout(src, 1+u.arg/2, tick, window, operators.On(u.scheduler), operators.FairBackpressure()))
	}},
	{"windowFor", func(u use, src publisher) publisher {
		return u.flatten(operators.WindowFor(src, period, window, operators.On(u.scheduler)))
	}},
	{"windowUntil", func(u use, src publisher) publisher {
		return u.flatten(operators.WindowUntil(src, func(v element) bool { u.call(); return v.Number%3 == 0 }, window))
	}},
	{"bufferFor", func(u use, src publisher) publisher {
		return operators.ConcatMapSlice(operators.BufferFor(src, period, operators.On(u.scheduler)), flat)
	}},
	{"sample", func(u use, src publisher) publisher { return operators.Sample(src, u.ticks()) }},
	{"windowOther", func(u use, src publisher) publisher { return u.flatten(operators.WindowOther(src, u.ticks(), window)) }},
	{"groupBy", func(u use, src publisher) publisher {
		groups := operators.GroupBy(src, func(v element) int { u.call(); return v.Number % (1 + u.arg) },
			func(_ int, g publisher) publisher { return g })
		return operators.FlatMap(groups, u.window)
	}},
}

var joiningOps = []threadOp{
	{"mergeWith", func(u use, src publisher) publisher { return operators.MergeWith(src, u.sequence(u.arg)) }},
	{"mergeWith asynchronous", func(u use, src publisher) publisher {
		return operators.MergeWith(src, operators.SubscribeOn(u.sequence(u.arg), u.scheduler))
	}},
	{"mergeWith failing", func(u use, src publisher) publisher {
		return operators.MergeWith(src, operators.SubscribeOn(operators.Concat(u.sequence(u.arg), operators.Error[element](errFault)), u.scheduler))
	}},
	{"concatWith", func(u use, src publisher) publisher { return operators.ConcatWith(src, u.sequence(u.arg)) }},
	{"zipWith", func(u use, src publisher) publisher {
		return operators.ZipWith(src, operators.Range(0, 1+u.arg), func(v element, _ int) element { return u.through(v) })
	}},
	{"withLatestFrom", func(u use, src publisher) publisher {
		return operators.WithLatestFrom(src, operators.Just(1), func(v element, _ int) element { return u.through(v) })
	}},
	{"sequenceEqual", func(u use, src publisher) publisher {
		equal := operators.SequenceEqualFunc(src, u.quiet(u.arg), func(a, b element) bool {
			u.call()
			u.books.Delivered(a)
			u.books.Delivered(b)
			return true
		}, operators.Prefetch(1+u.arg%3))
		return operators.ConcatMapSlice(equal, func(bool) []element { return []element{u.books.Produce()} })
	}},
	{"usingWhen", func(u use, src publisher) publisher {
		return operators.UsingWhen(operators.Just(1), func(int) publisher { u.call(); return src },
			operators.AsyncCleanup[int, int]{Complete: func(int) reactor.Publisher[int] { return operators.Empty[int]() }})
	}},
	{"asynchronous usingWhen", func(u use, src publisher) publisher {
		return operators.UsingWhen(operators.SubscribeOn(operators.Just(1), u.scheduler), func(int) publisher { u.call(); return src },
			operators.AsyncCleanup[int, int64]{Complete: func(int) reactor.Publisher[int64] { return u.timer() }})
	}},
	{"using", func(u use, src publisher) publisher {
		return operators.Using(func(context.Context) (int, error) { return 1, nil },
			func(int) publisher { u.call(); return src }, func(int) error { return nil })
	}},
	{"onErrorResume", func(u use, src publisher) publisher {
		return operators.OnErrorResume(src, func(error) publisher { u.call(); return u.quiet(u.arg) })
	}},
	{"onErrorComplete", func(u use, src publisher) publisher { return operators.OnErrorComplete(src) }},
	{"retry", func(u use, src publisher) publisher { return operators.Retry(src, operators.Times(1)) }},
	{"repeat", func(u use, src publisher) publisher { return operators.Repeat(src, operators.Times(1)) }},
	{"switchIfEmpty", func(u use, src publisher) publisher { return operators.SwitchIfEmpty(src, u.quiet(u.arg)) }},
	{"firstWithValue", func(u use, src publisher) publisher {
		return operators.FirstWithValue(src, operators.SubscribeOn(u.quiet(u.arg), u.scheduler))
	}},
	{"combineLatest", func(u use, src publisher) publisher {
		return operators.CombineLatest2(operators.Just(0), src, func(_ int, v element) element { return u.through(v) })
	}},
	{"onErrorMap", func(u use, src publisher) publisher {
		return operators.OnErrorMap(src, func(err error) error { u.call(); return err })
	}},
}
