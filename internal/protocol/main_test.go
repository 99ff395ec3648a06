package protocol

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/leak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

// probe is a subscriber that records everything. It belongs to the module, so no
// strict edge is put in front of it; foreignProbe is the other kind.
type probe[T any] struct {
	Inner
	probeState[T]
}

type foreignProbe[T any] struct{ probeState[T] }

type probeState[T any] struct {
	up       reactor.Subscription
	inFlight atomic.Int32
	overlaps atomic.Int32
	subs     int
	items    []T // no lock on purpose: the race detector proves that signals are serial
	errs     []error
	done     int
	onSub    func()
	onNext   func(T)
	onEnd    func()
}

func (p *probeState[T]) enter() func() {
	if p.inFlight.Add(1) != 1 {
		p.overlaps.Add(1)
	}
	return func() { p.inFlight.Add(-1) }
}

func (p *probeState[T]) OnSubscribe(up reactor.Subscription) {
	defer p.enter()()
	p.subs++
	p.up = up
	if p.onSub != nil {
		p.onSub()
	}
}

func (p *probeState[T]) OnNext(v T) {
	defer p.enter()()
	p.items = append(p.items, v)
	if p.onNext != nil {
		p.onNext(v)
	}
}

func (p *probeState[T]) OnError(err error) {
	defer p.enter()()
	p.errs = append(p.errs, err)
	if p.onEnd != nil {
		p.onEnd()
	}
}

func (p *probeState[T]) OnComplete() {
	defer p.enter()()
	p.done++
	if p.onEnd != nil {
		p.onEnd()
	}
}

// countingSub is an upstream subscription that adds up what is asked of it.
type countingSub struct {
	requested atomic.Int64
	requests  atomic.Int64
	cancels   atomic.Int64
}

func (c *countingSub) Request(n int64) { c.requests.Add(1); c.requested.Add(n) }
func (c *countingSub) Cancel()         { c.cancels.Add(1) }

// captured collects what the hooks report under the context it returns.
type captured struct {
	mu        sync.Mutex
	errs      []error
	next      []any
	discarded []any
}

func capture() (context.Context, *captured) {
	c := &captured{}
	return reactor.WithHooks(context.Background(), reactor.Hooks{
		ErrorDropped: func(_ context.Context, err error) { c.mu.Lock(); c.errs = append(c.errs, err); c.mu.Unlock() },
		NextDropped:  func(_ context.Context, v any) { c.mu.Lock(); c.next = append(c.next, v); c.mu.Unlock() },
		Discard:      func(_ context.Context, v any) { c.mu.Lock(); c.discarded = append(c.discarded, v); c.mu.Unlock() },
	}), c
}
