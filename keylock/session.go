package keylock

import (
	"context"
	"crypto/rand"
	"errors"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
)

// session is what a hold has with the backend: the record of its key, from the first
// request for it to its release. It has a goroutine, which ends when the record is
// released or its time to live is over. Everything that follows from the rules of a
// [Backend] is here.
type session struct {
	h    *hold
	ctx  context.Context // ends when the hold gives up, or gives the key back
	stop func()          // ends ctx

	freed chan struct{} // closed when the key was passed on
	once  bool          // the call does not wait
	limit time.Duration // how long a record is relied on, and so for how long answers are waited for

	unheard atomic.Pointer[error] // why it is not known whether the key is held, nil if that is known; means nothing after the grant

	passed bool   // the key was passed on; guarded by h.s.mu, written by the goroutine
	onFree func() // called when that was done, or nil; guarded by h.s.mu

	// What follows belongs to the goroutine.
	nonce    string       // of the latest request; after the grant it does not change, and the holder reads it
	sent     int64        // when the latest request was sent; after the grant, the latest one that was confirmed
	grant    Grant        // the record
	doubt    int64        // when the earliest unanswered request to change the record was sent; 0 if all have an answer
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

// run is what the goroutine of the session does.
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
		if s.refusal != nil {
			defer s.h.refuse(s.refusal)
		}
		s.passOn()
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

// crashed does what is left to do for a session whose goroutine the backend has ended, on a goroutine of its own. Nobody
// knows what the backend has done before.
func (s *session) crashed() {
	h := s.h
	defer h.s.m.sessionEnded()
	defer s.letGoUnknown() // also if the meter ends this goroutine, too
	s.endWatch()
	s.sent = h.clk.now()
	h.s.lock()
	if h.state == contending {
		h.s.unlock()
		s.fail(&Error{Op: h.op.String(), Kind: reactor.ErrGoexit, Key: h.e.key, Detail: "in the backend"})
	} else {
		h.lose(ErrLeaseLost, reactor.ErrGoexit, s.sent) // unlocks
	}
}

// letGoUnknown passes the key on when its holder has let go of it, and removes the record of which nobody knows whether it is there.
func (s *session) letGoUnknown() {
	<-s.ctx.Done()
	defer s.forget(s.nonce, s.sent, true)
	if s.refusal != nil {
		defer s.h.refuse(s.refusal)
	}
	s.passOn()
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
	if onFree != nil {
		defer onFree() // also if the meter ends the goroutine
	}
	h.s.m.goOn(h, next, watch)
}

// after returns the context of requests that are made whether the hold still wants the
// key or not.
func (s *session) after() context.Context { return context.WithoutCancel(s.ctx) }

// compete starts the session of a hold that is the first of its process.
func (h *hold) compete() {
	h.s.m.sessionBegan()
	go h.backed().run()
}
