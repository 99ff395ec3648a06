package reactortest

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goreactor/reactor"
)

// TestSubscriber is a subscriber that a test controls: it requests what the test says, keeps
// the signals that come, and returns them to the test.
//
//	sub := reactortest.Subscribe(t, src, reactortest.InitialRequest(0))
//	sub.ExpectNothing()
//	sub.Request(2)
//	sub.ExpectNext(1, 2)
//	sub.Cancel()
//
// Each Expect method looks at the signals behind those that the previous one has
// taken, waits for missing signals (see [Patience]), and ends the test if it gets
// something else. Signals that break the rules of the protocol fail the test at the
// next call of an Expect method, or at the end of the test. All other methods may be
// called from any goroutine.
type TestSubscriber[T any] struct {
	t      testing.TB
	config config
	pace   pace
	start  time.Time
	wake   chan struct{}

	inside atomic.Int32 // signals that are being delivered

	mu         sync.Mutex
	up         reactor.Subscription // guarded by mu
	early      int64                // requested before there was a subscription; guarded by mu
	illegal    []int64              // n ≤ 0 that were; guarded by mu
	demand     int64                // requested in all, saturating; guarded by mu
	signals    []signal[T]          // without subscription, requests and cancellation; guarded by mu
	read       int                  // of them, how many Expect methods have seen; guarded by mu
	items      int64                // of them, how many are elements; guarded by mu
	ended      bool                 // guarded by mu
	cancelled  bool                 // guarded by mu
	violations []string             // guarded by mu
}

// NewTestSubscriber returns a subscriber that asks for everything, unless
// [InitialRequest] says otherwise. It can be subscribed once.
func NewTestSubscriber[T any](t testing.TB, opts ...Option) *TestSubscriber[T] {
	return newTestSubscriber[T](t, newConfig("NewTestSubscriber", opts, "Tick", "AllowUnderRequest", "InContext"))
}

func newTestSubscriber[T any](t testing.TB, c config) *TestSubscriber[T] {
	s := &TestSubscriber[T]{t: t, config: c, wake: make(chan struct{}, 1)}
	s.early, s.demand = s.config.demand, s.config.demand
	s.pace = paceOf(s.config.clock)
	s.start = s.pace.now()
	t.Cleanup(func() {
		for _, v := range s.Violations() {
			t.Errorf("reactortest: %s%s", s.name(), v)
		}
	})
	return s
}

// Subscribe subscribes a new [TestSubscriber] to src, which is cancelled at the end of
// the test.
func Subscribe[T any](t testing.TB, src reactor.Publisher[T], opts ...Option) *TestSubscriber[T] {
	s := newTestSubscriber[T](t, newConfig("Subscribe", opts, "Tick", "AllowUnderRequest"))
	t.Cleanup(s.Cancel)
	src.Subscribe(s.config.context(t), s)
	return s
}

func (s *TestSubscriber[T]) name() string {
	if s.config.name == "" {
		return ""
	}
	return s.config.name + ": "
}

// OnSubscribe implements reactor.Subscriber.
func (s *TestSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.mu.Lock()
	if up == nil || s.up != nil {
		s.violate("onSubscribe(%v) came (§1.9, §2.13), onSubscribe before: %v", up, s.up != nil)
		s.mu.Unlock()
		if up != nil {
			up.Cancel()
		}
		return
	}
	s.up = up
	n, illegal, cancelled := s.early, s.illegal, s.cancelled
	s.mu.Unlock()
	if cancelled {
		up.Cancel()
		return
	}
	if n > 0 {
		up.Request(n)
	}
	for _, n := range illegal {
		up.Request(n)
	}
}

// OnNext implements reactor.Subscriber.
func (s *TestSubscriber[T]) OnNext(v T) { s.receive(signal[T]{kind: reactor.KindNext, value: v}) }

// OnError implements reactor.Subscriber.
func (s *TestSubscriber[T]) OnError(err error) {
	if err == nil {
		s.mu.Lock()
		s.violate("onError(nil) came (§2.13)")
		s.mu.Unlock()
	}
	s.receive(signal[T]{kind: reactor.KindError, err: reactor.NonNil(err)})
}

// OnComplete implements reactor.Subscriber.
func (s *TestSubscriber[T]) OnComplete() { s.receive(signal[T]{kind: reactor.KindComplete}) }

func (s *TestSubscriber[T]) receive(got signal[T]) {
	overlap := s.inside.Add(1) != 1
	defer s.inside.Add(-1)
	got.at, got.format = s.pace.now().Sub(s.start), s.config.format
	s.mu.Lock()
	switch {
	case overlap:
		s.violate("%s came while another signal was being delivered (§1.3)", got)
	case s.up == nil:
		s.violate("%s came before onSubscribe (§1.9)", got)
	case s.ended && !s.cancelled:
		s.violate("%s came after the end of the stream (§1.7)", got)
	}
	if got.kind == reactor.KindNext {
		if s.items++; s.items > s.demand && !s.cancelled {
			s.violate("%s came without demand (§1.1): %d requested, this is element %d", got, s.demand, s.items)
		}
	} else {
		s.ended = true
	}
	s.signals = append(s.signals, got)
	s.mu.Unlock()
	s.tell()
}

func (s *TestSubscriber[T]) tell() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// violate records a breach of the protocol. The caller holds mu.
func (s *TestSubscriber[T]) violate(format string, args ...any) {
	s.violations = append(s.violations, fmt.Sprintf(format, args...))
}

// Request requests n more elements; without a subscription, the request is made when the
// subscription comes. An n ≤ 0 is passed on too, so that you can see it refused.
func (s *TestSubscriber[T]) Request(n int64) {
	s.mu.Lock()
	up := s.up
	if n > 0 {
		s.demand = sum(s.demand, n)
	}
	switch {
	case up != nil:
	case n > 0:
		s.early = sum(s.early, n)
	default:
		s.illegal = append(s.illegal, n)
	}
	s.mu.Unlock()
	if up != nil {
		up.Request(n)
	}
}

func sum(a, b int64) int64 {
	if c := a + b; c >= 0 {
		return c
	}
	return reactor.Unbounded
}

// Cancel cancels the subscription; before there is one, it is cancelled as soon as it comes.
func (s *TestSubscriber[T]) Cancel() {
	s.mu.Lock()
	s.cancelled = true
	up := s.up
	s.mu.Unlock()
	if up != nil {
		up.Cancel()
	}
}

// Values returns the elements that have come so far.
func (s *TestSubscriber[T]) Values() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []T{}
	for _, got := range s.signals {
		if got.kind == reactor.KindNext {
			out = append(out, got.value)
		}
	}
	return out
}

// Err returns the error that ended the stream, nil if none has so far.
func (s *TestSubscriber[T]) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, got := range s.signals {
		if got.kind == reactor.KindError {
			return got.err
		}
	}
	return nil
}

// IsCompleted reports whether the stream has completed.
func (s *TestSubscriber[T]) IsCompleted() bool { return s.IsTerminated() && s.Err() == nil }

// IsTerminated reports whether the stream has completed or failed.
func (s *TestSubscriber[T]) IsTerminated() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// IsCancelled reports whether the test has cancelled.
func (s *TestSubscriber[T]) IsCancelled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cancelled
}

// IsSubscribed reports whether there is a subscription.
func (s *TestSubscriber[T]) IsSubscribed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.up != nil
}

// Violations returns the breaches of the protocol rules. After this call they don't fail
// the test any more: it is for the caller to check them.
func (s *TestSubscriber[T]) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.violations
	s.violations = nil
	return out
}

// ExpectNext expects these elements next; there may be none, for example in a row of a test
// table. They are compared by reflect.DeepEqual.
func (s *TestSubscriber[T]) ExpectNext(items ...T) {
	s.t.Helper()
	for _, want := range items {
		s.expect("onNext("+s.config.format.show(want)+")", func(got signal[T]) bool {
			return got.kind == reactor.KindNext && reflect.DeepEqual(got.value, want)
		}, func(got signal[T]) string { return beside(s.config.format, want, got) })
	}
}

// ExpectNextCount expects n elements next and returns them.
func (s *TestSubscriber[T]) ExpectNextCount(n int) []T {
	s.t.Helper()
	if n < 0 {
		panic("reactortest: ExpectNextCount: the number is negative")
	}
	out := make([]T, 0, n)
	for i := range n {
		out = append(out, s.expect(fmt.Sprintf("element %d of %d", i+1, n), func(got signal[T]) bool {
			return got.kind == reactor.KindNext
		}).value)
	}
	return out
}

// ExpectComplete expects completion next.
func (s *TestSubscriber[T]) ExpectComplete() {
	s.t.Helper()
	s.expect("onComplete()", func(got signal[T]) bool { return got.kind == reactor.KindComplete })
}

// ExpectError expects a failure next and returns the error.
func (s *TestSubscriber[T]) ExpectError() error {
	s.t.Helper()
	return s.expect("an onError", func(got signal[T]) bool { return got.kind == reactor.KindError }).err
}

// ExpectErrorIs expects a failure next that matches target with errors.Is.
func (s *TestSubscriber[T]) ExpectErrorIs(target error) {
	s.t.Helper()
	s.expect(fmt.Sprintf("an onError that is %q", target), func(got signal[T]) bool {
		return got.kind == reactor.KindError && errors.Is(got.err, target)
	})
}

// ExpectNothing expects that no signal has come besides those that Expect methods have taken.
// In a bubble it first lets everything come to rest.
func (s *TestSubscriber[T]) ExpectNothing() {
	s.t.Helper()
	if s.pace.bubble {
		settle()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lawful()
	if s.read < len(s.signals) {
		s.t.Fatalf("reactortest: %sexpected nothing, but %s came\n%s", s.name(), s.signals[s.read], s.heard(s.read))
	}
}

// AwaitEnd waits until the stream has completed or failed.
func (s *TestSubscriber[T]) AwaitEnd() {
	s.t.Helper()
	s.await("the end of the stream", s.IsTerminated)
}

// expect waits for the next signal and compares it.
func (s *TestSubscriber[T]) expect(what string, ok func(signal[T]) bool, unlike ...func(signal[T]) string) signal[T] {
	s.t.Helper()
	s.await(what, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.read < len(s.signals)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lawful()
	got := s.signals[s.read]
	if !ok(got) {
		for _, say := range unlike {
			what += say(got)
		}
		s.t.Fatalf("reactortest: %sexpected %s, but %s came\n%s", s.name(), what, got, s.heard(s.read))
	}
	s.read++
	return got
}

func (s *TestSubscriber[T]) await(what string, there func() bool) {
	s.t.Helper()
	timer := time.NewTimer(s.config.patience)
	defer timer.Stop()
	for !there() {
		select {
		case <-s.wake:
		case <-timer.C:
			s.mu.Lock()
			defer s.mu.Unlock()
			s.t.Fatalf("reactortest: %sexpected %s, but nothing came within %v\n%s", s.name(), what, s.config.patience, s.heard(len(s.signals)))
		}
	}
	s.tell() // for another one who waits
}

// lawful fails the test if there were violations. The caller holds mu.
func (s *TestSubscriber[T]) lawful() {
	s.t.Helper()
	if len(s.violations) > 0 {
		v := s.violations
		s.violations = nil
		s.t.Fatalf("reactortest: %s%s\n%s", s.name(), v[0], s.heard(-1))
	}
}

// heard tells what came, with a mark. The caller holds mu.
func (s *TestSubscriber[T]) heard(mark int) string {
	out := fmt.Sprintf("the signals (%s since the subscriber was made; %s requested):\n", s.pace.name(), demandString(s.demand))
	from := max(0, min(mark, len(s.signals)-1)-mostHistory)
	if from > 0 {
		out += fmt.Sprintf("     … %d earlier ones\n", from)
	}
	for i := from; i < len(s.signals); i++ {
		if i == from+2*mostHistory {
			out += fmt.Sprintf("     … %d later ones\n", len(s.signals)-i)
			break
		}
		arrow := "  "
		if i == mark {
			arrow = "→ "
		}
		out += fmt.Sprintf("  %s%8v  %s\n", arrow, s.signals[i].at, s.signals[i])
	}
	if len(s.signals) == 0 {
		out += "     none\n"
	}
	return out
}
