package slogstream

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/multicast"
	"github.com/goreactor/reactor/schedulers"
)

// defaultCapacity is how many records wait for a subscriber.
const defaultCapacity = 256

// mostAhead is how many of the records that wait are handed to the scheduler, out of reach of
// newer ones.
const mostAhead = 32

// Handler is a slog.Handler whose records are a stream. It is safe for concurrent use. [NewHandler]
// makes one; the zero Handler can't be used.
type Handler struct {
	hub    *hub
	scopes []scope // of WithGroup and WithAttrs, outermost first; never changed
}

// scope is a group, or attributes.
type scope struct {
	group string // "" for attributes
	attrs []slog.Attr
}

// hub is what a handler and the handlers made from it have in common.
type hub struct {
	level    slog.Leveler
	capacity int
	on       schedulers.Scheduler // nil is schedulers.Parallel()
	dropped  atomic.Int64
	sinks    multicast.Set[*flux.Sink[*entry]] // of the subscribers; it makes no list for each that comes or goes
}

// Option is an option of [NewHandler]: [Capacity], [Level], [On].
type Option interface{ apply(*hub) }

// CapacityOption is how many records wait for a subscriber.
type CapacityOption int

// Capacity sets how many records wait for each slow subscriber; by default 256. 1 stands
// for 2, because one record is on its way. [NewHandler] panics unless n > 0.
func Capacity(n int) CapacityOption { return CapacityOption(n) }

func (o CapacityOption) apply(h *hub) { h.capacity = int(o) }

// LevelOption is the least level.
type LevelOption struct{ level slog.Leveler }

// Level sets the least level of the records; by default slog.LevelInfo. A slog.LevelVar
// can be changed later. Level panics if level is nil.
func Level(level slog.Leveler) LevelOption {
	argument.NotNil("slogstream.level", "level", level)
	return LevelOption{level}
}

func (o LevelOption) apply(h *hub) { h.level = o.level }

// OnOption is the scheduler on which records are delivered.
type OnOption struct{ scheduler schedulers.Scheduler }

// On sets the scheduler on which records are delivered, instead of
// schedulers.Parallel(). It panics if s is nil.
func On(s schedulers.Scheduler) OnOption {
	argument.NotNil("slogstream.on", "scheduler", s)
	return OnOption{s}
}

func (o OnOption) apply(h *hub) { h.on = o.scheduler }

// NewHandler returns a handler that nobody has subscribed to.
func NewHandler(opts ...Option) *Handler {
	h := &hub{level: slog.LevelInfo, capacity: defaultCapacity}
	for _, o := range argument.Options("slogstream.newHandler", opts) {
		o.apply(h)
	}
	argument.Positive("slogstream.newHandler", "capacity", h.capacity)
	return &Handler{hub: h}
}

// Records returns the stream of the records that are logged from the subscription on,
// with the attributes and groups of the logger in each record. The stream never ends by
// itself.
//
// Demand: a record that a subscriber has not requested waits, with at most 255 others,
// see [Capacity]. If one more comes, a record is dropped and counted, see Dropped: the
// oldest of those that are not yet on their way to the subscriber's worker. A quarter of
// the records that may wait, at most 32 and at least one, are on their way: these come
// first, whatever is dropped after them. So a goroutine that logs never waits.
//
// Cancellation: unregisters the subscriber.
//
// Goroutine: a worker of schedulers.Parallel(), see [On], never the goroutine that logs.
// A subscriber that logs for each record that it gets never comes to an end.
func (h *Handler) Records() flux.Flux[slog.Record] {
	ahead := max(1, min(h.hub.capacity/4, mostAhead))
	waiting := flux.Create(h.hub.add, flux.OverflowDrop).
		OnBackpressureBufferFunc(func(*entry) { h.hub.dropped.Add(1) }, flux.Capacity(max(1, h.hub.capacity-ahead)), flux.BufferDropOldest)
	return flux.Defer(func(context.Context) flux.Flux[slog.Record] {
		on := h.hub.on
		if on == nil {
			on = schedulers.Parallel()
		}
		var last *entry
		return waiting.PublishOn(on, flux.Prefetch(ahead)).ContextWrite(hooksOfRecords).Map(func(e *entry) slog.Record {
			if last != nil { // it has arrived, or this would not be called
				last.release()
			}
			last = e
			return e.Record
		})
	})
}

// entry is a record on its way to subscribers.
type entry struct {
	slog.Record
	wanted atomic.Int32 // how many subscribers have not got it; one that misses it never takes itself off
}

// entries are the entries that all subscribers have got. Most of the cost of a record is its
// memory.
var entries = sync.Pool{New: func() any { return new(entry) }}

// release is called by each subscriber that has got the record.
func (e *entry) release() {
	if e.wanted.Add(-1) == 0 {
		e.Record = slog.Record{} // nothing is kept
		entries.Put(e)
	}
}

// hooksOfRecords returns ctx for the stages that carry pointers, since a record is too large to be
// copied at each of them. What hooks get is the record.
func hooksOfRecords(ctx context.Context) context.Context {
	return reactor.WithHooks(ctx, reactor.Hooks{
		Discard:     func(_ context.Context, v any) { reactor.Discard(ctx, record(v)) },
		NextDropped: func(_ context.Context, v any) { reactor.DropNext(ctx, record(v)) },
		OperatorError: func(_ context.Context, err error, v any) error {
			return reactor.OperatorError(ctx, err, record(v))
		},
	})
}

// record returns what v points to if that is a record, else v.
func record(v any) any {
	if e, ok := v.(*entry); ok {
		return e.Record
	}
	return v
}

// Dropped returns how many records subscribers have missed because they were slow; a
// record that two subscribers have missed counts twice.
func (h *Handler) Dropped() int64 { return h.hub.dropped.Load() }

func (h *hub) add(s *flux.Sink[*entry]) {
	h.sinks.Add(s)
	s.OnDispose(func() { h.sinks.Remove(s) })
}

// Enabled implements slog.Handler. It reports whether somebody wants records of the level; package
// slog makes no other records.
func (h *Handler) Enabled(_ context.Context, level slog.Level) bool {
	return h.hub.sinks.Len() > 0 && level >= h.hub.level.Level()
}

// Handle implements slog.Handler. It never fails.
func (h *Handler) Handle(_ context.Context, r slog.Record) error {
	list := h.hub.sinks.Members()
	if len(list) == 0 {
		return nil
	}
	// One for all: each subscriber gets a copy of its own, as good as a further clone.
	if len(h.scopes) > 0 { // a call would copy it in any case
		r = h.complete(r)
	}
	one := entries.Get().(*entry)
	one.Record = r.Clone()
	one.wanted.Store(int32(len(list)))
	for _, s := range list {
		s.Next(one)
	}
	return nil
}

// WithAttrs implements slog.Handler.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h
	}
	if n := len(h.scopes); n > 0 && h.scopes[n-1].group == "" { // one scope, or each record would copy them for each call
		all := append(slices.Clip(h.scopes[n-1].attrs), attrs...)
		return &Handler{h.hub, append(slices.Clip(h.scopes[:n-1]), scope{attrs: all})}
	}
	return h.with(scope{attrs: attrs})
}

// WithGroup implements slog.Handler.
func (h *Handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return h.with(scope{group: name})
}

func (h *Handler) with(s scope) *Handler {
	return &Handler{h.hub, append(slices.Clip(h.scopes), s)}
}

// complete returns r with the attributes and in the groups of the handler.
func (h *Handler) complete(r slog.Record) slog.Record {
	attrs := make([]slog.Attr, 0, r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool { attrs = append(attrs, a); return true })
	for _, s := range slices.Backward(h.scopes) {
		switch {
		case s.group == "":
			attrs = append(slices.Clip(s.attrs), attrs...)
		case len(attrs) > 0: // an empty group is none
			attrs = []slog.Attr{{Key: s.group, Value: slog.GroupValue(attrs...)}}
		}
	}
	out := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	out.AddAttrs(attrs...)
	return out
}

// Over returns a handler that passes each record to next, and a copy to h. A record that h is not
// enabled for goes to next alone. Over panics if next is nil.
//
// Before anybody has set another one, the handler of slog.Default writes through package log, and
// slog.SetDefault makes package log write through slog. So if that handler is the next of a handler
// that is given to slog.SetDefault, it waits for itself, for ever.
func (h *Handler) Over(next slog.Handler) slog.Handler {
	argument.NotNil("slogstream.over", "handler", next)
	return &both{h, next}
}

type both struct {
	own  slog.Handler
	next slog.Handler
}

// Enabled implements slog.Handler.
func (b *both) Enabled(ctx context.Context, level slog.Level) bool {
	return b.own.Enabled(ctx, level) || b.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (b *both) Handle(ctx context.Context, r slog.Record) (err error) {
	if b.own.Enabled(ctx, r.Level) {
		_ = b.own.Handle(ctx, r.Clone())
	}
	if b.next.Enabled(ctx, r.Level) {
		err = b.next.Handle(ctx, r)
	}
	return err
}

// WithAttrs implements slog.Handler.
func (b *both) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &both{b.own.WithAttrs(attrs), b.next.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (b *both) WithGroup(name string) slog.Handler {
	return &both{b.own.WithGroup(name), b.next.WithGroup(name)}
}
