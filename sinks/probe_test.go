package sinks

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/leak"
)

var (
	errBoom  = errors.New("boom")
	errOther = errors.New("other")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

// probe is a subscriber that records, and checks that signals are serial and none comes after
// the end or without demand.
type probe[T any] struct {
	protocol.Inner
	initial     int64
	onSubscribe func(reactor.Subscription)
	onNext      func(T)
	up          reactor.Subscription
	requested   atomic.Int64
	inside      atomic.Int32

	mu        sync.Mutex // guards all below
	items     []T
	err       error
	completed bool
	faults    []string
}

func (p *probe[T]) enter(signal string) func() {
	if p.inside.Add(1) != 1 {
		p.fault(signal + " during another signal")
	}
	return func() { p.inside.Add(-1) }
}

func (p *probe[T]) fault(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, text)
}

func (p *probe[T]) OnSubscribe(up reactor.Subscription) {
	p.up = up
	if p.onSubscribe != nil {
		p.onSubscribe(up)
	}
	if p.initial > 0 {
		p.request(p.initial)
	}
}

func (p *probe[T]) OnNext(v T) {
	defer p.enter("OnNext")()
	p.mu.Lock()
	p.items = append(p.items, v)
	n, over := int64(len(p.items)), p.completed || p.err != nil
	p.mu.Unlock()
	if over || n > p.requested.Load() {
		p.fault(fmt.Sprintf("element %v after the end or without demand", v))
	}
	if p.onNext != nil {
		p.onNext(v)
	}
}

func (p *probe[T]) OnError(err error) {
	defer p.enter("OnError")()
	p.end(err)
}

func (p *probe[T]) OnComplete() {
	defer p.enter("OnComplete")()
	p.end(nil)
}

func (p *probe[T]) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.completed || p.err != nil {
		p.faults = append(p.faults, "second end")
	}
	p.err, p.completed = err, err == nil
}

func (p *probe[T]) request(n int64) {
	demand.Add(&p.requested, n)
	p.up.Request(n)
}

func (p *probe[T]) cancel() { p.up.Cancel() }

func (p *probe[T]) check(t testing.TB, err error, completed bool, items []T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Empty(t, p.faults)
	if len(items) > 0 || len(p.items) > 0 {
		assert.Equal(t, items, p.items)
	}
	if err == nil {
		assert.NoError(t, p.err)
	} else {
		assert.ErrorIs(t, p.err, err)
	}
	assert.Equal(t, completed, p.completed, "completed")
}

func (p *probe[T]) open(t testing.TB, items ...T) { t.Helper(); p.check(t, nil, false, items) }
func (p *probe[T]) done(t testing.TB, items ...T) { t.Helper(); p.check(t, nil, true, items) }
func (p *probe[T]) failed(t testing.TB, err error, items ...T) {
	t.Helper()
	p.check(t, err, false, items)
}

func (p *probe[T]) got() []T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]T(nil), p.items...)
}

func (p *probe[T]) faultless(t testing.TB) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Empty(t, p.faults)
}

func (p *probe[T]) over() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.completed || p.err != nil
}

// listen subscribes a probe that requests n.
func listen[T any](p reactor.Publisher[T], n int64) *probe[T] {
	return listenIn(context.Background(), p, n)
}

func listenIn[T any](ctx context.Context, p reactor.Publisher[T], n int64) *probe[T] {
	s := &probe[T]{initial: n}
	p.Subscribe(ctx, s)
	return s
}

const all = reactor.Unbounded

// record collects what hooks are told.
type record struct {
	mu                       sync.Mutex
	discarded, dropped, errs []any // guarded by mu
}

func recorded() (context.Context, *record) {
	r := &record{}
	add := func(list *[]any, v any) {
		r.mu.Lock()
		defer r.mu.Unlock()
		*list = append(*list, v)
	}
	return reactor.WithHooks(context.Background(), reactor.Hooks{
		Discard:      func(_ context.Context, v any) { add(&r.discarded, v) },
		NextDropped:  func(_ context.Context, v any) { add(&r.dropped, v) },
		ErrorDropped: func(_ context.Context, err error) { add(&r.errs, err) },
	}), r
}
