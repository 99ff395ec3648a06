package keylock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"time"

	"github.com/goreactor/reactor/schedulers"
)

// keep renews the record until the hold gives the key back, or has lost it. It reports
// whether the record is certainly gone.
func (s *session) keep() (gone bool) {
	h, interval := s.h, s.h.s.m.ttl/3
	// From the request on, not from its answer: that may have taken long.
	due := func() time.Duration {
		return time.Duration(later(s.sent, interval-mathrand.N(interval/5+1)) - h.clk.now())
	}
	pause := due()
	for s.sleep(s.ctx, pause) {
		left := time.Duration(later(s.sent, s.limit) - h.clk.now())
		if left <= 0 {
			return false // hold.timeUp says so
		}
		// Who answers late may have gone: there has to be time to ask again.
		err := s.renew(min(left, interval/2))
		switch answerOf(err) {
		case done:
			h.renewed(later(s.sent, s.limit))
			pause = due()
		case no, never:
			h.s.lock()
			h.lose(ErrLeaseLost, err, h.clk.now()) // unlocks
			return answerOf(err) == no
		case unknown:
			pause = jitter(interval / 8)
		}
	}
	return false
}

// renew renews the record once. If there is no answer, or a refusal behind a request
// without an answer, it reads the record to find out whether one of these requests has
// renewed it. Then it goes by the time of the first of them: the record lives at least as
// long as that says.
func (s *session) renew(left time.Duration) error {
	start := s.h.clk.now()
	var g Grant
	err := s.call(s.ctx, left, func(ctx context.Context) (err error) {
		g, err = s.h.s.m.backend.Renew(ctx, s.grant, s.h.s.m.ttl)
		return err
	})
	switch a := answerOf(err); {
	case a == done:
		s.grant, s.sent, s.doubt = g, start, 0
		return nil
	case a == never, a == no && s.doubt == 0:
		return err
	case s.doubt == 0:
		s.doubt = start
	}
	ev, failed := s.read(s.ctx, left)
	switch {
	case failed != nil:
		return failed
	case ev.Kind != Occupied || ev.Grant.Nonce != s.nonce:
		return fmt.Errorf("the record is %v: %w", ev.Kind, ErrHeld)
	case ev.Grant.Revision == s.grant.Revision:
		return errNotYet
	}
	s.grant, s.sent, s.doubt = ev.Grant, s.doubt, 0
	return nil
}

// errNotYet is an answer that says nothing: a renewal may yet be carried out.
var errNotYet = errors.New("not carried out yet")

// renewed moves the end of the record.
func (h *hold) renewed(record int64) {
	h.s.lock()
	defer h.s.unlock()
	h.record = record
	h.limit()
}

// release asks the backend to remove the record, and reports whether it is gone.
func (s *session) release() (gone bool) {
	if s.doubt != 0 {
		ev, err := s.read(s.after(), s.limit)
		switch {
		case err != nil:
			return false
		case ev.Kind != Occupied || ev.Grant.Nonce != s.nonce:
			return true
		}
		s.grant = ev.Grant
	}
	return s.remove(s.grant) && (s.doubt == 0 || s.isGone(s.nonce))
}

// remove asks once for the removal of a record, and reports whether there was an
// answer.
func (s *session) remove(g Grant) bool {
	err := s.call(s.after(), s.limit, func(ctx context.Context) error { return s.h.s.m.backend.Release(ctx, g) })
	return answerOf(err) != unknown
}

// isGone reports whether the record with that nonce is certainly not there.
func (s *session) isGone(nonce string) bool {
	ev, err := s.read(s.after(), s.limit)
	return err == nil && (ev.Kind != Occupied || ev.Grant.Nonce != nonce)
}

// behind lets fn look after the record that was asked for, on a goroutine of its own;
// the session goes on with another nonce.
func (s *session) behind(fn func(nonce string, sent int64)) {
	nonce, sent := s.nonce, s.sent
	s.nonce = rand.Text()
	s.h.s.m.sessionBegan()
	go func() {
		defer s.h.s.m.sessionEnded()
		fn(nonce, sent)
	}()
}

// forget removes the record with that nonce as soon as it can. It gives up when a record
// that was requested at sent has outlived its time to live. If late, the request may
// still be on its way, so forget looks for the record until then.
func (s *session) forget(nonce string, sent int64, late bool) {
	m := s.h.s.m
	for pause := m.ttl / 32; s.h.clk.now() < later(sent, m.ttl); pause = min(2*pause, m.ttl/4) {
		ev, err := s.read(s.after(), s.limit)
		switch {
		case err != nil:
		case ev.Kind == Occupied && ev.Grant.Nonce == nonce:
			if s.remove(ev.Grant) && s.isGone(nonce) {
				return
			}
		case !late:
			return
		}
		if !s.sleep(context.Background(), jitter(pause)) {
			return
		}
	}
}

// whenFree calls fn when the backend has answered the release, at once without one.
func (h *hold) whenFree(fn func()) {
	if h.backed() != nil {
		h.s.lock()
		wait := !h.backed().passed
		if wait {
			h.backed().onFree = fn
		}
		h.s.unlock()
		if wait {
			return
		}
	}
	fn()
}

// settle waits on the goroutine of a holder until the backend has answered the
// release, if it may wait. The next caller, in whichever process, then finds the key
// free.
func (h *hold) settle() {
	if h.backed() == nil || schedulers.CheckBlocking(h.parent, "keylock.Release") != nil {
		return
	}
	late := make(chan struct{})
	stop, err := h.clk.after(h.s.m.ttl, func() { close(late) })
	if err != nil {
		return
	}
	defer stop()
	select {
	case <-h.backed().freed:
	case <-late:
	}
}
