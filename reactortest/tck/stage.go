package tck

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/operators"
)

// errTest is the failure that checks send.
var errTest = errors.New("the failure of the test")

// upstream is the subscription that a check hands to the subscriber under test. It records
// what the subscriber does with it.
type upstream struct {
	e         *env
	name      string
	wake      chan struct{}
	cancelled *latch
	inside    atomic.Int32 // calls that are going on
	overlaps  atomic.Int32 // calls that began while another one was going on

	// sync, if set, is called by Request.
	sync func(n int64)

	mu       sync.Mutex
	requests []int64 // not looked at yet; guarded by mu
	calls    int     // guarded by mu
}

func newUpstream(e *env) *upstream {
	return &upstream{e: e, wake: make(chan struct{}, 1), cancelled: newLatch()}
}

func (u *upstream) Request(n int64) {
	if u.inside.Add(1) != 1 {
		u.overlaps.Add(1)
	}
	defer u.inside.Add(-1)
	runtime.Gosched() // invites others
	u.e.note("%srequest(%d)", u.name, n)
	u.mu.Lock()
	u.calls++
	u.requests = append(u.requests, n)
	u.mu.Unlock()
	if n <= 0 {
		u.e.flop("Request(%d) was called, which is not positive (§3.9)", n)
	}
	select {
	case u.wake <- struct{}{}:
	default:
	}
	if u.sync != nil {
		u.sync(n)
	}
}

func (u *upstream) Cancel() {
	if u.inside.Add(1) != 1 {
		u.overlaps.Add(1)
	}
	defer u.inside.Add(-1)
	runtime.Gosched()
	u.e.note("%scancel", u.name)
	u.mu.Lock()
	u.calls++
	u.mu.Unlock()
	u.cancelled.open()
}

// called returns how many calls there were.
func (u *upstream) called() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.calls
}

// request waits for a request and returns its number.
func (u *upstream) request() int64 {
	timer := time.NewTimer(u.e.timeout)
	defer timer.Stop()
	for {
		u.mu.Lock()
		if len(u.requests) > 0 {
			n := u.requests[0]
			u.requests = u.requests[1:]
			u.mu.Unlock()
			return n
		}
		u.mu.Unlock()
		select {
		case <-u.wake:
		case <-timer.C:
			u.e.lawful()
			u.e.fail("Request was to be called, but was not within %v", u.e.timeout)
		}
	}
}

// stage is a subscriber under test with its upstream.
type stage[T any] struct {
	*env
	sub     reactor.Subscriber[T]
	up      *upstream
	element func(i int) T
	sent    int
	trigger func() // makes the subscriber request, if it does not by itself
}

// begin calls OnSubscribe.
func (s *stage[T]) begin() { s.call("OnSubscribe", func() { s.sub.OnSubscribe(s.up) }) }

// send calls OnNext with a new element, which it returns.
func (s *stage[T]) send() T {
	s.sent++
	v := s.element(s.sent)
	s.note("→ onNext(%v)", v)
	s.call("OnNext", func() { s.sub.OnNext(v) })
	s.lawful()
	return v
}

// complete calls OnComplete, which is to return.
func (s *stage[T]) complete() {
	s.note("→ onComplete")
	s.prompt("OnComplete", s.sub.OnComplete)
}

// failWith calls OnError, which is to return.
func (s *stage[T]) failWith(err error) {
	s.note("→ onError(%v)", err)
	s.prompt("OnError", func() { s.sub.OnError(err) })
}

// demand triggers a request and returns it.
func (s *stage[T]) demand() int64 {
	if s.trigger != nil {
		s.trigger()
	}
	return s.up.request()
}

// silent calls fn and expects no call on the subscription by it or after it.
func (s *stage[T]) silent(what string, fn func()) {
	s.settle() // for what the subscriber does in its own time after OnSubscribe
	before := s.up.called()
	fn()
	s.settle()
	s.lawful()
	if n := s.up.called() - before; n > 0 {
		s.fail("%d calls on the subscription came in or after %s", n, what)
	}
}

// second calls OnSubscribe with another subscription and expects it to be cancelled.
func (s *stage[T]) second() {
	other := newUpstream(s.env)
	other.name = "second subscription: "
	s.call("OnSubscribe", func() { s.sub.OnSubscribe(other) })
	s.await(other.cancelled, "the second subscription was to be cancelled")
	s.settle()
	if n := other.called(); n > 1 {
		s.fail("the second subscription was used %d times", n)
	}
	if s.up.cancelled.isOpen() {
		s.fail("the first subscription was cancelled")
	}
	s.lawful()
}

// nilSubscription calls OnSubscribe(nil) on a fresh subscriber.
func (s *stage[T]) nilSubscription() {
	s.note("→ onSubscribe(nil)")
	if s.panics("OnSubscribe(nil)", func() { s.sub.OnSubscribe(nil) }) {
		return
	}
	// It may have taken it for a failure, or ignored it: then it treats a good one
	// accordingly.
	s.note("→ onSubscribe")
	s.begin()
	if s.trigger != nil {
		s.call("the trigger", s.trigger)
	}
	s.settle()
	s.lawful()
	if s.up.called() == 0 {
		s.fail("OnSubscribe(nil) returned as if nothing was wrong: a good subscription afterwards was neither used nor cancelled")
	}
}

// nilError calls OnError(nil).
func (s *stage[T]) nilError(failed func() (error, bool)) {
	s.note("→ onError(nil)")
	if s.panics("OnError(nil)", func() { s.sub.OnError(nil) }) {
		return
	}
	if failed != nil {
		if err, ok := failed(); !ok || err == nil {
			s.fail("OnError(nil) returned normally, and was not taken for a failure with a good error: %v", err)
		}
	}
	s.silent("an OnNext after OnError(nil)", func() {
		s.panics("OnNext", func() { s.sub.OnNext(s.element(1)) })
	})
}

// nilElement sends the zero value, which is an element like any other.
func (s *stage[T]) nilElement() {
	s.begin()
	s.demand()
	var zero T
	s.note("→ onNext(%v)", zero)
	s.call("OnNext of the zero value", func() { s.sub.OnNext(zero) })
	s.settle()
	s.lawful()
	if s.up.cancelled.isOpen() {
		s.fail("the subscription was cancelled because of the zero value")
	}
}

// ended expects that after OnComplete, or OnError, the subscription counts as gone: whatever
// comes late does not make the subscriber use it.
func (s *stage[T]) ended(failing bool) {
	s.begin()
	s.demand()
	if failing {
		s.failWith(errTest)
	} else {
		s.complete()
	}
	s.silent("late signals after the end", func() {
		s.call("a late OnNext", func() { s.sub.OnNext(s.element(1)) })
	})
}

// serially lets the subscriber take many elements; calls on the subscription that overlap are found there.
func (s *stage[T]) serially() {
	s.begin()
	for sent := 0; sent < 64 && !s.up.cancelled.isOpen(); {
		if s.trigger != nil {
			s.trigger()
		} else {
			s.settle()
		}
		n := s.up.take()
		if n == 0 && s.trigger == nil || sent == 0 && n == 0 {
			break // it wants no more, or asks for more when it has got more
		}
		for range min(n, 64) {
			s.send()
			sent++
		}
		if n == 0 {
			sent++
		}
	}
	s.complete()
	s.settle()
	s.lawful()
	if n := s.up.overlaps.Load(); n > 0 {
		s.fail("%d calls on the subscription began while another one was going on", n)
	}
}

// take returns what was requested and not looked at yet, 0 for nothing.
func (u *upstream) take() (n int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, asked := range u.requests {
		n = demand.Sum(n, asked)
	}
	u.requests = nil
	return n
}

// returns expects that all callbacks return normally, in a life that ends with a failure.
func (s *stage[T]) returns() {
	s.begin()
	if s.demand() > 0 {
		s.send()
	}
	s.failWith(errTest)
	s.settle()
	s.lawful()
}

// synchronously lets Request call OnNext, and OnComplete if it shall end, before it returns.
func (s *stage[T]) synchronously(end bool) {
	depth, ended := 0, newLatch()
	s.up.sync = func(n int64) {
		if depth++; depth > 4 || ended.isOpen() { // subscribers may ask again for ever
			return
		}
		for range min(n, 2) {
			s.sent++
			v := s.element(s.sent)
			s.note("→ onNext(%v) in Request", v)
			s.calm("OnNext in Request", func() { s.sub.OnNext(v) })
		}
		if end && !ended.isOpen() {
			ended.open()
			s.note("→ onComplete in Request")
			s.calm("OnComplete in Request", s.sub.OnComplete)
		}
	}
	s.prompt("OnSubscribe, and Request within it,", func() {
		s.sub.OnSubscribe(s.up)
		if s.trigger != nil {
			s.trigger()
		}
	})
	s.up.request()
	s.settle()
	s.lawful()
}

// helper is a publisher of n elements that keeps the rules.
func helper[T any](n int64, element func(int) T) reactor.Publisher[T] {
	return operators.Map(operators.Range(1, int(n)), element)
}
