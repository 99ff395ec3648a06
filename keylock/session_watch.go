package keylock

import (
	"context"

	"github.com/goreactor/reactor/internal/failure"
)

// awaitFree waits until the record seems to be gone, or the hold gives up.
func (s *session) awaitFree() {
	if s.once {
		s.lookOnce()
		return
	}
	for s.ctx.Err() == nil {
		ev, ok := s.nextEvent()
		if !ok || !s.see(ev) {
			continue
		}
		if left := s.owed(ev); left > 0 {
			s.sleep(s.ctx, left) // the holder may not have noticed yet
		}
		s.foreign = false
		return
	}
}

// lookOnce lets a call that does not wait ask once more if the request was refused
// because of a mark that an earlier record left behind.
func (s *session) lookOnce() {
	ev, err := s.read(s.ctx, s.limit)
	switch {
	case err != nil:
		s.fail(s.unanswered(err))
	case s.looked || !s.see(ev):
		s.fail(&Error{Op: s.h.op.String(), Kind: ErrWaitTimeout, Key: s.h.e.key, Detail: "it is held, and the call does not wait"})
	case s.owed(ev) > 0:
		s.fail(&Error{
			Op: s.h.op.String(), Kind: ErrWaitTimeout, Key: s.h.e.key, Detail: "its last holder may not know yet that its lease is over, and the call does not wait",
		})
	}
	s.looked = true
}

// see notes the state of the key and reports whether it is free.
func (s *session) see(ev Event) (free bool) {
	s.unheard.Store(nil)
	if ev.Kind == Occupied {
		s.foreign = true
		s.h.s.m.sawToken(ev.Grant.Token)
		return false
	}
	s.revision = ev.Revision
	return true
}

// nextEvent waits for news of the key. A watch may be silent or impossible, so it
// looks by itself from time to time.
func (s *session) nextEvent() (ev Event, ok bool) {
	pause := s.h.s.m.ttl / 2
	if s.events == nil && !s.startWatch() {
		pause = s.backOff()
	}
	ring := make(chan struct{})
	halt, err := s.h.clk.after(jitter(pause), func() { close(ring) })
	if err != nil {
		s.fail(s.h.noTimer(err))
		return ev, false
	}
	defer halt()
	select {
	case ev, ok = <-s.events:
		if !ok {
			s.endWatch()
			s.sleep(s.ctx, s.backOff())
			return ev, false
		}
		s.failures = 0
		return ev, true
	case <-ring:
		if ev, err = s.read(s.ctx, s.limit); err != nil {
			s.notHeard(err)
		}
		return ev, err == nil
	case <-s.ctx.Done():
		return ev, false
	}
}

// startWatch begins to watch the key, and reports whether it could.
func (s *session) startWatch() bool {
	ctx, cancel := context.WithCancel(s.ctx)
	var events <-chan Event
	var err error
	failure.Guard(func() { events, err = s.h.s.m.backend.Watch(ctx, s.h.e.key) }, func(thrown error) { err = thrown })
	if err != nil || events == nil {
		cancel()
		return false
	}
	s.events, s.unwatch = events, cancel
	return true
}

// endWatch ends the watch, if there is one.
func (s *session) endWatch() {
	if s.unwatch != nil {
		s.unwatch()
	}
	s.events, s.unwatch = nil, nil
}
