package keylock

import (
	"context"
	"crypto/rand"
	"strconv"
	"time"

	"github.com/goreactor/reactor"
)

// acquire competes for the record and reports whether the hold has the key now. If
// not, its caller has given up, or was told why.
func (s *session) acquire() bool {
	for s.ctx.Err() == nil {
		seen := s.h.s.m.highest.Load()
		s.unheard.CompareAndSwap(nil, &errUnheard) // the key was free
		s.sent = s.h.clk.now()
		g, err := s.try()
		switch answerOf(err) {
		case done:
			if s.accept(g, seen) {
				return true
			}
		case never:
			s.fail(&Error{Op: s.h.op.String(), Kind: reactor.ErrIllegalArgument, Key: s.h.e.key, Cause: err})
		case no:
			s.failures = 0
			s.unheard.Store(nil)
			s.awaitFree()
		case unknown:
			s.notHeard(err)
			s.behind(func(nonce string, sent int64) { s.forget(nonce, sent, true) })
			if s.once {
				s.fail(s.unanswered(err))
				break
			}
			if !s.sleep(s.ctx, s.backOff()) && s.ctx.Err() == nil {
				s.fail(err) // without a clock it would ask again at once, and again
			}
		}
	}
	return false
}

// try asks for the record, and if there is no answer, what has become of it. The
// error is unknown only if there is no answer to that either, or if the request may
// yet be carried out.
func (s *session) try() (g Grant, err error) {
	b := s.h.s.m.backend
	r := Request{Key: s.h.e.key, Owner: s.h.s.m.owner, Nonce: s.nonce, TTL: s.h.s.m.ttl, Revision: s.revision}
	err = s.call(s.ctx, s.limit, func(ctx context.Context) error { g, err = b.TryAcquire(ctx, r); return err })
	if answerOf(err) != unknown {
		return g, err
	}
	if ev, failed := s.read(s.ctx, s.limit); failed == nil && ev.Kind == Occupied && ev.Grant.Nonce == s.nonce {
		return ev.Grant, nil
	}
	return g, err
}

// read asks for the state of the key, for as long as ctx lives: that of the session if
// only the hold wants to know.
func (s *session) read(ctx context.Context, limit time.Duration) (ev Event, err error) {
	err = s.call(ctx, limit, func(ctx context.Context) error {
		ev, err = s.h.s.m.backend.Read(ctx, s.h.e.key)
		return err
	})
	return ev, err
}

// accept takes a record that was granted, unless it is of no use: then it is released.
func (s *session) accept(g Grant, seen uint64) bool {
	h, m := s.h, s.h.s.m
	s.grant, s.doubt = g, 0
	m.sawToken(g.Token)
	m.marks.forget(h.e.key)
	now := h.clk.now()
	record := later(s.sent, s.limit)
	var err error
	switch {
	case g.Token <= seen:
		err = m.count(regressedCount, &Error{
			Op: h.op.String(), Kind: ErrTokenRegressed, Key: h.e.key, Token: g.Token, Detail: "token " + strconv.FormatUint(seen, 10) + " was seen before",
		})
	case now >= record: // the answer took longer than the record is good for
	case h.take(g.Token, record, now):
		if err = s.watch(); err == nil {
			s.tellGranted()
			return true
		}
		err = h.noTimer(err)
	}
	if !s.release() {
		s.behind(func(nonce string, sent int64) { s.forget(nonce, sent, false) })
	}
	s.nonce = rand.Text() // the old one is spent
	if err != nil {
		s.fail(err)
	}
	return false
}

// watch sets the timers of a hold that has got the key. If the clock refuses them, or ends the goroutine, watch undoes the grant, of which
// the caller was not told yet; unless the caller has given up meanwhile, and so has given the key back.
func (s *session) watch() error {
	h, watched := s.h, false
	defer func() {
		if watched {
			return
		}
		h.s.lock()
		left := h.state != held
		var stop stops
		if !left {
			h.state = contending
			h.until.Store(0)
			stop = h.unset(true)
		}
		h.s.unlock()
		stop.all()
		if left {
			h.s.m.measure.granted(h) // its end has been counted
		}
	}()
	err := h.watch()
	watched = err == nil
	return err
}

// tellGranted lets the caller know that it has the key, also if the meter ends the goroutine.
func (s *session) tellGranted() {
	h := s.h
	defer func() {
		if h.waiter() == nil {
			h.wake(nil)
		} else {
			go h.wake(nil) // who goes on within that, see On, may take long: the record has to be renewed
		}
	}()
	h.s.m.measure.granted(h)
}

// take makes h the holder, if its caller still waits.
func (h *hold) take(token uint64, record, now int64) bool {
	h.s.lock()
	defer h.s.unlock()
	if h.state != contending {
		return false
	}
	h.record = record
	h.s.hand(h, token)
	h.start(now)
	return true
}

// fail ends the competition. A caller that still waits is told err, when the key was passed
// on: so the next call of that caller comes behind those who wait now.
func (s *session) fail(err error) {
	h := s.h
	h.s.lock()
	waits := h.state == contending
	if waits {
		h.state = refused
	}
	h.s.unlock()
	s.stop()
	if !waits {
		return // it was told something else, which counts
	}
	s.refusal = err
	if e, ok := err.(*Error); ok && e.Kind == ErrWaitTimeout {
		h.s.m.add(waitTimeoutCount)
	}
}

// notHeard notes why there is no answer, unless that is because nobody wants one any more.
func (s *session) notHeard(err error) {
	if s.ctx.Err() == nil {
		why := err
		s.unheard.Store(&why)
	}
}

// unanswered is the error of a call that can't wait until the backend answers.
func (s *session) unanswered(err error) error {
	return &Error{Op: s.h.op.String(), Kind: ErrWaitTimeout, Key: s.h.e.key, Detail: "no answer from the backend", Cause: err}
}

// sawToken remembers the highest token of the backend.
func (m *Manager) sawToken(token uint64) {
	for {
		highest := m.highest.Load()
		if token <= highest || m.highest.CompareAndSwap(highest, token) {
			return
		}
	}
}
