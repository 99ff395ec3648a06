package books

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Why a shared stage may forget an error.
const (
	whenUnheard = "an error that finds no subscriber is forgotten, as the vectors see"
	byRails     = "a rail that is cancelled says nothing of an error that all rails have, as the vectors see"
	whenKept    = "what is kept for those who come later is nobody's when all have left"
)

// sharing are the stages that several subscribers share. Each has elements of its own: what comes up to the stage has
// ended when it is with one of them, or kept for those who come.
var sharing = []*stage{
	{name: "share", kids: 1, forgets: whenUnheard, several: bySharers, build: func(u use) publisher {
		return u.together(u.branches(2)(operators.Share(u.kid(0)))...)
	}},
	{name: "publish refCount", kids: 1, forgets: whenUnheard, several: bySharers, build: func(u use) publisher {
		p := operators.Publish(u.kid(0), operators.Prefetch(1+u.arg))
		return u.together(u.branches(2)(operators.RefCount(p, 1+u.arg%2))...)
	}},
	{name: "refCount with grace", kids: 1, forgets: whenUnheard, several: bySharers, build: func(u use) publisher {
		p := operators.RefCount(operators.Publish(u.kid(0)), 1+u.arg%2, operators.Grace(tick), u.on())
		return u.together(u.branches(2)(p)...)
	}},
	{name: "publish autoConnect", kids: 1, forgets: whenUnheard, several: bySharers, build: func(u use) publisher {
		p := operators.AutoConnect(operators.Publish(u.kid(0), operators.Prefetch(1+u.arg)), 1+u.arg%2, operators.OnConnect(u.connected))
		return u.together(u.branches(2)(p)...)
	}},
	{name: "publishSelector", kids: 1, forgets: whenUnheard, several: bySharers, build: func(u use) publisher {
		branches := u.branches(1 + u.arg%3)
		return operators.PublishSelector(u.kid(0), func(shared publisher) publisher {
			u.call()
			return u.together(branches(shared)...)
		}, operators.Prefetch(1+u.arg))
	}},
	{name: "cache", kids: 1, forgets: whenKept, several: bySharers, build: func(u use) publisher {
		// Nobody can stop the run of a cache, so its source has an end.
		end := operators.Create(func(s *operators.FluxSink[int]) { u.atEnd(s.Complete) })
		return u.kept(operators.Cache(operators.TakeUntilOther(u.signals(0), end)))
	}},
	{name: "replay refCount", kids: 1, forgets: whenKept, several: bySharers, build: func(u use) publisher {
		return u.kept(operators.RefCount(operators.Replay(u.signals(0), operators.History(1+u.arg)), 1+u.arg%2))
	}},
	{name: "replay autoConnect", kids: 1, forgets: whenKept, several: bySharers, build: func(u use) publisher {
		return u.kept(operators.AutoConnect(operators.Replay(u.signals(0)), 1, operators.OnConnect(u.connected)))
	}},
	{name: "mono publish", kids: 1, forgets: whenUnheard, several: bySharers, build: func(u use) publisher {
		// Each subscriber that leaves discards the element for itself, as Reactor's do: what comes up counts as kept.
		shared := operators.MonoPublish(operators.Next(u.signals(0)), func(shared reactor.Publisher[int]) reactor.Publisher[int] {
			u.call()
			return operators.Next(operators.Merge(shared, operators.Take(shared, 1)))
		})
		return u.again(shared)
	}},
}

// kept are two subscribers of a stage that keeps what it has.
func (u use) kept(shared reactor.Publisher[int]) publisher {
	return u.together(u.again(shared), u.again(shared))
}

// connected has a connection ended when all is over: it outlives its subscribers.
func (u use) connected(d reactor.Disposable) { u.atEnd(d.Dispose) }

// cutting are the stages that put elements into slices, windows, groups or rails. They are taken out again.
var cutting = []*stage{
	{name: "buffer", kids: 1, build: func(u use) publisher {
		return operators.FlatMapSlice(operators.Buffer(u.kid(0), 1+u.arg), flat)
	}},
	{name: "buffer skipping", kids: 1, build: func(u use) publisher {
		return operators.ConcatMapSlice(operators.Buffer(u.kid(0), 1+u.arg/2, operators.Stride(2+u.arg)), flat)
	}},
	{name: "bufferUntil", kids: 1, build: func(u use) publisher {
		return operators.ConcatMapSlice(operators.BufferUntil(u.kid(0), func(v element) bool { u.call(v); return number(v)%3 == 0 }), flat)
	}},
	{name: "bufferTimeout", kids: 1, build: func(u use) publisher {
		return operators.ConcatMapSlice(operators.BufferTimeout(u.kid(0), 1+u.arg, tick, u.on()), flat)
	}},
	{name: "fair bufferTimeout", kids: 1, build: func(u use) publisher {
		return operators.ConcatMapSlice(operators.BufferTimeout(u.kid(0), 1+u.arg, tick, u.on(), operators.FairBackpressure()), flat)
	}},
	{name: "bufferOther", kids: 2, build: func(u use) publisher {
		return operators.ConcatMapSlice(operators.BufferOther(u.kid(0), u.signals(1)), flat)
	}},
	{name: "bufferWhen", kids: 2, build: func(u use) publisher {
		once := operators.Delay(tick, u.on())
		buffers := operators.BufferWhen(u.kid(0), once, func(int64) reactor.Publisher[int] { u.call(); return u.signals(1) })
		return operators.ConcatMapSlice(buffers, flat)
	}},
	{name: "collect", kids: 1, build: func(u use) publisher { return operators.FlatMapSlice(operators.CollectSlice(u.kid(0)), flat) }},
	{name: "sort", kids: 1, build: func(u use) publisher {
		return operators.Sort(u.kid(0), func(a, b element) int { u.call(); return number(b) - number(a) })
	}},
	{name: "window", kids: 1, several: byWindows, build: func(u use) publisher {
		return u.flatten(operators.Window(u.kid(0), 1+u.arg/2, window))
	}},
	{name: "windowUntil", kids: 1, several: byWindows, build: func(u use) publisher {
		return u.flatten(operators.WindowUntil(u.kid(0), func(v element) bool { u.call(v); return number(v)%3 == 0 }, window))
	}},
	{name: "windowTimeout", kids: 1, several: byWindows, build: func(u use) publisher {
		return u.flatten(operators.WindowTimeout(u.kid(0), 1+u.arg/2, tick, window, u.on()))
	}},
	{name: "fair windowTimeout", kids: 1, several: byWindows, build: func(u use) publisher {
		return u.flatten(operators.WindowTimeout(u.kid(0), 1+u.arg/2, tick, window, u.on(), operators.FairBackpressure()))
	}},
	{name: "windowOther", kids: 2, several: byWindows, build: func(u use) publisher {
		return u.flatten(operators.WindowOther(u.kid(0), u.signals(1), window))
	}},
	{name: "windowWhen", kids: 2, several: byWindows, build: func(u use) publisher {
		once := operators.Delay(tick, u.on())
		return u.flatten(operators.WindowWhen(u.kid(0), once, func(int64) reactor.Publisher[int] { u.call(); return u.signals(1) }, window))
	}},
	{name: "windowFor", kids: 1, several: byWindows, build: func(u use) publisher {
		return u.flatten(operators.WindowFor(u.kid(0), period, window, u.on()))
	}},
	{name: "groupBy", kids: 1, several: byWindows, build: func(u use) publisher {
		return u.flatten(operators.GroupBy(u.kid(0), func(v element) int { u.call(v); return number(v) % (1 + u.arg/2) },
			func(_ int, g publisher) publisher { return g }, operators.Prefetch(1+u.arg)))
	}},
	{name: "parallel", kids: 1, forgets: byRails, several: byWindows, build: func(u use) publisher {
		rails := operators.Parallel(u.kid(0), 1+u.arg%3, operators.Prefetch(1+u.arg))
		if u.arg%2 == 0 {
			rails = operators.ParallelRunOn(rails, u.scheduler)
		}
		return operators.ParallelSequential(operators.ParallelRails(rails, func(rail publisher) publisher {
			return operators.Map(rail, u.through)
		}))
	}},
	{name: "parallel groups", kids: 1, forgets: byRails, several: byWindows, build: func(u use) publisher {
		return u.flatten(operators.ParallelGroups(operators.Parallel(u.kid(0), 1+u.arg%3), func(_ int, rail publisher) publisher { return rail }))
	}},
	{name: "parallel ordered", kids: 1, forgets: byRails, several: byWindows, build: func(u use) publisher {
		return operators.ParallelOrdered(operators.Parallel(u.kid(0), 1+u.arg%3), func(a, b element) int { u.call(); return number(a) - number(b) })
	}},
}
