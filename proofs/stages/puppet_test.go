package stages

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
)

// puppet is a source whose signals the test sends by hand.
type puppet[T any] struct {
	protocol.Op
	single bool // completes with its first element
	mu     sync.Mutex
	subs   []*strings[T] // guarded by mu
}

// strings is one subscription to a puppet. The methods that send signals are for one
// goroutine at a time.
type strings[T any] struct {
	mu        sync.Mutex
	down      reactor.Subscriber[T] // nil after the cancellation and the end; guarded by mu
	requested atomic.Int64
	cancels   atomic.Int32
	over      atomic.Bool  // the end was sent, or is being sent
	late      atomic.Int32 // cancels that came then
	bad       atomic.Int64 // a request that was not positive
	sent      int64        // by the test
	single    bool         // completes with its first element
	ended     bool         // by the test
	failed    bool         // by the test
	onRequest func(n int64)
	onCancel  func()
}

func (p *puppet[T]) Subscribe(_ context.Context, s reactor.Subscriber[T]) {
	sub := &strings[T]{down: s, single: p.single}
	p.mu.Lock()
	p.subs = append(p.subs, sub)
	p.mu.Unlock()
	s.OnSubscribe(sub)
}

// last returns the newest subscription, or nil.
func (p *puppet[T]) last() *strings[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.subs) == 0 {
		return nil
	}
	return p.subs[len(p.subs)-1]
}

func (s *strings[T]) Request(n int64) {
	if n <= 0 {
		s.bad.Store(n)
		return
	}
	demand.Add(&s.requested, n)
	if s.onRequest != nil {
		s.onRequest(n)
	}
}

func (s *strings[T]) Cancel() {
	s.cancels.Add(1)
	if s.over.Load() {
		s.late.Add(1)
	}
	s.mu.Lock()
	s.down = nil
	s.mu.Unlock()
	if s.onCancel != nil {
		s.onCancel()
	}
}

func (s *strings[T]) subscriber() reactor.Subscriber[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down
}

// next sends an element that make makes, if one is requested and wanted.
func (s *strings[T]) next(make func() T) bool {
	down := s.subscriber()
	if s.ended || down == nil || s.sent >= s.requested.Load() {
		return false
	}
	s.sent++
	down.OnNext(make())
	if s.single {
		s.end(nil)
	}
	return true
}

// end completes, or fails if err is not nil.
func (s *strings[T]) end(err error) {
	down := s.subscriber()
	if s.ended || down == nil {
		return
	}
	s.ended, s.failed = true, err != nil
	s.over.Store(true)
	s.mu.Lock()
	s.down = nil
	s.mu.Unlock()
	if err != nil {
		down.OnError(err)
	} else {
		down.OnComplete()
	}
}

// watcher is the subscriber below a stage: it checks the rules that a publisher has
// to keep. It is a subscriber of this module, so that no strict edge puts right what
// the stage did wrong.
type watcher struct {
	protocol.Inner
	demand    int64 // requested in OnSubscribe
	onNext    func(any)
	onStart   func(reactor.Subscription)
	onEnd     func()
	inside    atomic.Int32
	cancelled atomic.Bool

	mu        sync.Mutex
	up        reactor.Subscription
	requested int64
	got       []any
	ends      int
	err       error
	faults    []string
}

func (w *watcher) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.faults) < 10 {
		w.faults = append(w.faults, fmt.Sprintf(format, args...))
	}
}

func (w *watcher) enter(signal string) {
	if w.inside.Add(1) != 1 {
		w.fault("§1.3: %s during another signal", signal)
	}
}

func (w *watcher) OnSubscribe(up reactor.Subscription) {
	w.mu.Lock()
	second := w.up != nil
	w.up = up
	w.mu.Unlock()
	if second {
		w.fault("§2.12: second OnSubscribe")
	}
	if w.onStart != nil {
		w.onStart(up)
	}
	if w.demand > 0 {
		w.request(w.demand)
	}
}

func (w *watcher) OnNext(v any) {
	w.enter("OnNext")
	defer w.inside.Add(-1)
	w.mu.Lock()
	w.got = append(w.got, v)
	n, requested, ends, started := int64(len(w.got)), w.requested, w.ends, w.up != nil
	w.mu.Unlock()
	switch {
	case !started:
		w.fault("§1.9: OnNext before OnSubscribe")
	case ends > 0:
		w.fault("§1.7: OnNext after the end")
	case n > requested:
		w.fault("§1.1: element %d, %d requested", n, requested)
	}
	if w.onNext != nil {
		w.onNext(v)
	}
}

func (w *watcher) OnError(err error) {
	w.enter("OnError")
	defer w.inside.Add(-1)
	if err == nil {
		w.fault("§2.13: OnError without an error")
	}
	w.end(err)
}

func (w *watcher) OnComplete() {
	w.enter("OnComplete")
	defer w.inside.Add(-1)
	w.end(nil)
}

func (w *watcher) end(err error) {
	w.mu.Lock()
	w.ends++
	w.err = err
	ends, started := w.ends, w.up != nil
	w.mu.Unlock()
	if ends > 1 {
		w.fault("§1.7: end number %d", ends)
	}
	if !started {
		w.fault("§1.9: the end before OnSubscribe")
	}
	if w.onEnd != nil {
		w.onEnd()
	}
}

func (w *watcher) request(n int64) {
	w.mu.Lock()
	w.requested = demand.Sum(w.requested, n)
	up := w.up
	w.mu.Unlock()
	up.Request(n)
}

func (w *watcher) cancel() {
	w.cancelled.Store(true)
	w.mu.Lock()
	up := w.up
	w.mu.Unlock()
	if up != nil {
		up.Cancel()
	}
}

// state returns what has come so far: the elements, whether the end has come, the breaches
// of the rules, and the error that the end brought.
func (w *watcher) state() (got []any, ended bool, faults []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.got, w.ends > 0, w.faults, w.err
}
