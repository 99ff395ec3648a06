package chainfuzz

import (
	"fmt"
	"math"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
)

type element = *ledger.Element

// consumer is the subscriber at the end of a chain on real schedulers. Every breach of the rules of
// the protocol is a fault.
type consumer struct {
	how   reading
	books *ledger.Ledger
	call  func()        // what goes wrong in OnNext
	there chan struct{} // closed by OnSubscribe
	over  chan struct{} // closed when nothing more is owed: the end, a cancellation, or its own failure

	mu        sync.Mutex
	up        reactor.Subscription
	requested int64
	got       int
	err       error
	ended     bool
	released  bool // over is closed
	inside    bool
	wrong     []string
}

func newConsumer(how reading, books *ledger.Ledger) *consumer {
	return &consumer{how: how, books: books, there: make(chan struct{}), over: make(chan struct{})}
}

// fault notes a breach; mu is held.
func (r *consumer) fault(format string, args ...any) {
	if len(r.wrong) < 10 {
		r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
	}
}

func (r *consumer) request(n int64) {
	r.mu.Lock()
	if r.requested += n; r.requested < 0 {
		r.requested = math.MaxInt64
	}
	up := r.up
	r.mu.Unlock()
	up.Request(n)
}

// cancel cancels, if there is a subscription yet.
func (r *consumer) cancel() {
	r.mu.Lock()
	up := r.up
	if up != nil {
		r.release()
	}
	r.mu.Unlock()
	if up != nil {
		up.Cancel()
	}
}

// release says that nothing more is owed; mu is held.
func (r *consumer) release() {
	if !r.released {
		r.released = true
		close(r.over)
	}
}

func (r *consumer) OnSubscribe(up reactor.Subscription) {
	r.mu.Lock()
	if r.up != nil {
		r.fault("second OnSubscribe")
		r.mu.Unlock()
		return
	}
	r.up = up
	r.mu.Unlock()
	close(r.there)
	switch r.how.kind {
	case readAll:
		r.request(reactor.Unbounded)
	case readSingly:
		r.request(1)
	case readBySome:
		r.request(int64(r.how.n))
	}
}

// enter notes a signal that is not allowed now.
func (r *consumer) enter(name string) {
	switch {
	case r.inside:
		r.fault("%s while another signal is being delivered", name)
	case r.up == nil:
		r.fault("%s before OnSubscribe", name)
	case r.ended:
		r.fault("%s after the end", name)
	}
	r.inside = true
}

func (r *consumer) OnNext(v element) {
	r.books.Delivered(v)
	r.mu.Lock()
	r.enter("OnNext")
	r.got++
	n := r.got
	if int64(n) > r.requested {
		r.fault("element %d of %d requested", n, r.requested)
	}
	r.mu.Unlock()
	clean := false
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.inside = false
		if !clean {
			r.release() // §2.13: it counts as cancelled
		}
	}()
	r.call()
	switch {
	case r.how.kind == readSingly:
		r.request(1)
	case r.how.kind == readBySome && n%r.how.n == 0:
		r.request(int64(r.how.n))
	}
	clean = true
}

func (r *consumer) OnError(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.enter("OnError")
	r.end(err)
}

func (r *consumer) OnComplete() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.enter("OnComplete")
	r.end(nil)
}

func (r *consumer) end(err error) {
	r.inside, r.ended, r.err = false, true, err
	r.release()
}

// account returns what was wrong, and how far it came.
func (r *consumer) account() (wrong []string, state string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wrong, fmt.Sprintf("%d elements of %d requested, ended %v, %v", r.got, r.requested, r.ended, r.err)
}
