package keylock

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// lock is a subscription to a source under a key, without the type of its elements: it
// waits, subscribes, and gives the key back at the first of the end of the source, the
// end of the lease and the cancellation. Who ends link has come first.
type lock struct {
	protocol.Inner
	h     hold
	extra extra
	ctx   context.Context // of the subscription
	on    schedulers.Scheduler
	stage lockStage
	out   protocol.Half     // serialises elements with the end of the lease
	link  protocol.Deferred // to the source; collects demand while the key is waited for
	way   delivery          // how a grant gets to granted
}

// lockStage is the part that knows the type.
type lockStage interface {
	// subscribe subscribes to the source.
	subscribe()
	// complete passes the completion on, with the element of a Mono before it.
	complete()
	// drop discards what was kept, now and later.
	drop()
}

// begin hands l down as the subscription, and then asks for the key.
func (l *lock) begin(p *lockedCall, ctx context.Context, stage lockStage, down protocol.Signals) {
	l.ctx, l.on, l.stage = ctx, p.call.on, stage
	l.out.Down = down
	l.h.extra = &l.extra
	l.extra.sink, l.extra.onOver = l, l
	p.m.setUp(&l.h, ctx, p.op, p.key, &p.call)
	defer l.ask(p, ctx) // also if downstream ends the goroutine
	down.OnSubscribe(l)
}

// ask asks for the key, unless downstream has cancelled.
func (l *lock) ask(p *lockedCall, ctx context.Context) {
	if l.link.IsCancelled() {
		return
	}
	asked := false
	defer func() {
		if !asked { // the meter has ended the goroutine
			l.unasked(failure.Recovered(recover()))
		}
	}()
	got, err := l.h.request(p.key, &p.call)
	asked = true
	switch {
	case err != nil:
		l.failed(err)
	case got == gotIt:
		l.granted(ctx)
	default:
		chaos.Yield()
		if l.link.IsCancelled() {
			l.h.abandonQueued() // Cancel came before there was something to give up
		}
	}
}

// unasked ends the stream because the meter has ended the goroutine that asked. The key may have been granted meanwhile, and
// the source may run on a worker: then the source is cancelled before the key is given back.
func (l *lock) unasked(err error) {
	defer l.h.abandonQueued() // Cancel may have come before there was something to give up
	l.way.take()
	l.link.CancelAnd(func() { // also if the meter ends the goroutine again
		defer l.out.End(err)
		defer l.stage.drop()
		l.h.abandonQueued()
	})
}

// settled is told the end of the wait.
func (l *lock) settled(err error) { l.h.settledTo(l.on, &l.way, l, err) }

// granted goes on with the source.
func (l *lock) granted(context.Context) {
	if !l.way.take() || l.link.IsCancelled() {
		l.h.release()
		return
	}
	l.stage.subscribe()
}

// failed ends a wait without a grant.
func (l *lock) failed(err error) {
	if l.link.Close() {
		l.out.End(err)
	}
}

// over is told the end of the lease.
func (l *lock) over(err error) {
	l.way.take()
	l.link.CancelAnd(func() { // also if a function that hears of it ends the goroutine
		defer l.out.End(err)
		defer l.stage.drop()
		l.h.release()
	})
}

func (l *lock) OnSubscribe(up reactor.Subscription) { l.link.Set(up) }

func (l *lock) OnError(err error) {
	switch {
	case l.link.Close():
		l.stage.drop()
		defer l.freed(err) // also if the stream that has the key now goes on here, and ends the goroutine
		l.h.release()
		return
	case l.out.Calling():
		// The failure of an element on its way down gets there after a cancellation, too.
	default:
		if !belated.IsEnd(&l.h, err) { // else it is the end of the context that we have ended
			reactor.DropError(l.ctx, err)
		}
		return
	}
	l.sourceFailed(err)
}

// freed tells the failure of the source when the key was given back.
func (l *lock) freed(err error) {
	if l.out.Calling() {
		l.sourceFailed(err) // at once: an element is on its way down in this very call, which can't wait for a backend
		return
	}
	l.h.whenFree(func() { l.sourceFailed(err) })
}

func (l *lock) sourceFailed(err error) {
	if unheard := l.out.SourceEnd(err); unheard != nil {
		reactor.DropError(l.ctx, unheard)
	}
}

func (l *lock) OnComplete() {
	if !l.link.Close() {
		return
	}
	defer l.h.whenFree(l.stage.complete) // as in OnError
	l.h.release()
}

// Request passes demand to the source, now or when it is subscribed to.
func (l *lock) Request(n int64) { l.link.Request(n) }

// Cancel gives up the wait, or cancels the source and gives the key back.
func (l *lock) Cancel() {
	defer l.stage.drop() // also if a function that hears of it ends the goroutine
	l.way.take()
	l.link.CancelAnd(l.h.abandonQueued)
}

// keeping says where the element of a Mono is.
type keeping struct{ state atomic.Int32 }

const (
	keptNothing = iota
	keptValue
	keptGone // it was taken or discarded, or will be discarded if it comes
)

// keep puts the element in, or reports false: nobody wants it.
func (k *keeping) keep() bool { return k.state.CompareAndSwap(keptNothing, keptValue) }

// take takes the element out, and reports whether there was one.
func (k *keeping) take() bool { return k.state.CompareAndSwap(keptValue, keptGone) }

// close lets nothing in any more, and reports whether there was an element.
func (k *keeping) close() bool { return k.state.Swap(keptGone) == keptValue }

// gone reports whether nothing is let in any more.
func (k *keeping) gone() bool { return k.state.Load() == keptGone }

// request asks for the key on behalf of a stream. If the result is queued, the stream is told the end of its wait, or was told
// already. If the meter ends the goroutine, the caller has to give up what was asked for.
func (h *hold) request(key string, c *call) (arrival, error) {
	m := h.s.m
	if m.reentered(h.parent, key) != nil {
		return failed, m.reentrance(h.op.String(), key)
	}
	got, err := h.ask(key, c)
	switch got {
	case gotIt:
		return got, h.watchOrRelease()
	case failed:
		return got, m.refused(err)
	}
	m.measure.waiting(1)
	if err := h.waitAtMost(c.wait); err != nil && h.giveUp() {
		h.stopWaiting()
		return failed, err
	}
	return got, nil
}

// abandonQueued is abandon for a call that may not have asked yet.
func (h *hold) abandonQueued() {
	h.s.lock()
	asked := h.e != nil
	h.s.unlock()
	if asked {
		h.abandon()
		h.stopWaiting()
	}
}
