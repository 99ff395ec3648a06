package protocol

import (
	"context"

	"github.com/goreactor/reactor"
)

// strict stands between a stage of this module and a foreign subscriber: it
// checks requests (§3.9), keeps signals serial (§1.3) although the context may
// end at any time, lets nothing follow a terminal signal (§1.7), holds demand
// back until OnSubscribe has returned, and survives a subscriber that panics
// (§2.13).
type strict[T any] struct {
	Inner
	ctx     context.Context
	out     Half[T]     // out.Down is the foreign subscriber
	link    Deferred    // to upstream
	stop    func() bool // ends the watch over ctx; written before the subscriber is called, read after
	started bool        // touched by OnSubscribe only
}

func newStrict[T any](ctx context.Context, s reactor.Subscriber[T]) *strict[T] {
	return &strict[T]{ctx: ctx, out: Half[T]{Down: s}}
}

func (s *strict[T]) OnSubscribe(up reactor.Subscription) {
	if s.started {
		up.Cancel() // §2.5, §2.12
		return
	}
	s.started = true
	// Hold the serialiser: a context that ends now waits for OnSubscribe.
	s.out.wip.Store(1)
	if s.ctx.Done() != nil {
		s.stop = context.AfterFunc(s.ctx, s.ctxDone)
		if s.ctx.Err() != nil {
			// Ended before: say so now, not when some goroutine gets round to it.
			s.ctxDone()
		}
	}
	if !s.introduce() {
		up.Cancel()
		return
	}
	if s.out.wip.Add(-1) != 0 {
		s.guarded(func() bool { s.out.deliver(); return true })
	}
	s.link.Set(up)
}

// introduce calls OnSubscribe and reports whether the subscriber survived it.
func (s *strict[T]) introduce() (ok bool) {
	defer func() {
		if !ok {
			s.broken(Recovered(recover()))
		}
	}()
	s.out.Down.OnSubscribe(s)
	return true
}

func (s *strict[T]) OnNext(v T) {
	if s.link.IsCancelled() {
		reactor.Discard(s.ctx, v)
		return
	}
	clean := false
	defer func() {
		if !clean {
			s.broken(Recovered(recover()))
		}
	}()
	if !s.out.Next(v) {
		reactor.DropNext(s.ctx, v)
	}
	clean = true
}

func (s *strict[T]) OnError(err error) { s.end(reactor.NonNil(err)) }

func (s *strict[T]) OnComplete() { s.end(nil) }

// end passes the terminal signal of upstream on.
func (s *strict[T]) end(err error) {
	live := s.link.Close()
	s.unwatch()
	if live && s.guarded(func() bool { return s.out.End(err) }) {
		return
	}
	if err != nil {
		reactor.DropError(s.ctx, err)
	}
}

// Request passes demand on. n ≤ 0 ends the stream with the error of §3.9.
func (s *strict[T]) Request(n int64) {
	if n > 0 {
		s.link.Request(n)
		return
	}
	if s.link.CancelOnce() {
		s.unwatch()
		s.guarded(func() bool { return s.out.End(reactor.IllegalRequest(n)) })
	}
}

func (s *strict[T]) Cancel() {
	s.link.Cancel()
	s.unwatch()
}

// ctxDone runs when the context ends.
func (s *strict[T]) ctxDone() {
	if s.link.CancelOnce() {
		s.guarded(func() bool { return s.out.End(reactor.NonNil(context.Cause(s.ctx))) })
	}
}

func (s *strict[T]) unwatch() {
	if s.stop != nil {
		s.stop()
	}
}

// guarded runs fn, which may call the subscriber.
func (s *strict[T]) guarded(fn func() bool) (done bool) {
	clean := false
	defer func() {
		if !clean {
			done = true
			s.broken(Recovered(recover()))
		}
	}()
	done = fn()
	clean = true
	return done
}

// broken is called when the subscriber panicked in a callback: it counts as
// cancelled and gets nothing more, not even OnError (§2.13). The serialiser
// stays taken for ever.
func (s *strict[T]) broken(err error) {
	s.Cancel()
	s.out.claim(err)
	s.out.wip.Add(2)
	reactor.DropError(s.ctx, err)
}
