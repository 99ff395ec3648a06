package tck

import (
	"runtime"
	"sync"

	"github.com/goreactor/reactor"
)

// fault is what is wrong with a subscriber of the self-check.
type fault int

const (
	neverRequests       fault = 1 << iota // ignores that it is told to request
	cancelsAtEnd                          // OnComplete cancels
	requestsAtError                       // OnError requests
	goesOnAfterEnd                        // OnNext after the end requests
	takesSecond                           // a second subscription is used
	ignoresSecond                         // a second subscription is forgotten
	overlaps                              // requests from several goroutines at once
	panicsAfterCancel                     // OnNext after Cancel panics
	completeNeedsDemand                   // OnComplete panics unless it has requested
	completeHatesDemand                   // OnComplete panics if it has requested
	errorNeedsDemand                      // OnError panics unless it has requested
	errorHatesDemand                      // OnError panics if it has requested
	nextPanics                            // OnNext panics
	swallowsNil                           // OnSubscribe(nil) counts as a subscription
	hatesZero                             // OnNext of the zero value panics
	ignoresNilError                       // OnError(nil) is ignored
	notReentrant                          // OnNext within Request panics
	endNotReentrant                       // OnComplete within Request panics
	tellsNoElement                        // does not tell of elements
	tellsNoComplete                       // does not tell of the completion
	tellsNoError                          // does not tell of failures
	cannotCancel                          // ignores that it is told to cancel
	requestsOnce                          // asks for one element in all
	passesNilError                        // OnError(nil) is told as nil
	forgetsFaultyNil                      // tells of no failure after OnError(nil)
	nextWaits                             // OnNext does not return
	nextEnds                              // OnNext ends its goroutine
	cancelsBothLate                       // a second subscription is cancelled, and then the first one
)

// faulty is a subscriber that keeps the rules but for its faults. It requests when it is told to.
type faulty struct {
	fault fault
	probe *Probe[int] // nil in a black box

	mu        sync.Mutex
	up        reactor.Subscription
	requested bool
	begun     bool
	requests  int // calls of Request that are going on
	ended     bool
	cancelled bool
}

func (f *faulty) has(x fault) bool { return f.fault&x != 0 }

func (f *faulty) OnSubscribe(up reactor.Subscription) {
	if up == nil && !f.has(swallowsNil) {
		panic("nil subscription")
	}
	f.mu.Lock()
	again := f.begun
	f.begun = true
	if !again || f.has(takesSecond) {
		f.up = up
	}
	f.mu.Unlock()
	switch {
	case up == nil, again && f.has(ignoresSecond|swallowsNil):
	case again && f.has(takesSecond):
		up.Request(1)
	case again:
		up.Cancel()
		if f.has(cancelsBothLate) {
			go f.up.Cancel()
		}
	case f.probe != nil:
		f.probe.RegisterOnSubscribe(PuppetFuncs{Request: f.request, Cancel: f.cancel})
	}
}

func (f *faulty) request(n int64) {
	f.mu.Lock()
	up, first := f.up, !f.requested
	f.requested = true
	idle := f.ended || f.cancelled || up == nil || f.has(neverRequests) || f.has(requestsOnce) && !first
	if !idle {
		f.requests++
	}
	f.mu.Unlock()
	if idle {
		return
	}
	if f.has(overlaps) {
		for u := up.(*upstream); u.overlaps.Load() == 0; { // on a busy machine it may take some attempts
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for range 20 {
						up.Request(1)
					}
				})
			}
			all.Wait()
		}
	}
	if f.has(requestsOnce) {
		n = 1
	}
	up.Request(n)
	f.mu.Lock()
	f.requests--
	f.mu.Unlock()
	runtime.Gosched()
}

func (f *faulty) cancel() {
	f.mu.Lock()
	up, again := f.up, f.cancelled || f.ended
	f.cancelled = true
	f.mu.Unlock()
	if !again && !f.has(cannotCancel) {
		up.Cancel()
	}
}

func (f *faulty) within() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests > 0
}

func (f *faulty) OnNext(v int) {
	switch {
	case f.has(nextPanics), f.has(hatesZero) && v == 0, f.has(panicsAfterCancel) && f.cancelled, f.has(notReentrant) && f.within():
		panic("in OnNext")
	case f.has(nextWaits):
		waitForEver()
	case f.has(nextEnds):
		runtime.Goexit()
	}
	if f.ended {
		if f.has(goesOnAfterEnd) {
			f.up.Request(1)
		}
		return
	}
	if f.probe != nil && !f.cancelled && !f.has(tellsNoElement) {
		f.probe.RegisterOnNext(v)
	}
}

func (f *faulty) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
}

func (f *faulty) OnError(err error) {
	if err == nil {
		if f.has(passesNilError) {
			f.probe.RegisterOnError(nil)
			return
		}
		if f.has(forgetsFaultyNil) {
			f.end()
			return
		}
		if !f.has(ignoresNilError) {
			panic("nil error")
		}
		f.ended, f.fault = true, f.fault|goesOnAfterEnd
		return
	}
	switch {
	case f.has(errorHatesDemand) && f.requested, f.has(errorNeedsDemand) && !f.requested:
		panic("in OnError")
	case f.has(requestsAtError):
		f.up.Request(1)
	}
	f.end()
	if f.probe != nil && !f.has(tellsNoError) {
		f.probe.RegisterOnError(err)
	}
}

func (f *faulty) OnComplete() {
	switch {
	case f.has(completeHatesDemand) && f.requested, f.has(completeNeedsDemand) && !f.requested, f.has(endNotReentrant) && f.within():
		panic("in OnComplete")
	case f.has(cancelsAtEnd):
		f.up.Cancel()
	}
	f.end()
	if f.probe != nil && !f.has(tellsNoComplete) {
		f.probe.RegisterOnComplete()
	}
}

// waited is what goroutines wait for that a test leaves behind: they are not lost, and TestMain knows them.
var waited sync.Map

// waitForEver waits for a channel of its own, since a bubble sees only those that were made in it.
func waitForEver() {
	c := make(chan struct{})
	waited.Store(c, nil)
	<-c
}
