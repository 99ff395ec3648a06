package tck

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/goreactor/reactor"
)

// flaw is what is wrong with a publisher of the self-check; several can be combined.
type flaw uint64

const (
	oneTooMany           flaw = 1 << iota // sends n+1 elements
	oneTooFew                             // sends n-1 elements
	overproduces                          // sends an element more than each request asks for
	endsOnlyOnDemand                      // completes only when the demand is used up exactly
	neverEnds                             // does not complete
	emptyWaits                            // an empty one completes on request only
	keepsSubscribers                      // refers to subscribers for ever
	goesOn                                // answers requests after the end
	completesOnCancel                     // Cancel sends OnComplete
	deaf                                  // does not watch the context
	deafLater                             // looks at the context at the beginning only
	acceptsNil                            // a nil subscriber is ignored
	noOnSubscribe                         // does not call OnSubscribe
	hashes                                // keeps subscribers in a map
	singleFails                           // the second subscriber gets an error
	singleSilent                          // the second subscriber gets nothing
	differs                               // each subscriber gets other elements
	ignoresReentrant                      // drops requests made within a signal
	recurses                              // sends elements from within Request
	locks                                 // holds a lock while it sends
	answersCancelled                      // sends elements after Cancel
	cancelsOnce                           // a second Cancel panics
	ignoresIllegal                        // Request(0) and less is ignored
	illegalWithoutReason                  // the error of an illegal request does not name the rule
	unstoppable                           // sends everything, whatever was requested or cancelled
	limitsDemand                          // a demand above 2^61 fails
	overflows                             // demand does not saturate
	everyOnItsOwn                         // each signal comes on a goroutine of its own
	ignoresTheSame                        // nothing is called for the second subscriber
	endsOverlap                           // an end from elsewhere does not wait for OnNext
	endsAfterTheEnd                       // the end of the context is told of after the end of the stream
	endsAfterCancel                       // the end of the context is told of after Cancel
	sendsAllRequested                     // Cancel is looked at when the demand is used up
	losesDemand                           // requests at the same time overwrite each other
	failsAgain                            // every illegal request is answered by OnError
	endsAfterFailure                      // the end of the context is told of after a failure
	completesCancelled                    // the last element that is answered by Cancel is followed by OnComplete
	keepsUntilCancel                      // refers to subscribers until they cancel or the stream completes
	doesNotWait                           // a goroutine sends, whether OnSubscribe has returned or not
)

// flawed is a publisher of n integers that keeps the rules but for its flaws.
type flawed struct {
	n     int64
	flaw  flaw
	fails bool // ends with an error at once

	mu     sync.Mutex
	kept   []reactor.Subscriber[int]
	seen   map[reactor.Subscriber[int]]bool
	subs   int
	number int
}

func (p *flawed) has(f flaw) bool { return p.flaw&f != 0 }

// forget forgets the subscribers of a publisher that has one at a time.
func (p *flawed) forget() {
	if p.has(keepsUntilCancel) {
		p.mu.Lock()
		p.kept = nil
		p.mu.Unlock()
	}
}

func (p *flawed) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	if s == nil {
		if p.has(acceptsNil) {
			return
		}
		panic("nil subscriber")
	}
	p.mu.Lock()
	p.subs++
	first := p.subs == 1
	if p.has(keepsSubscribers | keepsUntilCancel) {
		p.kept = append(p.kept, s)
	}
	p.mu.Unlock()
	if p.has(ignoresTheSame) && !first {
		return
	}
	if p.has(hashes) {
		if p.seen == nil {
			p.seen = map[reactor.Subscriber[int]]bool{}
		}
		p.seen[s] = true
	}
	sub := &flawedSubscription{p: p, down: s, left: p.n, lock: make(chan struct{}, 1), context: ctx}
	if p.has(oneTooMany) {
		sub.left++
	}
	if p.has(oneTooFew) {
		sub.left--
	}
	if !p.has(deaf) && ctx.Done() != nil {
		if ctx.Err() != nil {
			s.OnSubscribe(sub)
			sub.end(context.Cause(ctx))
			return
		}
		if !p.has(deafLater) {
			sub.stop = context.AfterFunc(ctx, sub.contextEnded)
		}
	}
	if p.has(noOnSubscribe) {
		s.OnComplete()
		return
	}
	s.OnSubscribe(sub)
	switch {
	case p.fails:
		sub.end(errBoom)
	case p.has(singleFails) && !first:
		sub.end(errors.New("one subscriber only"))
	case p.has(singleSilent) && !first:
		sub.cancelled = true
	case p.n == 0 && !p.has(emptyWaits|neverEnds|oneTooMany):
		sub.end(nil)
	}
}

// flawedSubscription sends on the goroutine that requests. Only the lock makes it fit for
// several.
type flawedSubscription struct {
	p       *flawed
	down    reactor.Subscriber[int]
	context context.Context
	stop    func() bool
	lock    chan struct{}

	mu        sync.Mutex
	left      int64
	demand    int64
	sending   bool
	cancelled bool
	ended     bool
	failed    bool // it has ended with an error
	cancels   int
	calls     int    // of OnNext that are going on
	late      func() // the end, when they have returned
}

func (s *flawedSubscription) contextEnded() {
	s.mu.Lock()
	regardless := s.p.has(endsAfterTheEnd) && s.ended || s.p.has(endsAfterCancel) && s.cancelled || s.p.has(endsAfterFailure) && s.failed
	s.mu.Unlock()
	if regardless {
		s.down.OnError(context.Cause(s.context))
		return
	}
	s.end(context.Cause(s.context))
}

func (s *flawedSubscription) end(err error) {
	s.mu.Lock()
	if s.ended || s.cancelled && err != nil {
		s.mu.Unlock()
		return
	}
	s.ended, s.failed = true, err != nil
	if err == nil {
		s.p.forget()
	}
	down := s.down
	tell := func() {
		if err != nil {
			down.OnError(err)
		} else {
			down.OnComplete()
		}
	}
	wait := s.calls > 0 && !s.p.has(endsOverlap)
	if wait {
		s.late = tell
	}
	s.mu.Unlock()
	if s.stop != nil && !s.p.has(endsAfterTheEnd) && (err == nil || !s.p.has(endsAfterFailure)) {
		s.stop()
	}
	if !wait {
		tell()
	}
}

// next calls OnNext, and tells of the end if that has come meanwhile.
func (s *flawedSubscription) next(v int) {
	s.mu.Lock()
	s.calls++
	s.mu.Unlock()
	s.down.OnNext(v)
	s.mu.Lock()
	s.calls--
	late := s.late
	if s.calls > 0 {
		late = nil
	} else {
		s.late = nil
	}
	s.mu.Unlock()
	if late != nil {
		late()
	}
}

func (s *flawedSubscription) value() int {
	if s.p.has(differs) {
		s.p.number++
		return s.p.number
	}
	return int(s.p.n - s.left)
}

// locked waits for the lock, at most until the check is over.
func (s *flawedSubscription) locked() (unlock func()) {
	select {
	case s.lock <- struct{}{}:
		return func() { <-s.lock }
	case <-s.context.Done():
		return func() {}
	}
}

func (s *flawedSubscription) Request(n int64) {
	has := s.p.has
	if has(locks) {
		defer s.locked()()
	}
	s.mu.Lock()
	switch {
	case has(unstoppable):
		s.mu.Unlock()
		for ; s.left > 0; s.left-- {
			s.down.OnNext(s.value())
		}
		return
	case s.ended && has(goesOn), s.cancelled && has(answersCancelled):
		s.mu.Unlock()
		s.down.OnNext(-1)
		return
	case s.failed && n <= 0 && has(failsAgain):
		s.mu.Unlock()
		s.down.OnError(reactor.IllegalRequest(n))
		return
	case s.ended || s.cancelled:
		s.mu.Unlock()
		return
	case n <= 0:
		s.mu.Unlock()
		switch {
		case has(illegalWithoutReason):
			s.end(fmt.Errorf("no, %w", reactor.ErrIllegalRequest))
		case !has(ignoresIllegal):
			s.end(reactor.IllegalRequest(n))
		}
		return
	case s.sending && has(ignoresReentrant):
		s.mu.Unlock()
		return
	}
	before := s.demand
	if has(losesDemand) {
		s.mu.Unlock()
		runtime.Gosched()
		s.mu.Lock()
	}
	s.demand = before + n
	switch {
	case s.demand < 0 && !has(overflows):
		s.demand = math.MaxInt64
	case s.demand < 0, s.demand > 1<<61 && has(limitsDemand):
		s.mu.Unlock()
		s.end(errors.New("too much"))
		return
	}
	if has(overproduces) {
		s.demand++
	}
	if has(everyOnItsOwn) {
		v := s.value()
		s.left--
		last := s.left == 0
		s.demand = 0
		s.mu.Unlock()
		if last {
			go s.end(nil)
		}
		go s.down.OnNext(v)
		return
	}
	if s.sending && !has(recurses) {
		s.mu.Unlock()
		return
	}
	s.sending = true
	if has(doesNotWait) {
		s.mu.Unlock()
		go s.send()
		return
	}
	s.mu.Unlock()
	s.send()
}

// send sends what was requested, on behalf of all who request meanwhile.
func (s *flawedSubscription) send() {
	has := s.p.has
	s.mu.Lock()
	for s.demand > 0 && s.left > 0 && (!s.cancelled || has(sendsAllRequested)) && !s.ended {
		s.demand--
		v := s.value()
		s.left--
		s.mu.Unlock()
		s.next(v)
		s.mu.Lock()
	}
	s.sending = false
	over := s.left <= 0 && (!s.cancelled || has(completesCancelled)) && !has(neverEnds) && (s.demand == 0 || !has(endsOnlyOnDemand))
	s.mu.Unlock()
	if over {
		s.end(nil)
	}
}

func (s *flawedSubscription) Cancel() {
	if s.p.has(locks) {
		defer s.locked()()
	}
	s.mu.Lock()
	s.cancels++
	again := s.cancels > 1
	complete := s.p.has(completesOnCancel) && !s.cancelled && !s.ended
	s.cancelled = true
	s.p.forget()
	s.mu.Unlock()
	if s.stop != nil && !s.p.has(endsAfterCancel) {
		s.stop()
	}
	if again && s.p.has(cancelsOnce) {
		panic("cancelled twice")
	}
	if complete {
		s.down.OnComplete()
	}
}

// hasty is a publisher that sends an element, on a goroutine of its own, without OnSubscribe.
type hasty struct{}

func (hasty) Subscribe(_ context.Context, s reactor.Subscriber[int]) { go s.OnNext(1) }

// silent is a publisher that never calls anybody.
type silent struct{}

func (silent) Subscribe(context.Context, reactor.Subscriber[int]) {}

// abrupt is a publisher that fails without OnSubscribe.
type abrupt struct{}

func (abrupt) Subscribe(_ context.Context, s reactor.Subscriber[int]) { s.OnError(errBoom) }

// undead is a publisher that goes on after its failure.
type undead struct{}

func (undead) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	s.OnSubscribe(&undeadSubscription{s})
	s.OnError(errBoom)
}

type undeadSubscription struct{ down reactor.Subscriber[int] }

func (u *undeadSubscription) Request(int64) { u.down.OnNext(1) }
func (u *undeadSubscription) Cancel()       {}
