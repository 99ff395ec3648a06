package books

import (
	"context"
	"iter"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/operators"
)

// itHandles is why stages that handle errors forget them.
const itHandles = "it handles errors"

// called are stages whose functions go wrong, with one child.
var called = []*stage{
	{name: "tap", kids: 1, build: func(u use) publisher {
		return operators.Tap(u.kid(0), func(context.Context) *operators.SignalListener[element] {
			u.call()
			var list operators.SignalListener[element]
			do := func(n int, fn *func()) {
				if u.arg == n || u.arg == 7 {
					*fn = func() { u.call() }
				}
			}
			do(0, &list.First)
			do(1, &list.Subscription)
			do(2, &list.Cancel)
			do(3, &list.Complete)
			do(4, &list.AfterComplete)
			switch u.arg {
			case 5:
				list.Request = func(int64) { u.call() }
			case 6:
				list.Finally = func(reactor.SignalKind) { u.call() }
			}
			list.Next = func(v element) { u.call(v) }
			list.AfterError = func(error) { u.call() }
			return &list
		})
	}},
	{name: "doOnEach", kids: 1, build: func(u use) publisher {
		return operators.DoOnEach(u.kid(0), func(_ context.Context, s reactor.Signal[element]) {
			if v, ok := s.Value(); ok {
				u.call(v)
			} else {
				u.call()
			}
		})
	}},
	{name: "doOnTerminate", kids: 1, build: func(u use) publisher { return operators.DoOnTerminate(u.kid(0), func() { u.call() }) }},
	{name: "doFirst", kids: 1, build: func(u use) publisher { return operators.DoFirst(u.kid(0), func() { u.call() }) }},
	{name: "doOnSuccess", kids: 1, build: func(u use) publisher {
		return operators.DoOnSuccess(operators.Next(u.kid(0)), func(v element, ok bool) {
			if ok {
				u.call(v)
			} else {
				u.call()
			}
		})
	}},
	{name: "contextWrite", kids: 1, build: func(u use) publisher {
		return operators.ContextWrite(u.kid(0), func(ctx context.Context) context.Context { u.call(); return ctx })
	}},
	{name: "index", kids: 1, build: func(u use) publisher {
		return operators.Index(u.kid(0), func(_ int, v element) element { return u.through(v) })
	}},
	{name: "mapIndexed", kids: 1, build: func(u use) publisher {
		return operators.MapIndexed(u.kid(0), func(_ int, v element) element { return u.through(v) })
	}},
	{name: "scan", kids: 1, build: func(u use) publisher {
		return operators.Scan(u.kid(0), func(_, v element) element { return u.through(v) })
	}},
	{name: "scanWith", kids: 1, build: func(u use) publisher {
		return operators.ScanWith(u.kid(0), func() element { u.call(); return nil }, func(_, v element) element { return u.through(v) })
	}},
	{name: "distinct", kids: 1, build: func(u use) publisher {
		return operators.Distinct(u.kid(0), func(v element) int { u.call(v); return number(v) % (3 + u.arg) })
	}},
	{name: "distinctUntilChanged", kids: 1, build: func(u use) publisher {
		return operators.DistinctUntilChangedFunc(u.kid(0), func(v element) int { u.call(v); return number(v) / 2 },
			func(a, b int) bool { u.call(); return a == b })
	}},
	{name: "skipUntil", kids: 1, build: func(u use) publisher {
		return operators.SkipUntil(u.kid(0), func(v element) bool { u.call(v); return number(v)%(u.arg+2) == 0 })
	}},
	{name: "mapOptional", kids: 1, build: func(u use) publisher {
		return operators.MapOptional(u.kid(0), func(v element) (element, bool) {
			u.call(v)
			if number(v)%3 == 0 {
				u.books.delivered(v)
				return nil, false
			}
			return v, true
		})
	}},
	{name: "fold", kids: 1, build: func(u use) publisher {
		return converted(operators.Fold(u.signals(0), func() int { u.call(); return 0 }, func(a, v int) int { u.call(); return a + v }),
			func(int) element { return u.produce() })
	}},
	{name: "collectInto", kids: 1, build: func(u use) publisher {
		all := operators.CollectInto(u.kid(0), func() *[]element { u.call(); return new([]element) }, func(c *[]element, v element) {
			u.call(v)
			u.books.delivered(v)
			*c = append(*c, v)
		})
		return converted(all, func(*[]element) element { return u.produce() })
	}},
	{name: "onBackpressureBuffer with a function", kids: 1, build: func(u use) publisher {
		return operators.OnBackpressureBufferFunc(u.kid(0), func(v element) { u.call() }, operators.Capacity(1+u.arg/2),
			[]operators.BufferOverflowStrategy{operators.BufferDropOldest, operators.BufferDropLatest, operators.BufferError}[u.arg%3])
	}},
	{name: "onBackpressureDrop with a function", kids: 1, build: func(u use) publisher {
		return operators.OnBackpressureDropFunc(u.kid(0), func(v element) { u.call() })
	}},
	{name: "onBackpressureBufferTimeout", kids: 1, build: func(u use) publisher {
		return operators.OnBackpressureBufferTimeout(u.kid(0), tick, 1+u.arg, func(element) { u.call() }, u.on())
	}},
	{name: "flatMapSeq", kids: 1, build: func(u use) publisher {
		return operators.FlatMapSeq(u.kid(0), u.sequenceFor, operators.Prefetch(1+u.arg))
	}},
	{name: "concatMapSeq", kids: 1, build: func(u use) publisher {
		return operators.ConcatMapSeq(u.kid(0), u.sequenceFor, operators.Prefetch(1+u.arg))
	}},
	{name: "limitRate low", kids: 1, build: func(u use) publisher {
		return operators.LimitRate(u.kid(0), 2+u.arg, operators.LowTide(u.arg%3))
	}},
	{name: "parallel sorted", kids: 1, forgets: byRails, several: byWindows, build: func(u use) publisher {
		return operators.ParallelSorted(operators.Parallel(u.kid(0), 1+u.arg%3), func(a, b element) int { u.call(); return number(a) - number(b) })
	}},
	{name: "bufferUntilChanged", kids: 1, build: func(u use) publisher {
		return operators.ConcatMapSlice(operators.BufferUntilChanged(u.kid(0), func(v element) int { u.call(v); return number(v) / 2 }), flat)
	}},
	{name: "windowWhile", kids: 1, several: byWindows, build: func(u use) publisher {
		return u.flatten(operators.WindowWhile(u.kid(0), func(v element) bool { u.call(v); return number(v)%3 != 0 }, window))
	}},
	{name: "windowUntilChanged", kids: 1, several: byWindows, build: func(u use) publisher {
		return u.flatten(operators.WindowUntilChanged(u.kid(0), func(v element) int { u.call(v); return number(v) / 2 }, window))
	}},
	{name: "groupByMap", kids: 1, several: byWindows, build: func(u use) publisher {
		return u.flatten(operators.GroupByMap(u.kid(0), func(v element) int { u.call(v); return number(v) % (1 + u.arg/2) }, u.through,
			func(_ int, g publisher) publisher { u.call(); return g }, operators.Prefetch(1+u.arg)))
	}},
	{name: "retryWhen", kids: 1, forgets: itHandles, build: func(u use) publisher {
		policy := operators.RetryFixedDelay(1+u.arg%2, tick).On(u.scheduler).Filter(operators.WhenError(u.handles))
		wait := func(operators.RetrySignal) reactor.Publisher[int64] { u.call(); return operators.Delay(tick, u.on()) }
		switch u.arg % 4 {
		case 0:
			policy = policy.DoBeforeRetry(func(operators.RetrySignal) { u.call() }).DoAfterRetry(func(operators.RetrySignal) { u.call() })
		case 1:
			policy = policy.DoBeforeRetryAsync(wait)
		case 2:
			policy = policy.DoAfterRetryAsync(wait)
		case 3:
			policy = policy.OnExhausted(func(operators.RetrySignal) error { u.call(); return u.fails() })
		}
		return operators.RetryWhen(u.kid(0), policy)
	}},
	{name: "switchOnFirst to a part", kids: 1, build: func(u use) publisher {
		return operators.SwitchOnFirst(u.kid(0), func(s reactor.Signal[element], all publisher) publisher {
			u.call()
			switch u.arg % 3 {
			case 0:
				return operators.Take(all, 1+u.arg)
			case 1:
				return operators.PublishOn(all, u.scheduler, operators.Prefetch(1+u.arg))
			}
			return operators.Map(all, u.through)
		})
	}},
	{name: "clumsy", kids: 1, forgets: "it fails when it hears of an error", build: func(u use) publisher {
		return operators.Hide(publisher(clumsy{u, u.kid(0)}))
	}},
}

// calledJoins are some with several.
var calledJoins = []*stage{
	{name: "flatMapSignal", kids: 2, forgets: itHandles, build: func(u use) publisher {
		return operators.FlatMapSignal(u.kid(0), u.inner(1), func(err error) publisher {
			u.handles(err)
			return operators.Take(u.kid(1), 1)
		}, func() publisher { u.call(); return operators.Take(u.kid(1), 1) }, operators.Concurrency(1+u.arg))
	}},
	{name: "retryWhen from", kids: 2, forgets: itHandles, build: func(u use) publisher {
		return operators.RetryWhen(u.kid(0), operators.RetryFrom(func(failures reactor.Publisher[operators.RetrySignal]) reactor.Publisher[int] {
			u.call()
			return operators.ZipWith(failures, operators.Take(u.signals(1), 2), func(f operators.RetrySignal, n int) int { u.handles(f.Failure); return n })
		}))
	}},
	{name: "join", kids: 2, build: func(u use) publisher {
		end := func(int) reactor.Publisher[int64] { u.call(); return operators.Delay(tick, u.on()) }
		return converted(operators.Join(u.signals(0), u.signals(1), end, end, func(a, b int) int { u.call(); return a }), u.produced)
	}},
	{name: "groupJoin", kids: 2, several: byWindows, build: func(u use) publisher {
		end := func(int) reactor.Publisher[int64] { u.call(); return operators.Delay(tick, u.on()) }
		groups := operators.GroupJoin(u.signals(0), u.signals(1), end, end, func(_ int, of reactor.Publisher[int]) reactor.Publisher[int] { u.call(); return of })
		return converted(operators.MergeAll(groups), u.produced)
	}},
	{name: "sampleFirst", kids: 2, build: func(u use) publisher {
		return operators.SampleFirst(u.kid(0), func(element) reactor.Publisher[int] { u.call(); return u.signals(1) })
	}},
	{name: "timeoutWhen from the first", kids: 3, build: func(u use) publisher {
		return operators.TimeoutWhenFallback(u.kid(0), u.signals(1), func(element) reactor.Publisher[int] { u.call(); return u.signals(1) }, u.kid(2))
	}},
	{name: "mergeAll", kids: 2, build: func(u use) publisher {
		return operators.MergeAll(u.hiddenPublishers(), operators.Concurrency(1+u.arg), operators.Prefetch(1+u.arg/2))
	}},
	{name: "mergeSequentialAll", kids: 2, forgets: delayedInTurn, build: func(u use) publisher {
		if u.arg%2 == 0 {
			return operators.MergeSequentialAll(u.hiddenPublishers(), operators.Concurrency(1+u.arg))
		}
		return operators.MergeSequentialAll(u.hiddenPublishers(), operators.Concurrency(1+u.arg), operators.DelayErrors())
	}},
	{name: "zip of three", kids: 3, build: func(u use) publisher {
		return operators.ConcatMapSlice(operators.Zip3(u.kid(0), u.kid(1), u.kid(2), func(a, b, c element) []element {
			u.call(a, b, c)
			return []element{a, b, c}
		}, operators.Prefetch(1+u.arg)), flat)
	}},
	{name: "combineLatest of three", kids: 3, build: func(u use) publisher {
		return converted(operators.CombineLatest3(u.signals(0), u.signals(1), u.signals(2), func(a, _, _ int) int { u.call(); return a }), u.produced)
	}},
	{name: "when", kids: 2, build: func(u use) publisher {
		done := operators.When([]reactor.Publisher[int]{u.signals(0), u.signals(1)})
		return operators.ThenMany(done, operators.Defer(func(context.Context) publisher { u.call(); return operators.Just(u.produce()) }))
	}},
	{name: "zipWhen", kids: 2, build: func(u use) publisher {
		return operators.ConcatMapSlice(operators.MonoZipWhen(operators.Next(u.kid(0)), func(v element) publisher {
			u.call()
			return operators.Next(u.kid(1))
		}, u.pair), flat)
	}},
	{name: "mono delayUntil", kids: 2, build: func(u use) publisher {
		return operators.MonoDelayUntil(operators.Next(u.kid(0)), func(v element) reactor.Publisher[int] { u.call(v); return u.signals(1) })
	}},
	{name: "mono filterWhen", kids: 2, build: func(u use) publisher {
		return operators.FilterWhenMono(operators.Next(u.kid(0)), func(v element) reactor.Publisher[bool] {
			u.call(v)
			return converted(u.signals(1), func(n int) bool { return n%3 != 0 })
		})
	}},
	{name: "switchOnFirst to another", kids: 2, forgets: "the function has an error that is the first signal", build: func(u use) publisher {
		return operators.SwitchOnFirst(u.kid(0), func(_ reactor.Signal[element], all publisher) publisher {
			u.call()
			if u.arg%2 == 0 {
				return u.kid(1)
			}
			return operators.Merge(all, u.kid(1))
		})
	}},
}

func (u use) produced(int) element { return u.produce() }

// hiddenPublishers are publishers that can't be asked for an element at once: one that is computed for a publisher which is discarded
// has ended with it.
func (u use) hiddenPublishers() reactor.Publisher[publisher] {
	return converted(u.publishers(), func(p publisher) publisher {
		if p == nil {
			return nil
		}
		return operators.Hide(p)
	})
}

// sequenceFor yields elements for v, which it takes.
func (u use) sequenceFor(v element) iter.Seq[element] {
	u.call(v)
	u.books.delivered(v)
	return func(yield func(element) bool) {
		for range 1 + number(v)%3 {
			if u.call(); !u.more() || !yield(u.produce()) {
				return
			}
		}
	}
}

// clumsy is a stage by somebody else that fails wherever it is called, and still hands on what has come before.
type clumsy struct {
	use
	src publisher
}

func (c clumsy) Subscribe(ctx context.Context, s reactor.Subscriber[element]) {
	if c.arg == 0 {
		c.call()
	}
	c.src.Subscribe(ctx, &clumsySubscriber{Subscriber: s, clumsy: c, goroutine: goid.Current()})
	if c.arg == 1 {
		c.call()
	}
}

type clumsySubscriber struct {
	reactor.Subscriber[element]
	clumsy
	up        reactor.Subscription
	goroutine uintptr // that of Subscribe
}

func (s *clumsySubscriber) OnSubscribe(up reactor.Subscription) {
	s.up = up
	if s.arg == 2 {
		s.stumble()
	}
	s.Subscriber.OnSubscribe(s)
}

// stumble fails, and hands the subscription on. Whoever calls survives a panic, so that without this nobody below would ever hear of
// anything: that is no publisher (§1.9). A Goexit ends Subscribe, and the stage below is told, unless that has returned.
func (s *clumsySubscriber) stumble() {
	clean := false
	defer func() {
		r := recover()
		if r != nil || !clean && s.goroutine != goid.Current() {
			s.Subscriber.OnSubscribe(s)
		}
		if r != nil {
			panic(r)
		}
	}()
	s.call()
	clean = true
}

func (s *clumsySubscriber) OnNext(v element) {
	if s.arg == 3 {
		s.fall(v)
	}
	s.Subscriber.OnNext(v)
}

// fall fails with v, which is with nobody then.
func (s *clumsySubscriber) fall(v element) {
	clean := false
	defer func() {
		if !clean && v != nil {
			s.books.Discarded(v)
		}
	}()
	s.call(v)
	clean = true
}

func (s *clumsySubscriber) OnError(err error) {
	defer s.Subscriber.OnError(err)
	if s.arg == 4 {
		s.call()
	}
}

func (s *clumsySubscriber) OnComplete() {
	defer s.Subscriber.OnComplete()
	if s.arg == 5 {
		s.call()
	}
}

func (s *clumsySubscriber) Request(n int64) {
	if s.arg == 6 {
		s.call()
	}
	s.up.Request(n)
}

func (s *clumsySubscriber) Cancel() {
	defer s.up.Cancel()
	if s.arg == 7 {
		s.call()
	}
}
