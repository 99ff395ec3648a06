package operators

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/places"
	"github.com/goreactor/reactor/internal/stage/single"
)

// sharedMono is what MonoCache, MonoShare and the cacheInvalidate operators have in common:
// subscribers of a source of at most one element gather around one run of it, and its
// outcome may be kept for later subscribers. It is the publisher itself: its state outlives
// subscriptions.
type sharedMono[T any] struct {
	protocol.Op
	src reactor.Publisher[T]

	// refCount means that the run is cancelled when no subscriber waits for it any
	// more.
	refCount bool
	// admit decides about the outcome of a run. It guards the user functions that it
	// calls; such a function may end the goroutine, so the decision goes into is.
	admit func(ctx context.Context, sig reactor.Signal[T], is *admission[T])
	// stale reports whether an entry must not be used any more; nil: never. It may panic.
	stale func(v T) bool

	mu    sync.Mutex
	run   *sharedRun[T]     // guarded by mu; nil: none is live
	entry *sharedOutcome[T] // guarded by mu; nil: nothing is kept
}

// admission is the decision about an outcome.
type admission[T any] struct {
	signal reactor.Signal[T] // to be delivered
	keep   bool
	life   *lifetime // how long; nil: for ever
	// kept is called with the entry before it is delivered, delivered after, or with nil
	// if nothing is to be kept; nil: nothing.
	kept, delivered func(*sharedOutcome[T])
}

// sharedOutcome is an outcome that is kept.
type sharedOutcome[T any] struct {
	signal reactor.Signal[T]
	life   *lifetime // nil: no end
	found  bool      // somebody who came later may have it; guarded by the parent's mu
}

func (g *sharedMono[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := single.NewWaiter(ctx, s, g)
	defer g.enter(sub) // also if downstream ends the goroutine
	sub.Introduce()
}

// enter makes sub wait for a run, which sub may begin, or gives sub the outcome that is kept.
func (g *sharedMono[T]) enter(sub *single.Waiter[T]) {
	for {
		g.mu.Lock()
		entry := g.entry
		if entry == nil {
			run := g.join(sub)
			g.mu.Unlock()
			chaos.Yield()
			if sub.IsOver() {
				g.Leave(sub)
			}
			// Others may have joined since: the one that has started the run subscribes it.
			if run != nil && !run.up.IsCancelled() {
				g.src.Subscribe(run.ctx, run)
			}
			return
		}
		entry.found = true
		g.mu.Unlock()
		if g.usable(sub, entry) {
			sub.Settle(entry.signal, nil)
			return
		}
		if sub.IsOver() {
			return
		}
	}
}

// Computable reports whether an outcome is kept about which no function has to be asked, or whether
// an outcome can be computed: see [direct.Is].
func (g *sharedMono[T]) Computable() direct.Way {
	return whole(g.kept() != nil || g.sourceComputable())
}

// Direct implements direct.Source.
func (g *sharedMono[T]) Direct(ctx context.Context) (none T, _ bool, _ error) {
	e := g.kept()
	if e == nil {
		return g.compute(ctx)
	}
	if v, ok := e.signal.Value(); ok {
		return v, true, nil
	}
	return none, false, e.signal.Err()
}

// kept returns the entry, if it may be delivered without a question.
func (g *sharedMono[T]) kept() *sharedOutcome[T] {
	if g.stale != nil {
		return nil
	}
	g.mu.Lock()
	e := g.entry
	if e != nil {
		e.found = true
	}
	g.mu.Unlock()
	if e == nil || e.life.isOver(func(error) {}) { // whoever subscribes then hears of the failure of the clock
		return nil
	}
	return e
}

// join adds sub to the live run; if it has to start one it returns that. mu is held.
func (g *sharedMono[T]) join(sub *single.Waiter[T]) (started *sharedRun[T]) {
	if g.run == nil {
		started = g.start(sub.Ctx)
	}
	g.run.waiting.Add(sub)
	return started
}

// start begins a run for a subscriber with that context. mu is held.
func (g *sharedMono[T]) start(ctx context.Context) *sharedRun[T] {
	// It serves others too, so it outlives this subscriber's context.
	g.run = &sharedRun[T]{parent: g, ctx: context.WithoutCancel(ctx)}
	return g.run
}

// Leave takes sub out of the live run.
func (g *sharedMono[T]) Leave(sub *single.Waiter[T]) {
	chaos.Yield()
	g.mu.Lock()
	run := g.run
	if run == nil {
		g.mu.Unlock()
		return
	}
	if !run.waiting.Remove(sub) {
		g.mu.Unlock()
		return
	}
	abandoned := g.refCount && run.waiting.Len() == 0
	if abandoned {
		g.run = nil
	}
	g.mu.Unlock()
	if abandoned {
		run.up.Cancel()
	}
}

// usable reports whether an entry may still be delivered, and removes it if not. If
// the question fails, sub does.
func (g *sharedMono[T]) usable(sub *single.Waiter[T], e *sharedOutcome[T]) bool {
	unknown := false
	if e.life.isOver(func(err error) {
		unknown = true
		sub.Fail(reactor.OperatorError(sub.Ctx, err, nil))
	}) {
		if !unknown {
			g.invalidate(e)
		}
		return false
	}
	v, ok := e.signal.Value()
	if g.stale == nil || !ok {
		return true
	}
	stale := false
	if !failure.Guard(func() { stale = g.stale(v) }, func(err error) {
		// Removed before anybody hears of it: who subscribes again within the failure is not to get this one, too.
		if g.invalidate(e) {
			defer reactor.Discard(sub.Ctx, v) // also if the subscriber ends the goroutine
		}
		sub.Fail(reactor.OperatorError(sub.Ctx, err, v))
	}) {
		return false
	}
	if stale && g.invalidate(e) {
		reactor.Discard(sub.Ctx, v)
	}
	return !stale
}

// invalidate removes an entry and reports whether it was there.
func (g *sharedMono[T]) invalidate(e *sharedOutcome[T]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.entry != e {
		return false
	}
	g.entry = nil
	return true
}

// forgotten reports whether an entry has been removed before anybody found it, as one is that the scheduler refuses to end.
func (g *sharedMono[T]) forgotten(e *sharedOutcome[T]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.entry != e && !e.found
}

// replaced makes the failure of a user function the outcome in the place of sig, whose
// element is discarded.
func (g *sharedMono[T]) replaced(ctx context.Context, sig reactor.Signal[T], err error) reactor.Signal[T] {
	if v, ok := sig.Value(); ok {
		err = reactor.OperatorError(ctx, err, v)
		reactor.Discard(ctx, v)
	} else if sig.Err() != nil {
		err = whileHandling(ctx, err, sig.Err())
	} else {
		err = reactor.OperatorError(ctx, err, nil)
	}
	return reactor.ErrorSignal[T](err)
}

// sharedRun is the subscriber of one run of the source.
type sharedRun[T any] struct {
	protocol.Inner
	parent  *sharedMono[T]
	ctx     context.Context
	up      protocol.Deferred
	waiting places.List[*single.Waiter[T]] // guarded by parent.mu
	done    bool                           // touched by the signals of the source only
	own     *ownShare[T]                   // of the one who computes the run; nil: nobody does
}

func (r *sharedRun[T]) OnSubscribe(up reactor.Subscription) {
	if r.up.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (r *sharedRun[T]) OnNext(v T) {
	if r.done || r.up.IsCancelled() {
		reactor.DropNext(r.ctx, v)
		return
	}
	r.done = true
	r.end(reactor.NextSignal(v))
}

func (r *sharedRun[T]) OnError(err error) {
	if r.done || !r.up.Close() {
		reactor.DropError(r.ctx, err)
		return
	}
	r.done = true
	r.end(reactor.ErrorSignal[T](err))
}

func (r *sharedRun[T]) OnComplete() {
	if r.up.Close() && !r.done {
		r.done = true
		r.end(reactor.CompleteSignal[T]())
	}
}

// drop discards an element, or reports an error as dropped, that nobody gets.
func (r *sharedRun[T]) drop(sig reactor.Signal[T]) {
	if v, ok := sig.Value(); ok {
		reactor.Discard(r.ctx, v)
	} else if err := sig.Err(); err != nil {
		reactor.DropError(r.ctx, err)
	}
}

// end delivers the outcome to all who wait, and keeps it if it is to be kept.
func (r *sharedRun[T]) end(sig reactor.Signal[T]) {
	var is admission[T]
	failure.InTurn(func() { r.parent.admit(r.ctx, sig, &is) }, func() { r.deliver(is) })
}

func (r *sharedRun[T]) deliver(is admission[T]) {
	g := r.parent
	var entry *sharedOutcome[T]
	chaos.Yield()
	g.mu.Lock()
	waiting := r.waiting.Take()
	if g.run == r {
		g.run = nil
		if is.keep {
			entry = &sharedOutcome[T]{signal: is.signal, life: is.life}
			g.entry = entry
		}
	}
	g.mu.Unlock()
	defer func() { // also if a hook of the scheduler ends the goroutine
		if entry != nil && g.forgotten(entry) {
			entry = nil // nobody else gets it
		}
		r.tellAll(is, entry, waiting)
	}()
	if entry != nil && is.kept != nil {
		is.kept(entry)
	}
}

// tellAll delivers the outcome to those who wait. entry is nil if it is not kept.
func (r *sharedRun[T]) tellAll(is admission[T], entry *sharedOutcome[T], waiting []*single.Waiter[T]) {
	if entry == nil && len(waiting) == 0 && r.own == nil {
		r.drop(is.signal)
	}
	var holders *atomic.Int64
	if entry == nil {
		holders = new(atomic.Int64)
		holders.Store(int64(len(waiting)))
	}
	if r.own != nil {
		r.own.take(is.signal, holders)
	}
	failure.Persist(len(waiting)+2, func(i int) bool { // a subscriber may end the goroutine
		switch {
		case i < len(waiting):
			waiting[i].Settle(is.signal, holders)
		case i == len(waiting):
			if err := is.signal.Err(); err != nil && entry == nil && i > 0 && r.own == nil && !slices.ContainsFunc(waiting, (*single.Waiter[T]).Heard) {
				reactor.DropError(r.ctx, err) // all have left just now
			}
		case is.delivered != nil && (entry != nil || !is.keep):
			is.delivered(entry)
		}
		return true
	})
}
