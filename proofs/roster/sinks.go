package roster

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

// history is kept for those who come later, and nobody says when it is not.
var history = Traits{Swallows: true, Lingers: true}

// sinking are the sinks, made stages: each subscriber has a sink of its own, into which goes
// what the source sends.
func sinking[T any]() []Stage[T] {
	return []Stage[T]{
		plain("sink, unicast buffering", partial, fed(func() sink[T] { return sinks.Many().Unicast().OnBackpressureBuffer[T]() })),
		plain("sink, unicast bounded", partial, fed(func() sink[T] {
			return sinks.Many().Unicast().OnBackpressureBuffer[T](sinks.Capacity(2))
		})),
		plain("sink, unicast failing", partial, fed(func() sink[T] { return sinks.Many().Unicast().OnBackpressureError[T]() })),
		plain("sink, multicast buffering", partial, fed(func() sink[T] { return sinks.Many().Multicast().OnBackpressureBuffer[T]() })),
		plain("sink, multicast bounded", partial, fed(func() sink[T] {
			return sinks.Many().Multicast().OnBackpressureBuffer[T](sinks.Capacity(2))
		})),
		plain("sink, all or nothing", partial, fed(func() sink[T] { return sinks.Many().Multicast().DirectAllOrNothing[T]() })),
		plain("sink, best effort", partial, fed(func() sink[T] { return sinks.Many().Multicast().DirectBestEffort[T]() })),
		plain("sink, replaying all", history, fed(func() sink[T] { return sinks.Many().Replay().All[T]() })).keeping("subscribers may come"),
		plain("sink, replaying the latest", history, fed(func() sink[T] { return sinks.Many().Replay().Latest[T]() })).keeping("subscribers may come"),
		plain("sink, replaying a default", history, fed(func() sink[T] { return sinks.Many().Replay().LatestOrDefault(*new(T)) })).keeping("subscribers may come"),
		plain("sink, replaying some", history, fed(func() sink[T] { return sinks.Many().Replay().Limit[T](sinks.History(2)) })).keeping("subscribers may come"),
		onScheduler("sink, replaying for a time", history, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return fed(func() sink[T] { return sinks.Many().Replay().Limit[T](sinks.TTL(1000), sinks.On(s)) })(src)
		}).keeping("subscribers may come"),
		plain("sink, unsafe", partial, fed(func() sink[T] { return sinks.Unsafe().Many().Unicast().OnBackpressureBuffer[T]() })),
		plain("sink for one", Traits{Single: true, Swallows: true, Lingers: true}, fed(func() sink[T] { return promised[T]{sinks.One[T]()} })).keeping("subscribers may come"),
		plain("sink with upstream", partial, func(src Publisher[T]) Publisher[T] { return upstreamSink[T]{src, nil} }),
		plain("sink with upstream, two at a time", partial, func(src Publisher[T]) Publisher[T] {
			return upstreamSink[T]{src, []sinks.MulticastOption{sinks.Capacity(2)}}
		}),
	}
}

// sink is what the sinks for elements have in common.
type sink[T any] interface {
	Source() Publisher[T]
	TryEmitNext(v T) sinks.EmitResult
	TryEmitError(err error) sinks.EmitResult
	TryEmitComplete() sinks.EmitResult
}

// promised is a sink for one element.
type promised[T any] struct{ *sinks.OneSink[T] }

func (p promised[T]) TryEmitNext(v T) sinks.EmitResult  { return p.TryEmitValue(v) }
func (p promised[T]) TryEmitComplete() sinks.EmitResult { return p.TryEmitEmpty() }

// fed makes a stage of a sink.
func fed[T any](open func() sink[T]) func(src Publisher[T]) Publisher[T] {
	return func(src Publisher[T]) Publisher[T] { return fedSink[T]{src, open} }
}

type fedSink[T any] struct {
	src  Publisher[T]
	open func() sink[T]
}

func (p fedSink[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	f := &producer[T]{ctx: ctx, sink: p.open()}
	operators.DoOnCancel(f.sink.Source(), f.up.Cancel).Subscribe(ctx, s)
	p.src.Subscribe(ctx, f)
}

// producer emits into a sink what it gets. What the sink does not take it discards.
type producer[T any] struct {
	protocol.Inner
	ctx  context.Context
	sink sink[T]
	up   protocol.Deferred
}

func (f *producer[T]) OnSubscribe(up reactor.Subscription) {
	if f.up.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (f *producer[T]) OnNext(v T) {
	if f.sink.TryEmitNext(v) != sinks.OK {
		reactor.Discard(f.ctx, v)
	}
}

func (f *producer[T]) OnError(err error) {
	if f.sink.TryEmitError(err) != sinks.OK {
		reactor.DropError(f.ctx, err)
	}
}

func (f *producer[T]) OnComplete() { f.sink.TryEmitComplete() }

// upstreamSink is a sink for each subscriber that subscribes to src by itself.
type upstreamSink[T any] struct {
	src  Publisher[T]
	opts []sinks.MulticastOption
}

func (p upstreamSink[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	u := sinks.Spec{}.ManyWithUpstream[T](p.opts...)
	u.Source().Subscribe(ctx, s)
	if _, err := u.SubscribeTo(ctx, p.src); err != nil {
		reactor.DropError(ctx, err)
	}
}
