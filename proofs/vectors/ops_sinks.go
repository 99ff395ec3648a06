package vectors

import (
	"math"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/sinks"
)

func init() {
	many := func(name string, make func(*Builder, *Args) *sinks.ManySink[Value]) {
		RegisterSink(name, func(b *Builder, a *Args) Sink { return manySink{make(b, a)} })
	}
	many("unicastBuffer", func(_ *Builder, a *Args) *sinks.ManySink[Value] {
		var opts []sinks.UnicastOption
		if a.Has("tag") {
			opts = append(opts, sinks.OnEnd(func() { a.Record("end") }))
		}
		if a.Has("size") {
			opts = append(opts, sinks.Capacity(a.Int("size")))
		}
		return sinks.Many().Unicast().OnBackpressureBuffer[Value](opts...)
	})
	many("multicastUpstream", func(b *Builder, a *Args) *sinks.ManySink[Value] {
		sink := sinks.Unsafe().ManyWithUpstream[Value](
			sinks.Capacity(a.IntOr("size", 256)), sinks.AutoCancel(a.BoolOr("autoCancel", true)))
		other := a.Pub("other")
		b.OnConnect(func() reactor.Disposable {
			connection, err := sink.SubscribeTo(b.Ctx, other)
			if err != nil {
				panic(err)
			}
			return connection
		})
		return &sink.ManySink
	})
	many("unicastError", func(_ *Builder, _ *Args) *sinks.ManySink[Value] {
		return sinks.Many().Unicast().OnBackpressureError[Value]()
	})
	many("multicastBuffer", func(_ *Builder, a *Args) *sinks.ManySink[Value] {
		return sinks.Many().Multicast().OnBackpressureBuffer[Value](
			sinks.Capacity(a.IntOr("size", 256)), sinks.AutoCancel(a.BoolOr("autoCancel", true)))
	})
	many("multicastBestEffort", func(_ *Builder, _ *Args) *sinks.ManySink[Value] {
		return sinks.Many().Multicast().DirectBestEffort[Value]()
	})
	many("multicastAllOrNothing", func(_ *Builder, _ *Args) *sinks.ManySink[Value] {
		return sinks.Many().Multicast().DirectAllOrNothing[Value]()
	})
	many("replayAll", func(_ *Builder, _ *Args) *sinks.ManySink[Value] { return sinks.Many().Replay().All[Value]() })
	many("replayLatest", func(_ *Builder, _ *Args) *sinks.ManySink[Value] { return sinks.Many().Replay().Latest[Value]() })
	many("replayLatestOrDefault", func(_ *Builder, a *Args) *sinks.ManySink[Value] {
		return sinks.Many().Replay().LatestOrDefault(a.Value("default"))
	})
	many("replayLimit", func(b *Builder, a *Args) *sinks.ManySink[Value] {
		var opts []sinks.LimitOption
		if n := a.IntOr("size", math.MaxInt32); n != math.MaxInt32 {
			opts = append(opts, sinks.History(n))
		}
		if a.Has("ms") {
			opts = append(opts, sinks.TTL(a.Millis("ms")), sinks.On(b.Clock))
		}
		return sinks.Many().Replay().Limit[Value](opts...)
	})
	RegisterSink("one", func(*Builder, *Args) Sink { return oneSink{sinks.One[Value]()} })
	RegisterSink("empty", func(*Builder, *Args) Sink { return emptySink{sinks.Empty[Value]()} })
}

type manySink struct{ *sinks.ManySink[Value] }

func (s manySink) Publisher() Publisher      { return flux.From(s.ManySink) }
func (s manySink) TryNext(v Value) string    { return emitResult(s.TryEmitNext(v)) }
func (s manySink) TryError(err error) string { return emitResult(s.TryEmitError(err)) }
func (s manySink) TryComplete() string       { return emitResult(s.TryEmitComplete()) }
func (s manySink) Subscribers() int          { return s.CurrentSubscriberCount() }

type oneSink struct{ *sinks.OneSink[Value] }

func (s oneSink) Publisher() Publisher      { return mono.FromDirect(s.OneSink) }
func (s oneSink) TryNext(v Value) string    { return emitResult(s.TryEmitValue(v)) }
func (s oneSink) TryError(err error) string { return emitResult(s.TryEmitError(err)) }
func (s oneSink) TryComplete() string       { return emitResult(s.TryEmitEmpty()) }
func (s oneSink) Subscribers() int          { return s.CurrentSubscriberCount() }

type emptySink struct{ *sinks.EmptySink[Value] }

func (s emptySink) Publisher() Publisher      { return mono.FromDirect(s.EmptySink) }
func (s emptySink) TryNext(Value) string      { panic("vectors: an element for a sink that has none") }
func (s emptySink) TryError(err error) string { return emitResult(s.TryEmitError(err)) }
func (s emptySink) TryComplete() string       { return emitResult(s.TryEmitEmpty()) }
func (s emptySink) Subscribers() int          { return s.CurrentSubscriberCount() }

// emitResult returns the name that the format has for r.
func emitResult(r sinks.EmitResult) string {
	switch r {
	case sinks.FailTerminated:
		return "FAIL_TERMINATED"
	case sinks.FailOverflow:
		return "FAIL_OVERFLOW"
	case sinks.FailCancelled:
		return "FAIL_CANCELLED"
	case sinks.FailNonSerialized:
		return "FAIL_NON_SERIALIZED"
	case sinks.FailZeroSubscriber:
		return "FAIL_ZERO_SUBSCRIBER"
	}
	return r.String()
}
