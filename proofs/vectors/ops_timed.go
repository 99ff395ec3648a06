package vectors

import (
	"context"
	"encoding/json"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

func init() {
	RegisterFluxSource("timed", func(b *Builder, a *Args) flux.Flux[Value] {
		events := parseEvents(a.Raw("events"))
		produce := func(s *flux.Sink[Value]) {
			s.OnDispose(schedule(b, events, func(e event) {
				switch v, _ := e.signal.Value(); e.signal.Kind() {
				case reactor.KindNext:
					s.Next(v)
				case reactor.KindError:
					s.Error(e.signal.Err())
				default:
					s.Complete()
				}
			}))
		}
		if a.Bool("push") {
			return flux.Push(produce, overflow(a))
		}
		return flux.Create(produce, overflow(a))
	})
	RegisterMonoSource("monoTimed", func(b *Builder, a *Args) mono.Mono[Value] {
		only := event{after: a.Millis("at")}
		only.read(a)
		return mono.Create(func(s *mono.Sink[Value]) {
			s.OnDispose(schedule(b, []event{only}, func(e event) {
				switch v, _ := e.signal.Value(); e.signal.Kind() {
				case reactor.KindNext:
					s.Success(v)
				case reactor.KindError:
					s.Error(e.signal.Err())
				default:
					s.Complete()
				}
			}))
		})
	})
}

// overflow is the strategy of a source that is made of a function.
func overflow(a *Args) flux.OverflowStrategy {
	strategy, ok := map[string]flux.OverflowStrategy{
		"buffer": flux.OverflowBuffer, "drop": flux.OverflowDrop, "latest": flux.OverflowLatest,
		"error": flux.OverflowError, "ignore": flux.OverflowIgnore,
	}[a.StrOr("overflow", "buffer")]
	if !ok {
		panic("vectors: " + a.name + ": unknown overflow " + a.Str("overflow"))
	}
	return strategy
}

// event is one entry of a timed source.
type event struct {
	after  time.Duration
	signal reactor.Signal[Value]
}

func (e *event) read(a *Args) {
	switch {
	case a.Has("next"):
		e.signal = reactor.NextSignal(a.Value("next"))
	case a.Has("error"):
		e.signal = reactor.ErrorSignal[Value](a.Error("error"))
	case a.Bool("complete"):
		e.signal = reactor.CompleteSignal[Value]()
	default:
		panic("vectors: " + a.name + ": an event without a signal")
	}
}

func parseEvents(raw json.RawMessage) []event {
	var nodes []node
	if err := json.Unmarshal(raw, &nodes); err != nil {
		panic("vectors: timed: " + err.Error())
	}
	events := make([]event, len(nodes))
	for i, n := range nodes {
		a := &Args{name: "timed", node: n}
		events[i].after = a.Millis("at")
		events[i].read(a)
	}
	return events
}

// schedule puts an action for each event on the clock; it returns what takes back
// those that have not run.
func schedule(b *Builder, events []event, act func(event)) (dispose func()) {
	var tasks []reactor.Disposable
	for _, e := range events {
		h, err := b.Clock.ScheduleAfter(func(context.Context) { act(e) }, e.after)
		if err != nil {
			panic(err)
		}
		tasks = append(tasks, h)
	}
	return func() {
		for _, h := range tasks {
			h.Dispose()
		}
	}
}
