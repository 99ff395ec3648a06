package operators

import (
	"errors"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// Push implements protocol.Pusher: OnNext without the drain, where nobody else can have anything to do.
// Not inlined, see publishOnSubscriber.Push.
//
//go:noinline
func (s *concatMapSubscriber[T, R]) Push() func(T) {
	if s.prefetch == 0 {
		return s.OnNext
	}
	return func(v T) {
		if s.isAlone() {
			s.nextAlone(v)
		} else {
			s.OnNext(v)
		}
	}
}

// nextAlone goes on to v, as next does for the owner of the drain; what fails is dealt with here.
func (s *concatMapSubscriber[T, R]) nextAlone(v T) {
	called, clean := false, false
	defer func() {
		s.alone = false
		if !clean {
			s.fellAlone(v, called, failure.Recovered(recover()))
		}
	}()
	s.alone = true
	s.refill.Consumed(1) // and nothing to ask for
	p := s.fn(v)
	j, just := p.(*justPublisher[R])
	if !just {
		p = protocol.Trust("concatMap", p)
	}
	called = true
	switch {
	case s.stop.Load():
		pending.Discard(s.discard, v)
	case just:
		s.InFlight.Send(s.PushDown, j.value)
	default:
		s.take(p, v)
	}
	clean = true
}

// fellAlone takes the failure of fn for v or, if that has returned, of what came of it.
func (s *concatMapSubscriber[T, R]) fellAlone(v T, called bool, err error) {
	if called {
		s.DrainCrashed(s, err)
		return
	}
	clean := false
	defer func() {
		if !clean { // a Goexit goes on, of fn or of a hook, and who guards the source is to know that it was told
			s.DrainCrashed(s, failure.Recovered(recover()))
		}
	}()
	s.fnFailed(v, err)
	clean = !errors.Is(err, reactor.ErrGoexit)
}

// isAlone reports whether only the source, whose signals call this, has anything to do: no publisher is at work, everything is
// requested, and the source is not to be asked for more now. The order of the loads counts: the owner of the drain may have taken the
// last element that waited, which only the signals of the source add, and what comes of it is known when the drain is left.
// Somebody who drains afterwards finds nothing, or that the stream has been cancelled.
func (s *concatMapSubscriber[T, R]) isAlone() bool {
	if !s.inner.arbiter.IsUnbounded() || !s.queue.IsEmpty() {
		return false
	}
	chaos.Yield()
	if s.drain.Active() || s.refill.Left() <= 1 {
		return false
	}
	chaos.Yield()
	// In this order: a failure that is held back comes before the end of its publisher.
	return !s.active.Load() && !s.done.Load() && !s.stop.Load()
}

// rests reports to who drains, and has seen no publisher at work, that there is nothing to do: nothing has come, or a publisher is
// at work after all. The source, which goes on without the drain, may have subscribed to it since; what has come behind its element,
// be it the end, shows that.
func (s *concatMapSubscriber[T, R]) rests(done bool) bool {
	switch {
	case s.prefetch == 0: // such a source never goes on by itself
		return false
	case !done && s.queue.IsEmpty():
		return true
	}
	chaos.Yield()
	return s.active.Load()
}

// enter takes an element as the owner of the drain: past the queue, if nothing waits and no publisher is at work.
func (s *concatMapSubscriber[T, R]) enter(v T) {
	active := s.active.Load()
	chaos.Yield()
	if !active && !s.done.Load() && s.queue.IsEmpty() { // in this order: a failure that is held back comes before the end of its publisher
		s.enterWith(v)
	} else if s.queue.Offer(v) {
		s.drain.Loop(s)
	} else {
		failure.InTurn(func() { s.drain.Leave(s) }, func() { s.overflow(v) }) // each may end the goroutine
	}
}

// enterWith goes on to v, which has not been in the queue.
func (s *concatMapSubscriber[T, R]) enterWith(v T) {
	clean := false
	defer func() {
		if !clean {
			s.drain.Fell(s, recover())
		}
	}()
	s.next(v, false)
	clean = true
	s.drain.Leave(s)
}
