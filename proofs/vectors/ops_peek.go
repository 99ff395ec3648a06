package vectors

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

func init() {
	type F = flux.Flux[Value]
	type M = mono.Mono[Value]

	RegisterFluxOp("doFirst", func(_ *Builder, f F, a *Args) Publisher { return f.DoFirst(a.event("first")) })
	RegisterMonoOp("doFirst", func(_ *Builder, m M, a *Args) Publisher { return m.DoFirst(a.event("first")) })

	subscribed := func(a *Args) func(reactor.Subscription) {
		return func(reactor.Subscription) {
			a.Record("subscribe")
			a.fail()
		}
	}
	RegisterFluxOp("doOnSubscribe", func(_ *Builder, f F, a *Args) Publisher { return f.DoOnSubscribe(subscribed(a)) })
	RegisterMonoOp("doOnSubscribe", func(_ *Builder, m M, a *Args) Publisher { return m.DoOnSubscribe(subscribed(a)) })

	requested := func(a *Args) func(int64) {
		return func(n int64) { a.RecordRequest("request", n) }
	}
	RegisterFluxOp("doOnRequest", func(_ *Builder, f F, a *Args) Publisher { return f.DoOnRequest(requested(a)) })
	RegisterMonoOp("doOnRequest", func(_ *Builder, m M, a *Args) Publisher { return m.DoOnRequest(requested(a)) })

	RegisterFluxOp("poke", func(b *Builder, f F, a *Args) Publisher {
		poke := b.poke(a)
		switch on := a.Str("on"); on {
		case "subscribe":
			return f.DoOnSubscribe(func(reactor.Subscription) { poke() })
		case "request":
			return f.DoOnRequest(func(int64) { poke() })
		case "next":
			return f.DoOnNext(func(Value) { poke() })
		case "terminate":
			return f.DoOnTerminate(poke)
		case "cancel":
			return f.DoOnCancel(poke)
		default:
			panic("vectors: poke on " + on)
		}
	})
	RegisterMonoOp("poke", func(b *Builder, m M, a *Args) Publisher {
		poke := b.poke(a)
		switch on := a.Str("on"); on {
		case "subscribe":
			return m.DoOnSubscribe(func(reactor.Subscription) { poke() })
		case "request":
			return m.DoOnRequest(func(int64) { poke() })
		case "next":
			return m.DoOnNext(func(Value) { poke() })
		case "terminate":
			return m.DoOnTerminate(poke)
		case "cancel":
			return m.DoOnCancel(poke)
		default:
			panic("vectors: poke on " + on)
		}
	})

	RegisterFluxOp("doOnNext", func(b *Builder, f F, a *Args) Publisher {
		if b.Try() {
			return f.TryDoOnNext(a.tap())
		}
		return f.DoOnNext(a.throwingTap())
	})
	RegisterMonoOp("doOnNext", func(b *Builder, m M, a *Args) Publisher {
		if b.Try() {
			return m.TryDoOnNext(a.tap())
		}
		return m.DoOnNext(a.throwingTap())
	})

	RegisterFluxOp("doOnComplete", func(_ *Builder, f F, a *Args) Publisher { return f.DoOnComplete(a.event("complete")) })
	RegisterMonoOp("doOnSuccess", func(_ *Builder, m M, a *Args) Publisher {
		return m.DoOnSuccess(func(v Value, ok bool) {
			if ok {
				a.RecordValue("success", v)
			} else {
				a.Record("success")
			}
			a.fail()
		})
	})

	failed := func(a *Args) func(error) {
		return func(err error) {
			a.RecordError("error", err)
			a.fail()
		}
	}
	RegisterFluxOp("doOnError", func(_ *Builder, f F, a *Args) Publisher { return f.DoOnError(failed(a)) })
	RegisterMonoOp("doOnError", func(_ *Builder, m M, a *Args) Publisher { return m.DoOnError(failed(a)) })

	RegisterFluxOp("doOnTerminate", func(_ *Builder, f F, a *Args) Publisher { return f.DoOnTerminate(a.event("terminate")) })
	RegisterMonoOp("doOnTerminate", func(_ *Builder, m M, a *Args) Publisher { return m.DoOnTerminate(a.event("terminate")) })

	RegisterFluxOp("doAfterTerminate", func(_ *Builder, f F, a *Args) Publisher {
		return f.DoAfterTerminate(a.event("afterTerminate"))
	})
	RegisterMonoOp("doAfterTerminate", func(_ *Builder, m M, a *Args) Publisher {
		return m.DoAfterTerminate(a.event("afterTerminate"))
	})

	RegisterFluxOp("doOnCancel", func(_ *Builder, f F, a *Args) Publisher { return f.DoOnCancel(a.event("cancel")) })
	RegisterMonoOp("doOnCancel", func(_ *Builder, m M, a *Args) Publisher { return m.DoOnCancel(a.event("cancel")) })

	over := func(a *Args) func(reactor.SignalKind) {
		return func(how reactor.SignalKind) {
			a.Record("finally:" + how.String())
			a.fail()
		}
	}
	RegisterFluxOp("doFinally", func(_ *Builder, f F, a *Args) Publisher { return f.DoFinally(over(a)) })
	RegisterMonoOp("doFinally", func(_ *Builder, m M, a *Args) Publisher { return m.DoFinally(over(a)) })

	each := func(a *Args) func(context.Context, reactor.Signal[Value]) {
		return func(_ context.Context, s reactor.Signal[Value]) {
			switch s.Kind() {
			case reactor.KindNext:
				v, _ := s.Value()
				a.RecordValue("each:next", v)
			case reactor.KindError:
				a.RecordError("each:error", s.Err())
			default:
				a.Record("each:complete")
			}
		}
	}
	RegisterFluxOp("doOnEach", func(_ *Builder, f F, a *Args) Publisher { return f.DoOnEach(each(a)) })
	RegisterMonoOp("doOnEach", func(_ *Builder, m M, a *Args) Publisher { return m.DoOnEach(each(a)) })

	tapped := func(a *Args) func(context.Context) *flux.SignalListener[Value] {
		return func(context.Context) *flux.SignalListener[Value] { return listener(a) }
	}
	RegisterFluxOp("tap", func(_ *Builder, f F, a *Args) Publisher { return f.Tap(tapped(a)) })
	RegisterMonoOp("tap", func(_ *Builder, m M, a *Args) Publisher { return m.Tap(tapped(a)) })
	RegisterFluxOp("checkpoint", func(_ *Builder, f F, _ *Args) Publisher { return f.Checkpoint("here") })
	RegisterMonoOp("checkpoint", func(_ *Builder, m M, _ *Args) Publisher { return m.Checkpoint("here") })

	discarded := func(a *Args) func(Value) {
		return func(v Value) { a.RecordValue("discard", v) }
	}
	RegisterFluxOp("doOnDiscard", func(_ *Builder, f F, a *Args) Publisher { return f.DoOnDiscard(discarded(a)) })
	RegisterMonoOp("doOnDiscard", func(_ *Builder, m M, a *Args) Publisher { return m.DoOnDiscard(discarded(a)) })

	RegisterFluxOp("hide", func(_ *Builder, f F, _ *Args) Publisher { return f.Hide() })
	RegisterMonoOp("hide", func(_ *Builder, m M, _ *Args) Publisher { return m.Hide() })

	RegisterFluxOp("contextWrite", func(_ *Builder, f F, a *Args) Publisher {
		return f.ContextWriteValue(contextKey(a.Str("key")), a.Value("v"))
	})
	RegisterMonoOp("contextWrite", func(_ *Builder, m M, a *Args) Publisher {
		return m.ContextWriteValue(contextKey(a.Str("key")), a.Value("v"))
	})
	RegisterFluxOp("addCtx", func(_ *Builder, f F, a *Args) Publisher {
		return f.TransformDeferredContext(func(ctx context.Context, f F) F { return f.Map(adder(ctx, a)) })
	})
	RegisterMonoOp("addCtx", func(_ *Builder, m M, a *Args) Publisher {
		return m.TransformDeferredContext(func(ctx context.Context, m M) M { return m.Map(adder(ctx, a)) })
	})
}

// listener records what tap hears of.
func listener(a *Args) *flux.SignalListener[Value] {
	event := func(name string) func() { return func() { a.Record("tap:" + name) } }
	failed := func(name string) func(error) { return func(err error) { a.RecordError("tap:"+name, err) } }
	return &flux.SignalListener[Value]{
		First: event("first"), Subscription: event("subscription"), Cancel: event("cancel"),
		Next:     func(v Value) { a.RecordValue("tap:next", v) },
		Complete: event("complete"), Error: failed("error"),
		AfterComplete: event("afterComplete"), AfterError: failed("afterError"),
		Finally: func(how reactor.SignalKind) { a.Record("tap:finally:" + how.String()) },
	}
}

// event returns the function that records an event, and throws if the operator
// has the argument fail.
func (a *Args) event(name string) func() {
	return func() {
		a.Record(name)
		a.fail()
	}
}

func (a *Args) fail() {
	if a.Bool("fail") {
		panic(Boom("tap"))
	}
}

// tap records elements and fails at the one that failAt names.
func (a *Args) tap() func(Value) error {
	return func(v Value) error {
		a.RecordValue("next", v)
		if a.Has("failAt") && int64(a.Int("failAt")) == Num(v) {
			return Boom("tap")
		}
		return nil
	}
}

func (a *Args) throwingTap() func(Value) {
	tap := a.tap()
	return func(v Value) {
		if err := tap(v); err != nil {
			panic(err)
		}
	}
}

type contextKey string

// adder adds the integer of the context.
func adder(ctx context.Context, a *Args) func(Value) Value {
	var n int64
	if v := ctx.Value(contextKey(a.Str("key"))); v != nil {
		n = Num(v)
	}
	return func(v Value) Value { return Num(v) + n }
}
