package books

import (
	"context"
	"errors"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// What errors may be heard by, several times.
const (
	byWindows = "windows, groups and rails hear of an error, and so does the stream of them"
	bySharers = "every subscriber hears of an error"
)

// single are stages with one child, element by element.
var single = []*stage{
	{name: "map", kids: 1, build: func(u use) publisher { return operators.Map(u.kid(0), u.through) }},
	{name: "tryMap", kids: 1, build: func(u use) publisher {
		return operators.TryMap(u.kid(0), func(v element) (element, error) { return v, u.try(v) })
	}},
	{name: "tryMapContext", kids: 1, build: func(u use) publisher {
		return operators.TryMapContext(u.kid(0), func(_ context.Context, v element) (element, error) { return v, u.try(v) })
	}},
	{name: "filter", kids: 1, build: func(u use) publisher {
		return operators.Filter(u.kid(0), func(v element) bool { u.call(v); return number(v)%(u.arg+2) != 0 })
	}},
	{name: "handle", kids: 1, build: func(u use) publisher {
		return operators.Handle(u.kid(0), func(v element, s *operators.SyncSink[element]) { u.call(v); s.Next(v) })
	}},
	{name: "mapWhile", kids: 1, build: func(u use) publisher {
		return operators.MapWhile(u.kid(0), func(v element) (element, bool) { u.call(v); return v, number(v)%(u.arg+4) != 0 })
	}},
	{name: "takeWhile", kids: 1, build: func(u use) publisher {
		return operators.TakeWhile(u.kid(0), func(v element) bool { u.call(v); return number(v)%(u.arg+4) != 0 })
	}},
	{name: "takeUntil", kids: 1, build: func(u use) publisher {
		return operators.TakeUntil(u.kid(0), func(v element) bool { u.call(v); return number(v)%(u.arg+4) == 0 })
	}},
	{name: "skipWhile", kids: 1, build: func(u use) publisher {
		return operators.SkipWhile(u.kid(0), func(v element) bool { u.call(v); return number(v)%(u.arg+2) != 0 })
	}},
	{name: "take", kids: 1, build: func(u use) publisher { return operators.Take(u.kid(0), u.arg) }},
	{name: "takeLast", kids: 1, build: func(u use) publisher { return operators.TakeLast(u.kid(0), 1+u.arg) }},
	{name: "skip", kids: 1, build: func(u use) publisher { return operators.Skip(u.kid(0), u.arg) }},
	{name: "skipLast", kids: 1, build: func(u use) publisher { return operators.SkipLast(u.kid(0), u.arg) }},
	{name: "next", kids: 1, build: func(u use) publisher { return operators.Next(u.kid(0)) }},
	{name: "last", kids: 1, build: func(u use) publisher { return operators.LastOr(u.kid(0), nil) }},
	{name: "single", kids: 1, build: func(u use) publisher { return operators.Single(u.kid(0)) }},
	{name: "elementAt", kids: 1, build: func(u use) publisher { return operators.ElementAt(u.kid(0), u.arg) }},
	{name: "distinctIn", kids: 1, build: func(u use) publisher {
		return operators.DistinctIn(u.kid(0), func() *resource { u.call(); return u.books.open("a store of " + u.name()) },
			func(_ *resource, v element) bool { u.call(v); return number(v)%3 != 0 },
			func(r *resource) { r.release(); u.call() })
	}},
	{name: "reduce", kids: 1, build: func(u use) publisher {
		return operators.Reduce(u.kid(0), func(acc, v element) element { u.call(acc, v); u.books.delivered(acc); return v })
	}},
	{name: "doOnNext", kids: 1, build: func(u use) publisher { return operators.DoOnNext(u.kid(0), func(v element) { u.call(v) }) }},
	{name: "doOnRequest", kids: 1, build: func(u use) publisher { return operators.DoOnRequest(u.kid(0), func(int64) { u.call() }) }},
	{name: "doOnSubscribe", kids: 1, build: func(u use) publisher {
		return operators.DoOnSubscribe(u.kid(0), func(reactor.Subscription) { u.call() })
	}},
	{name: "doOnCancel", kids: 1, build: func(u use) publisher { return operators.DoOnCancel(u.kid(0), func() { u.call() }) }},
	{name: "doOnComplete", kids: 1, build: func(u use) publisher { return operators.DoOnComplete(u.kid(0), func() { u.call() }) }},
	{name: "doOnError", kids: 1, build: func(u use) publisher { return operators.DoOnError(u.kid(0), func(error) { u.call() }) }},
	{name: "doFinally", kids: 1, build: func(u use) publisher {
		return operators.Defer(func(context.Context) publisher {
			src := u.kid(0)
			if src == nil {
				return nil // before anything is opened, which nobody would release
			}
			held := u.books.open("what waits for " + u.name())
			return operators.DoFinally(src, func(reactor.SignalKind) { held.release(); u.call() })
		})
	}},
	{name: "doAfterTerminate", kids: 1, build: func(u use) publisher {
		return operators.DoAfterTerminate(u.kid(0), func() { u.call() })
	}},
	{name: "using", kids: 1, build: func(u use) publisher {
		var opts []operators.UsingOption
		if u.arg%2 == 1 {
			opts = append(opts, operators.LateRelease())
		}
		return operators.Using(func(context.Context) (*resource, error) {
			if err := u.try(); err != nil {
				return nil, err
			}
			return u.books.open("a resource of " + u.name()), nil
		}, func(*resource) publisher { u.call(); return u.kid(0) },
			func(r *resource) error { r.release(); return u.try() }, opts...)
	}},
	{name: "mono using", kids: 1, build: func(u use) publisher {
		return operators.MonoUsing(func(context.Context) (*resource, error) { return u.books.open("a resource of " + u.name()), nil },
			func(*resource) publisher { u.call(); return operators.Next(u.kid(0)) },
			func(r *resource) error { r.release(); return u.try() })
	}},
	{name: "foreign", kids: 1, strange: true, build: func(u use) publisher { return foreign{u, u.kid(0)} }},
	{name: "delayElements", kids: 1, build: func(u use) publisher { return operators.DelayElements(u.kid(0), tick, u.on()) }},
	{name: "delaySequence", kids: 1, forgets: delayed, build: func(u use) publisher { return operators.DelaySequence(u.kid(0), tick, u.on()) }},
	{name: "throttle", kids: 1, build: func(u use) publisher {
		return operators.Throttle(u.kid(0), 1+u.arg, tick, operators.Burst(1+u.arg), operators.Prefetch(1+u.arg), u.on())
	}},
	{name: "publishOn", kids: 1, build: func(u use) publisher {
		return operators.PublishOn(u.kid(0), u.scheduler, operators.Prefetch(1+u.arg))
	}},
	{name: "publishOn, errors first", kids: 1, build: func(u use) publisher {
		return operators.PublishOn(u.kid(0), u.scheduler, operators.Prefetch(1+u.arg), operators.EagerErrors())
	}},
	{name: "subscribeOn", kids: 1, build: func(u use) publisher { return operators.SubscribeOn(u.kid(0), u.scheduler) }},
	{name: "cancelOn", kids: 1, build: func(u use) publisher { return operators.CancelOn(u.kid(0), u.scheduler) }},
	{name: "limitRate", kids: 1, build: func(u use) publisher { return operators.LimitRate(u.kid(0), 1+u.arg) }},
	{name: "timeout", kids: 1, build: func(u use) publisher {
		return operators.Timeout(u.kid(0), time.Duration(1+u.arg)*tick, u.on())
	}},
	{name: "onBackpressureBuffer", kids: 1, build: func(u use) publisher { return operators.OnBackpressureBuffer(u.kid(0)) }},
	{name: "onBackpressureBuffer bounded", kids: 1, build: func(u use) publisher {
		return operators.OnBackpressureBuffer(u.kid(0), operators.Capacity(1+u.arg), operators.BufferDropOldest)
	}},
	{name: "onBackpressureLatest", kids: 1, build: func(u use) publisher { return operators.OnBackpressureLatest(u.kid(0)) }},
	{name: "onBackpressureError", kids: 1, build: func(u use) publisher { return operators.OnBackpressureError(u.kid(0)) }},
	{name: "onErrorComplete", kids: 1, build: func(u use) publisher {
		return operators.OnErrorComplete(u.kid(0), operators.WhenError(u.handles))
	}},
	{name: "onErrorReturn", kids: 1, build: func(u use) publisher {
		return operators.OnErrorReturn(u.kid(0), nil, operators.WhenError(u.handles))
	}},
	{name: "onErrorMap", kids: 1, build: func(u use) publisher {
		return operators.OnErrorMap(u.kid(0), func(err error) error {
			u.call()
			u.books.settle(err, "mapped by "+u.name())
			return u.fails()
		})
	}},
	{name: "retry", kids: 1, build: func(u use) publisher {
		return operators.Retry(u.kid(0), operators.Times(1+u.arg%2), operators.WhenError(u.handles))
	}},
	{name: "repeat", kids: 1, build: func(u use) publisher { return operators.Repeat(u.kid(0), operators.Times(1+u.arg%2)) }},
	{name: "materialize", kids: 1, forgets: "an error travels within an element", build: func(u use) publisher {
		return operators.Dematerialize(operators.Materialize[element, reactor.Signal[element]](u.kid(0)))
	}},
	{name: "flatMapSlice", kids: 1, build: func(u use) publisher {
		return operators.FlatMapSlice(u.kid(0), u.list, operators.Prefetch(1+u.arg))
	}},
	{name: "concatMapSlice", kids: 1, build: func(u use) publisher { return operators.ConcatMapSlice(u.kid(0), u.list) }},
	{name: "switchOnFirst", kids: 1, build: func(u use) publisher {
		return operators.SwitchOnFirst(u.kid(0), func(_ reactor.Signal[element], all publisher) publisher { u.call(); return all })
	}},
}

// handles is the filter of what handles errors.
func (u use) handles(err error) bool {
	u.call()
	u.books.forgive(err, "it is handled, unless the stream is over already", "")
	if errors.Is(err, reactor.ErrGoexit) {
		u.books.forgiveExits("it is handled")
	}
	return true
}

func (u use) list(v element) []element {
	u.call(v)
	if number(v)%2 == 0 || !u.more() {
		return []element{v}
	}
	return []element{v, u.produce()}
}

// foreign is a publisher by somebody else, who looks after what becomes of subscriptions.
type foreign struct {
	use
	src publisher
}

func (f foreign) Subscribe(ctx context.Context, s reactor.Subscriber[element]) {
	held := f.books.openLoose("a subscription of " + f.name())
	clean := false
	defer func() {
		if !clean {
			held.release() // whoever is above has failed, and nobody has subscribed
		}
	}()
	f.src.Subscribe(ctx, &between{Subscriber: s, held: held})
	clean = true
}

// between hands on what comes from both sides.
type between struct {
	reactor.Subscriber[element]
	up   reactor.Subscription
	held *resource
}

func (b *between) OnSubscribe(up reactor.Subscription) {
	b.up = up
	clean := false
	defer func() {
		if !clean {
			b.held.release() // as in OnNext
		}
	}()
	b.Subscriber.OnSubscribe(b)
	clean = true
}

func (b *between) Request(n int64)   { b.up.Request(n) }
func (b *between) Cancel()           { b.held.release(); b.up.Cancel() }
func (b *between) OnError(err error) { b.held.release(); b.Subscriber.OnError(err) }
func (b *between) OnComplete()       { b.held.release(); b.Subscriber.OnComplete() }

func (b *between) OnNext(v element) {
	clean := false
	defer func() {
		if !clean {
			b.held.release() // what is below has failed: it counts as cancelled
		}
	}()
	b.Subscriber.OnNext(v)
	clean = true
}
