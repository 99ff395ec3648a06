package keylock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/schedulers"
)

// session is what a hold has with the backend: the record of its key, from the first
// request for it to its release. It has a goroutine, which ends when the record is
// released or its time to live is over. Everything that follows from the rules of a
// [Backend] is here.
type session struct {
	h    *hold
	ctx  context.Context // ends when the hold gives up, or gives the key back
	stop func()

	freed chan struct{} // closed when the key was passed on
	once  bool          // the call does not wait
	limit time.Duration // how long a record is relied on, and so for how long answers are waited for

	unheard atomic.Pointer[error] // why it is not known whether somebody has the key, nil if it is; of no use after the grant

	passed bool   // the key was passed on; guarded by h.s.mu, written by the goroutine
	onFree func() // called then, or nil; guarded by h.s.mu

	// What follows belongs to the goroutine.
	nonce    string       // of the latest request; the holder reads it, when it does not change any more
	sent     int64        // when the latest request was sent, of a holder the latest one that is confirmed
	grant    Grant        // the record
	doubt    int64        // when the first request to change it was sent that has no answer, 0 if all have
	revision uint64       // of the mark that the last record left behind
	foreign  bool         // somebody's record was seen last
	looked   bool         // lookOnce was called
	failures int          // without an answer, one after the other
	refusal  error        // what the caller is told, if it has not given up
	events   <-chan Event // of the watch, nil if there is none
	unwatch  func()       // ends it
}

// newSession returns the session of h, which does nothing yet.
func newSession(h *hold, once bool) *session {
	inner, stop := context.WithCancel(context.Background())
	s := &session{
		h: h, ctx: sessionContext{inner, h.parent}, stop: stop, nonce: rand.Text(), freed: make(chan struct{}), once: once,
		limit: h.s.m.ttl - h.s.m.margin,
	}
	s.unheard.Store(&errUnheard)
	return s
}

// errUnheard is why there is no answer to the first request, before there is one.
var errUnheard = errors.New("no answer from the backend")

// sessionContext has the values of the caller's context, but not its end.
type sessionContext struct {
	context.Context
	values context.Context
}

func (c sessionContext) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.values.Value(key)
}

// run is the goroutine.
func (s *session) run() {
	defer func() {
		if !s.passed { // the backend has ended the goroutine
			go s.crashed()
			return
		}
		s.h.s.m.sessionEnded()
	}()
	got := s.acquire()
	s.endWatch()
	if !got {
		s.passOn()
		if s.refusal != nil {
			s.h.refuse(s.refusal)
		}
		return
	}
	lost := s.keep()
	<-s.ctx.Done() // under HoldUntilReturn the key stays with a holder that has lost it
	free := lost || s.release()
	defer func() { // also if a stream that was waiting for this ends the goroutine
		if !free {
			s.forget(s.nonce, s.sent, false)
		}
	}()
	s.passOn()
}

// crashed does what is left to do for a session whose goroutine the backend has ended: nobody knows what it has
// done before.
func (s *session) crashed() {
	h := s.h
	defer h.s.m.sessionEnded()
	s.endWatch()
	s.sent = h.clk.now()
	h.s.lock()
	if h.state == contending {
		h.s.unlock()
		s.fail(&Error{Op: h.op.String(), Kind: reactor.ErrGoexit, Key: h.e.key, Detail: "in the backend"})
	} else {
		h.lose(ErrLeaseLost, reactor.ErrGoexit, s.sent) // unlocks
	}
	<-s.ctx.Done()
	defer s.forget(s.nonce, s.sent, true)
	s.passOn()
	if s.refusal != nil {
		h.refuse(s.refusal)
	}
}

// passOn lets the next caller of this process go on.
func (s *session) passOn() {
	h := s.h
	h.s.lock()
	next, watch := h.s.pass(h.e, h.clk)
	s.passed = true
	onFree := s.onFree
	h.s.unlock()
	close(s.freed)
	h.s.m.goOn(h, next, watch)
	if onFree != nil {
		onFree()
	}
}

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

// after returns the context of requests that are made whether the hold still wants the
// key or not.
func (s *session) after() context.Context { return context.WithoutCancel(s.ctx) }

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
		if err = h.watch(); err == nil {
			m.measure.granted(h)
			if h.waiter() == nil {
				h.wake(nil)
			} else {
				go h.wake(nil) // who goes on within that, see On, may take long: the record has to be renewed
			}
			return true
		}
		h.s.lock()
		h.state = contending // nobody knows of the grant
		h.until.Store(0)
		h.s.unlock()
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

// fail ends the competition: the caller is told why, if it still waits, when the key was
// passed on. Its next call then finds what others have left.
func (s *session) fail(err error) {
	h := s.h
	h.s.lock()
	waits := h.state == contending
	if waits {
		h.state = refused
	}
	h.s.unlock()
	s.stop()
	if waits {
		s.refusal = err
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
	return s.h.s.m.count(waitTimeoutCount, &Error{Op: s.h.op.String(), Kind: ErrWaitTimeout, Key: s.h.e.key, Detail: "no answer from the backend", Cause: err})
}

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
		s.fail(s.h.s.m.count(waitTimeoutCount, &Error{Op: s.h.op.String(), Kind: ErrWaitTimeout, Key: s.h.e.key, Detail: "it is held, and the call does not wait"}))
	case s.owed(ev) > 0:
		s.fail(s.h.s.m.count(waitTimeoutCount, &Error{
			Op: s.h.op.String(), Kind: ErrWaitTimeout, Key: s.h.e.key, Detail: "its last holder may not know yet that its lease is over, and the call does not wait",
		}))
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

// renew renews the record once, and finds out whether an earlier request has if there
// is no answer. In doubt it goes by the time of the first request without an answer:
// the record lives longer than that says, not shorter.
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

// forget removes the record with that nonce, for which a request was sent then, as
// soon as it can. It gives up when the record has lived long enough to be gone. If the
// request may still be on its way, it waits for that.
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

// backOff returns how long to wait after a failure.
func (s *session) backOff() time.Duration {
	s.failures++
	return jitter(min(50*time.Millisecond<<min(s.failures-1, 10), s.h.s.m.ttl/3))
}

// answer is what a request to the backend led to.
type answer int

const (
	done    answer = iota
	no             // certainly not done
	never          // nor will it ever be
	unknown        // perhaps
)

func answerOf(err error) answer {
	switch {
	case err == nil:
		return done
	case errors.Is(err, ErrHeld):
		return no
	case errors.Is(err, reactor.ErrIllegalArgument):
		return never
	}
	return unknown
}

// call runs a request with a context that ends with base, and after limit. A panic of
// the backend is an error like any other: nobody knows what it has done.
func (s *session) call(base context.Context, limit time.Duration, fn func(ctx context.Context) error) (err error) {
	ctx, cancel := context.WithCancelCause(base)
	defer cancel(nil)
	stop, err := s.h.clk.after(max(limit, 0), func() { cancel(context.DeadlineExceeded) })
	if err != nil {
		return s.h.noTimer(err)
	}
	defer stop()
	failure.Guard(func() { err = fn(ctx) }, func(thrown error) { err = thrown })
	chaos.Yield()
	return err
}

// sleep waits for d or the end of ctx, and reports whether it was d.
func (s *session) sleep(ctx context.Context, d time.Duration) bool {
	ring := make(chan struct{})
	stop, err := s.h.clk.after(max(d, 0), func() { close(ring) })
	if err != nil {
		return false
	}
	defer stop()
	select {
	case <-ring:
		return true
	case <-ctx.Done():
		return false
	}
}

// jitter returns d, more or less.
func jitter(d time.Duration) time.Duration {
	return d - d/10 + time.Duration(mathrand.Int64N(int64(d/5)+1))
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

// compete starts the session of a hold that is the first of its process.
func (h *hold) compete() {
	h.s.m.sessionBegan()
	go h.backed().run()
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
