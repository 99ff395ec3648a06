package operators

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
)

// probe is a subscriber that records, and checks what it is sent against the rules:
// one signal at a time, no more than requested, nothing after the end.
type probe[T any] struct {
	protocol.Inner // no strict edge that would hide a fault of the stage
	initial        int64
	onNext         func(T) // called for every element
	onSubscribe    func(reactor.Subscription)

	inside atomic.Int32

	mu        sync.Mutex // guards all below
	up        reactor.Subscription
	requested int64
	items     []T
	err       error
	completed bool
	faults    []string
}

// probeOf returns a probe that requests initial at the start.
func probeOf[T any](initial int64) *probe[T] { return &probe[T]{initial: initial} }

func (p *probe[T]) enter(signal string) {
	if p.inside.Add(1) != 1 {
		p.fault(signal + " during another signal")
	}
}

func (p *probe[T]) fault(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, text)
}

func (p *probe[T]) OnSubscribe(up reactor.Subscription) {
	p.mu.Lock()
	if p.up != nil {
		p.faults = append(p.faults, "second OnSubscribe")
	}
	p.up = up
	p.mu.Unlock()
	if p.onSubscribe != nil {
		p.onSubscribe(up)
	}
	if p.initial > 0 {
		p.request(p.initial)
	}
}

func (p *probe[T]) OnNext(v T) {
	p.enter("OnNext")
	// A panic unwinds to the guard and comes back as OnError.
	defer p.inside.Add(-1)
	p.mu.Lock()
	p.items = append(p.items, v)
	if p.requested != reactor.Unbounded && int64(len(p.items)) > p.requested {
		p.faults = append(p.faults, fmt.Sprintf("element %v without demand", v))
	}
	if p.up == nil || p.err != nil || p.completed {
		p.faults = append(p.faults, fmt.Sprintf("element %v before the start or after the end", v))
	}
	p.mu.Unlock()
	if p.onNext != nil {
		p.onNext(v)
	}
}

func (p *probe[T]) OnError(err error) {
	p.enter("OnError")
	defer p.inside.Add(-1)
	p.end(err)
}

func (p *probe[T]) OnComplete() {
	p.enter("OnComplete")
	defer p.inside.Add(-1)
	p.end(nil)
}

func (p *probe[T]) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.up == nil || p.err != nil || p.completed {
		p.faults = append(p.faults, fmt.Sprintf("end (%v) before the start or after the end", err))
	}
	p.err, p.completed = err, err == nil
}

func (p *probe[T]) request(n int64) {
	p.mu.Lock()
	p.requested = demand.Sum(p.requested, n)
	up := p.up
	p.mu.Unlock()
	up.Request(n)
}

func (p *probe[T]) cancel() { p.up.Cancel() }

func (p *probe[T]) got() []T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.items)
}

func (p *probe[T]) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *probe[T]) ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.completed || p.err != nil
}

// assertItems checks that just these elements came, and no fault happened.
func (p *probe[T]) assertItems(t testing.TB, items ...T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Empty(t, p.faults)
	if len(items) == 0 {
		assert.Empty(t, p.items)
	} else {
		assert.Equal(t, items, p.items)
	}
}

// assertCompleted checks elements and completion.
func (p *probe[T]) assertCompleted(t testing.TB, items ...T) {
	t.Helper()
	p.assertItems(t, items...)
	assert.NoError(t, p.failure())
	assert.True(t, p.ended(), "completed")
}

// assertFailed checks elements and the error, by errors.Is.
func (p *probe[T]) assertFailed(t testing.TB, err error, items ...T) {
	t.Helper()
	p.assertItems(t, items...)
	assert.ErrorIs(t, p.failure(), err)
}

// assertOpen checks elements and that the stream has not ended.
func (p *probe[T]) assertOpen(t testing.TB, items ...T) {
	t.Helper()
	p.assertItems(t, items...)
	assert.False(t, p.ended(), "still open")
}

// run subscribes a probe with unbounded demand.
func run[T any](src reactor.Publisher[T]) *probe[T] { return runWith(context.Background(), src) }

func runWith[T any](ctx context.Context, src reactor.Publisher[T]) *probe[T] {
	p := probeOf[T](reactor.Unbounded)
	src.Subscribe(ctx, p)
	return p
}

// puppet is a source that the test moves by hand, and that records what it is
// told. It may be subscribed any number of times; its signals go to the latest one.
type puppet[T any] struct {
	protocol.Op
	onSubscription func(n int, s *puppetSubscription[T]) // called at the end of each Subscribe, n counts from 1

	mu   sync.Mutex
	subs []*puppetSubscription[T] // guarded by mu
}

type puppetSubscription[T any] struct {
	reactor.Subscriber[T]
	requested atomic.Int64
	requests  atomic.Int64 // calls
	cancels   atomic.Int64 // calls
}

func (p *puppet[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &puppetSubscription[T]{Subscriber: protocol.Strict(ctx, s)}
	p.mu.Lock()
	p.subs = append(p.subs, sub)
	n := len(p.subs)
	p.mu.Unlock()
	sub.OnSubscribe(sub)
	if p.onSubscription != nil {
		p.onSubscription(n, sub)
	}
}

func (s *puppetSubscription[T]) Request(n int64) {
	s.requests.Add(1)
	demand.Add(&s.requested, n)
}

func (s *puppetSubscription[T]) Cancel() { s.cancels.Add(1) }

// last returns the latest subscription.
func (p *puppet[T]) last() *puppetSubscription[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.subs[len(p.subs)-1]
}

// count returns how often the source was subscribed.
func (p *puppet[T]) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.subs)
}

// recordHooks returns a context that records what is discarded and dropped.
func recordHooks() (context.Context, *hookRecord) {
	r := &hookRecord{}
	return reactor.WithHooks(context.Background(), reactor.Hooks{
		NextDropped:  func(_ context.Context, v any) { r.add(&r.dropped, v) },
		ErrorDropped: func(_ context.Context, err error) { r.add(&r.droppedErrors, err) },
		Discard:      func(_ context.Context, v any) { r.add(&r.discarded, v) },
	}), r
}

type hookRecord struct {
	mu                                sync.Mutex
	dropped, droppedErrors, discarded []any // guarded by mu
}

func (r *hookRecord) add(list *[]any, v any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*list = append(*list, v)
}
