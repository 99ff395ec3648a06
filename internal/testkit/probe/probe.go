// Package probe is a subscriber for tests, which records what it is sent, and holds it against the rules: one signal at a time, no
// more than was requested, nothing after the end.
package probe

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
)

// All is a demand for everything.
const All = reactor.Unbounded

// Probe is the subscriber. It counts as one of the module, so that no strict edge hides a fault of who signals.
// The first four fields are set before it subscribes.
type Probe[T any] struct {
	protocol.Inner
	Initial    int64                      // what it requests at once
	Subscribed func(reactor.Subscription) // called before that; may be nil
	Each       func(T)                    // called with each element; may be nil
	Whole      bool                       // nothing may be sent while OnSubscribe runs
	Up         reactor.Subscription       // written by OnSubscribe, under mu

	requested atomic.Int64
	inside    atomic.Int32 // signals that are under way

	mu        sync.Mutex // guards all below
	items     []T
	err       error
	completed bool
	faults    []string
}

// Listen subscribes a probe that requests n.
func Listen[T any](p reactor.Publisher[T], n int64) *Probe[T] {
	return ListenIn(context.Background(), p, n)
}

// ListenIn is Listen in a context.
func ListenIn[T any](ctx context.Context, p reactor.Publisher[T], n int64) *Probe[T] {
	s := &Probe[T]{Initial: n}
	p.Subscribe(ctx, s)
	return s
}

// enter notes that a signal has begun. A panic within it unwinds to a guard and comes back as another: who calls this
// defers leave.
func (p *Probe[T]) enter(signal string) {
	if p.inside.Add(1) != 1 {
		p.Fault(signal + " during another signal")
	}
}

func (p *Probe[T]) leave() { p.inside.Add(-1) }

// Fault notes that a rule was broken.
func (p *Probe[T]) Fault(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, text)
}

// OnSubscribe requests what Initial says.
func (p *Probe[T]) OnSubscribe(up reactor.Subscription) {
	if p.Whole {
		p.enter("OnSubscribe")
		defer p.leave()
	}
	p.mu.Lock()
	if p.Up != nil {
		p.faults = append(p.faults, "second OnSubscribe")
	}
	p.Up = up
	p.mu.Unlock()
	if p.Subscribed != nil {
		p.Subscribed(up)
	}
	if p.Initial > 0 {
		p.Request(p.Initial)
	}
}

// OnNext records v.
func (p *Probe[T]) OnNext(v T) {
	p.enter("OnNext")
	defer p.leave()
	p.mu.Lock()
	p.items = append(p.items, v)
	n, out := int64(len(p.items)), p.isOut()
	p.mu.Unlock()
	switch {
	case out:
		p.Fault(fmt.Sprintf("element %v before the start or after the end", v))
	case n > p.requested.Load():
		p.Fault(fmt.Sprintf("element %v without demand", v))
	}
	if p.Each != nil {
		p.Each(v)
	}
}

// OnError records the failure.
func (p *Probe[T]) OnError(err error) {
	p.enter("OnError")
	defer p.leave()
	p.end(err)
}

// OnComplete records the completion.
func (p *Probe[T]) OnComplete() {
	p.enter("OnComplete")
	defer p.leave()
	p.end(nil)
}

func (p *Probe[T]) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isOut() {
		p.faults = append(p.faults, fmt.Sprintf("end (%v) before the start or after the end", err))
	}
	p.err, p.completed = err, err == nil
}

// isOut reports whether no signal may come: there was none yet, or there was the end. The caller holds mu.
func (p *Probe[T]) isOut() bool { return p.Up == nil || p.completed || p.err != nil }

// Request asks for n elements more.
func (p *Probe[T]) Request(n int64) {
	p.Allow(n)
	p.mu.Lock()
	up := p.Up
	p.mu.Unlock()
	up.Request(n)
}

// Allow lets n elements more come, which somebody else asks for.
func (p *Probe[T]) Allow(n int64) { demand.Add(&p.requested, n) }

// Cancel cancels the subscription.
func (p *Probe[T]) Cancel() { p.Up.Cancel() }

// Open fails the test unless it got exactly items, and the stream goes on.
func (p *Probe[T]) Open(t testing.TB, items ...T) { t.Helper(); p.Check(t, nil, false, items...) }

// Done fails the test unless it got exactly items, and the stream has completed.
func (p *Probe[T]) Done(t testing.TB, items ...T) { t.Helper(); p.Check(t, nil, true, items...) }

// Failed fails the test unless it got exactly items, and the stream has failed with err.
func (p *Probe[T]) Failed(t testing.TB, err error, items ...T) {
	t.Helper()
	p.Check(t, err, false, items...)
}

// Check fails the test unless it got exactly items, and then err, if that is not nil, or the completion, or no end yet.
func (p *Probe[T]) Check(t testing.TB, err error, completed bool, items ...T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.checkItems(t, items)
	if !errors.Is(p.err, err) || p.completed != completed {
		t.Errorf("error %v and completed %t, not %v and %t", p.err, p.completed, err, completed)
	}
}

// Items fails the test unless it got exactly items, whether the stream goes on or not.
func (p *Probe[T]) Items(t testing.TB, items ...T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.checkItems(t, items)
}

// checkItems is Items for who holds mu.
func (p *Probe[T]) checkItems(t testing.TB, items []T) {
	t.Helper()
	if len(p.faults) > 0 {
		t.Errorf("rules broken: %v", p.faults)
	}
	if (len(items) > 0 || len(p.items) > 0) && !reflect.DeepEqual(items, p.items) {
		t.Errorf("elements %v, not %v", p.items, items)
	}
}

// Faultless fails the test if a rule was broken.
func (p *Probe[T]) Faultless(t testing.TB) {
	t.Helper()
	if faults := p.Faults(); len(faults) > 0 {
		t.Errorf("rules broken: %v", faults)
	}
}

// Faults returns which rules were broken.
func (p *Probe[T]) Faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.faults)
}

// Got returns the elements.
func (p *Probe[T]) Got() []T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.items)
}

// Failure returns the error with which the stream has failed, nil if it has not.
func (p *Probe[T]) Failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Over reports whether the stream has ended.
func (p *Probe[T]) Over() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.completed || p.err != nil
}

// Source is a subscription, or a handle, that notes what it is told. One goroutine at a time.
type Source struct {
	Asked     int64
	Cancelled int // how often
}

// Request adds to Asked.
func (s *Source) Request(n int64) { s.Asked = demand.Sum(s.Asked, n) }

// Cancel counts.
func (s *Source) Cancel() { s.Cancelled++ }

// Dispose counts, too.
func (s *Source) Dispose() { s.Cancelled++ }

// IsDisposed reports whether it was cancelled.
func (s *Source) IsDisposed() bool { return s.Cancelled > 0 }

// Record is what hooks were told.
type Record struct {
	mu                       sync.Mutex
	Discarded, Dropped, Errs []any // guarded by mu until nobody reports any more
}

// Seen returns copies of all lists.
func (r *Record) Seen() (discarded, dropped, errs []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.Discarded), slices.Clone(r.Dropped), slices.Clone(r.Errs)
}

// Recorded returns a context whose hooks write down what is discarded and dropped.
func Recorded() (context.Context, *Record) {
	r := &Record{}
	add := func(list *[]any, v any) {
		r.mu.Lock()
		defer r.mu.Unlock()
		*list = append(*list, v)
	}
	return reactor.WithHooks(context.Background(), reactor.Hooks{
		Discard:      func(_ context.Context, v any) { add(&r.Discarded, v) },
		NextDropped:  func(_ context.Context, v any) { add(&r.Dropped, v) },
		ErrorDropped: func(_ context.Context, err error) { add(&r.Errs, err) },
	}), r
}

// Exact is a [Source] whose stage fails the test T if it asks for nothing.
type Exact struct {
	Source
	T testing.TB
}

// Request notes n, and fails the test if that is nothing.
func (s *Exact) Request(n int64) {
	if n <= 0 {
		s.T.Errorf("Request(%d)", n)
	}
	s.Source.Request(n)
}
