package keylock

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// Mono returns a Mono that holds key while source runs. When it is subscribed to, it
// waits for the key and then subscribes to source; when source has ended, it gives the
// key back, and then it passes the element and the end on.
//
//	source:  ----- a |
//	         Mono(key, source)
//	out:     ----- a |      key is free; if it is held, all that comes later
//
// Each subscription is a call of its own, and none blocks a goroutine. Demand goes to
// source. A failed wait ends the stream with the error of [Manager.Acquire]. The
// context of source ends with the lease: then source is cancelled, the stream fails
// with [ErrLeaseExpired] or [ErrLeaseLost], whatever the policy, and source does not
// hold the key any longer. Cancellation gives up the wait, or cancels source and gives
// the key back. A function of source that does not end with its context then runs on
// beside the next holder; [Manager.Do], in contrast, waits for its function.
//
// source is subscribed to on the goroutine of the subscriber if the key is free, else
// on a worker of schedulers.Parallel() or of what [On] names. [Reentrant] works as for
// [Manager.Do]; [Grace] and [Repanic] have no effect here. An option that can't be used
// panics.
func (m *Manager) Mono[T any](key string, source mono.Mono[T], opts ...CallOption) mono.Mono[T] {
	return mono.FromDirect[T](&lockedMono[T]{lockedCall: m.locked(byMono, key, opts), src: source.Source()})
}

// Flux returns a Flux that holds key while source runs, see [Manager.Mono]. Elements
// pass as they come; the key is given back when source has ended, before the end is
// passed on. A subscriber that requests nothing keeps the key for as long as the lease
// lasts.
//
//	source:  ----- a --- b |
//	         Flux(key, source)
//	out:     ----- a --- b |      key is free; if it is held, all that comes later
func (m *Manager) Flux[T any](key string, source flux.Flux[T], opts ...CallOption) flux.Flux[T] {
	return flux.From[T](&lockedFlux[T]{lockedCall: m.locked(byFlux, key, opts), src: source.Source()})
}

// Grant returns a Mono of the right to key; the subscriber that gets the lease has to
// release it. A lease that was granted and will not be delivered frees its key. If the
// lease ends before the scheduler delivers it, the stream fails with [ErrLeaseExpired]
// or [ErrLeaseLost].
//
//	         Grant(key)
//	out:     lease |      key is free; if it is held, later
//
// Each subscription is a call of its own; cancellation gives up the wait. The lease
// comes when there is demand, on the goroutine that requests it or on the one that
// [Manager.Mono] describes. The context of the lease is derived from that of the
// subscription.
func (m *Manager) Grant(key string, opts ...CallOption) mono.Mono[Lease] {
	l := m.locked(byGrant, key, opts)
	// The context of the sink ends with the stream, and the lease outlives that.
	return mono.Defer(func(ctx context.Context) mono.Mono[Lease] {
		return mono.Create(func(sink *mono.Sink[Lease]) { l.grant(ctx, sink) })
	})
}

// grant asks for the key on behalf of a subscription to [Manager.Grant].
func (l *lockedCall) grant(ctx context.Context, sink *mono.Sink[Lease]) {
	g := &granting{sink: sink, on: l.call.on}
	g.h.extra = &g.extra
	g.extra.sink, g.extra.onOver = g, g
	l.m.setUp(&g.h, ctx, byGrant, l.key, &l.call)
	sink.OnCancel(g.cancel)
	asked := false
	defer func() {
		// The meter has ended the goroutine. A lease that a worker has handed on meanwhile is not this one's to give back.
		if !asked && (g.way.take() || g.cancelled.Load()) {
			g.h.abandonQueued()
		}
	}()
	got, err := g.h.request(l.key, &l.call)
	asked = true
	switch {
	case err != nil:
		sink.Error(err)
	case got == gotIt:
		g.granted(ctx)
	case g.cancelled.Load():
		g.h.abandonQueued() // there was nothing to give up yet when cancel came
	}
}

// granting is a subscription to [Manager.Grant].
type granting struct {
	h         hold
	extra     extra
	sink      *mono.Sink[Lease]
	on        schedulers.Scheduler
	cancelled atomic.Bool
	way       delivery // of the grant, to granted
}

func (g *granting) cancel() {
	g.cancelled.Store(true)
	chaos.Yield()
	g.way.take()
	g.h.abandonQueued()
}

func (g *granting) settled(err error) { g.h.settledTo(g.on, &g.way, g, err) }

func (g *granting) granted(context.Context) {
	if !g.way.take() {
		g.h.release() // it was cancelled, or its lease is over
		return
	}
	g.sink.Success(Lease{&g.h})
}

func (g *granting) failed(err error) { g.sink.Error(err) }

// over is told the end of the lease, which matters as long as it is nobody's: then nobody else gives the key back.
func (g *granting) over(err error) {
	if g.way.take() {
		defer g.failed(err)
		g.h.release()
	}
}

// lockedCall is what the reactive forms know before somebody subscribes.
type lockedCall struct {
	protocol.Op
	m    *Manager
	key  string
	op   method
	call call
}

func (m *Manager) locked(op method, key string, opts []CallOption) lockedCall {
	c, err := m.callOf(op.String(), key, opts)
	if err != nil {
		panic(err.Error())
	}
	return lockedCall{m: m, key: key, op: op, call: c}
}

type lockedFlux[T any] struct {
	lockedCall
	src reactor.Publisher[T]
}

func (p *lockedFlux[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	if p.inside(ctx) {
		p.src.Subscribe(ctx, down)
		return
	}
	l := &fluxLock[T]{src: p.src, down: down}
	l.begin(&p.lockedCall, ctx, l, down)
}

// fluxLock is a subscription to [Manager.Flux].
type fluxLock[T any] struct {
	lock
	src  reactor.Publisher[T]
	down reactor.Subscriber[T]
}

func (l *fluxLock[T]) subscribe() { l.src.Subscribe(&l.h, l) }

func (l *fluxLock[T]) OnNext(v T) {
	if !l.out.Deliver(l.down, v) {
		reactor.Discard(l.ctx, v)
	}
}

func (l *fluxLock[T]) complete() { l.out.SourceEnd(nil) }

func (l *fluxLock[T]) drop() {}

type lockedMono[T any] struct {
	lockedCall
	src reactor.Publisher[T]
}

func (p *lockedMono[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	if p.inside(ctx) {
		p.src.Subscribe(ctx, down)
		return
	}
	l := &monoLock[T]{src: p.src, down: down}
	l.begin(&p.lockedCall, ctx, l, down)
}

// monoLock is a subscription to [Manager.Mono]. It keeps the element until the key is
// given back.
type monoLock[T any] struct {
	lock
	src   reactor.Publisher[T]
	down  reactor.Subscriber[T]
	value T // written before kept becomes keptValue; then touched by who changes that
	kept  keeping
}

func (l *monoLock[T]) subscribe() { l.src.Subscribe(&l.h, l) }

func (l *monoLock[T]) OnNext(v T) {
	l.value = v
	chaos.Yield()
	if !l.kept.keep() {
		l.value = *new(T)
		reactor.Discard(l.ctx, v)
	}
}

func (l *monoLock[T]) complete() {
	if l.kept.take() {
		single.Last(l.ctx, l.down, l.value)
		return
	}
	if !l.kept.gone() {
		l.down.OnComplete()
	}
}

func (l *monoLock[T]) drop() {
	if l.kept.close() {
		v := l.value
		l.value = *new(T)
		reactor.Discard(l.ctx, v)
	}
}

// inside reports whether the call is to run in a hold that there is already.
func (p *lockedCall) inside(ctx context.Context) bool {
	return p.call.reentrant && p.m.lent(ctx, p.key) != nil
}
