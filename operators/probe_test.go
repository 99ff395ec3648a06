package operators

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// probeOf returns a probe that requests initial at the start.
func probeOf[T any](initial int64) *probe.Probe[T] { return &probe.Probe[T]{Initial: initial} }

// run subscribes a probe with unbounded demand.
func run[T any](src reactor.Publisher[T]) *probe.Probe[T] { return runWith(context.Background(), src) }

func runWith[T any](ctx context.Context, src reactor.Publisher[T]) *probe.Probe[T] {
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
