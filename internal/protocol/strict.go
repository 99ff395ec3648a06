package protocol

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/handed"
	"github.com/goreactor/reactor/internal/live"
)

// strict stands between a stage of this module and a foreign subscriber: it
// checks requests (§3.9), keeps signals serial (§1.3) although the context may
// end at any time, lets nothing follow a terminal signal (§1.7), holds demand
// back until OnSubscribe has returned, and survives a subscriber that panics
// (§2.13). All but the elements goes through its edge.
type strict[T any] struct {
	Inner
	edge edge
	down reactor.Subscriber[T] // the foreign subscriber
}

func newStrict[T any](ctx context.Context, s reactor.Subscriber[T]) *strict[T] {
	n := &strict[T]{down: s}
	n.edge.init(ctx, s)
	return n
}

func (s *strict[T]) OnSubscribe(up reactor.Subscription) { s.edge.introduce(up) }

func (s *strict[T]) OnNext(v T) {
	if s.edge.link.IsCancelled() {
		reactor.Discard(s.edge.ctx, v)
		return
	}
	clean := false
	defer s.edge.survive(&clean)
	if !s.edge.out.Deliver(s.down, v) {
		reactor.DropNext(s.edge.ctx, v)
	}
	clean = true
}

func (s *strict[T]) OnError(err error) { s.edge.end(reactor.NonNil(err)) }

func (s *strict[T]) OnComplete() { s.edge.end(nil) }

// edge is the part of a strict that has nothing to do with the type of the
// elements, and the subscription that the foreign subscriber gets.
type edge struct {
	ctx     context.Context
	out     Half        // out.Down is the foreign subscriber
	link    Deferred    // to upstream
	stop    func() bool // ends the watch over ctx; written before the subscriber is called, read after
	started bool        // touched by introduce only
}

// String is for code that prints the subscription: package fmt would read fields that other
// goroutines write meanwhile.
func (e *edge) String() string { return "subscription" }

// init sets the edge up for down, a subscriber of any type, or panics as [checkSubscribe]. Not inlined: called once,
// from the code of every type.
//
//go:noinline
func (s *edge) init(ctx context.Context, down any) {
	checkSubscribe(ctx, down)
	s.ctx, s.out.Down = ctx, down.(Signals)
}

// introduce hands itself down as the subscription, once.
func (s *edge) introduce(up reactor.Subscription) {
	if s.started {
		up.Cancel() // §2.5, §2.12
		reactor.DropError(s.ctx, failure.SecondSubscription())
		return
	}
	s.started = true
	// Hold the serialiser: a context that ends now waits for OnSubscribe.
	s.out.Hold()
	if s.ctx.Done() != nil {
		s.stop = live.WatchContext(s.ctx, (*edgeEnded)(s))
	}
	survived := false
	defer func() { // also if the subscriber ends the goroutine
		if survived {
			s.link.Set(up)
		} else {
			up.Cancel()
		}
	}()
	s.guarded(func() bool { s.out.Down.OnSubscribe(s); survived = true; return true })
	if survived && s.out.letGo() {
		s.guarded(func() bool { s.out.Settle(); return true })
	}
}

// end passes the terminal signal of upstream on.
func (s *edge) end(err error) {
	live := s.link.Close()
	s.unwatch()
	if live && s.guarded(func() bool { return handed.Show(err, s.out.End) }) {
		return
	}
	if err != nil {
		belated.Drop(s.ctx, err)
	}
}

// Request passes demand on. n ≤ 0 ends the stream with the error of §3.9.
func (s *edge) Request(n int64) {
	if n > 0 {
		failure.Outside(func() { s.link.Request(n) })
		return
	}
	s.link.CancelAnd(func() {
		s.unwatch()
		s.guarded(func() bool { return s.out.End(reactor.IllegalRequest(n)) })
	})
}

// Cancel is called by the subscriber, or for it by whatever code has its subscription.
func (s *edge) Cancel() { failure.Outside(s.cancel) }

func (s *edge) cancel() {
	s.unwatch()
	s.link.Cancel()
}

// edgeEnded is the edge in its role of hearing of the end of the context: the subscriber, which has
// the edge as its subscription, does not see that role.
type edgeEnded edge

// ContextEnded implements [live.Ended].
func (e *edgeEnded) ContextEnded() {
	s := (*edge)(e)
	s.link.CancelAnd(func() {
		s.guarded(func() bool { return s.out.End(reactor.NonNil(context.Cause(s.ctx))) })
	})
}

func (s *edge) unwatch() {
	if s.stop != nil {
		s.stop()
	}
}

// guarded runs fn, which may call the subscriber. The result is true also if the
// subscriber did not survive the call: there is nothing left to do.
func (s *edge) guarded(fn func() bool) (done bool) {
	clean := false
	defer s.survive(&clean)
	done = true
	done = fn()
	clean = true
	return done
}

// survive is deferred around calls of the subscriber: unless *clean, it panicked.
func (s *edge) survive(clean *bool) {
	if !*clean {
		s.broken(failure.RecoveredIn("subscribe", recover()))
	}
}

// broken is called when the subscriber panicked in a callback: it counts as
// cancelled and gets nothing more, not even OnError (§2.13). The serialiser
// stays taken for ever.
func (s *edge) broken(err error) {
	s.out.claim(err)
	s.out.word.Add(2 * halfHeld)
	failure.InTurn(s.cancel, func() { reactor.DropError(s.ctx, err) })
}
