package reactortest

import (
	"context"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/operators"
)

// op marks publishers that keep the rules, without a place in the documentation of those that embed it.
type op = protocol.Op

// PublisherProbe stands in front of a publisher and tells whether a pipeline has used it: for
// example, whether a branch of a fallback or a switch was subscribed to, asked for elements
// and cancelled.
//
//	fallback := reactortest.NewProbe(t, flux.Just(0))
//	NewStepVerifier(t, src.SwitchIfEmpty(fallback)).ExpectNext(1).VerifyComplete()
//	fallback.AssertNotSubscribed()
type PublisherProbe[T any] struct {
	op
	t   testing.TB
	src reactor.Publisher[T]

	subscribed, cancelled atomic.Int64
	requested             atomic.Int64 // of all subscriptions, saturating
	completed, failed     atomic.Int64
	ctx                   atomic.Pointer[context.Context] // of the latest subscription
}

// NewProbe returns a probe in front of src. It changes nothing about its signals.
func NewProbe[T any](t testing.TB, src reactor.Publisher[T]) *PublisherProbe[T] {
	return &PublisherProbe[T]{op: op{}, t: t, src: protocol.Trust("probe", src)}
}

// NewEmptyProbe returns a probe in front of a publisher without elements.
func NewEmptyProbe[T any](t testing.TB) *PublisherProbe[T] {
	return NewProbe(t, operators.Empty[T]())
}

// Subscribe implements reactor.Publisher.
func (p *PublisherProbe[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.subscribed.Add(1)
	p.ctx.Store(&ctx)
	p.src.Subscribe(ctx, &probing[T]{probe: p, down: protocol.Strict(ctx, s)})
}

// Subscriptions returns how many times the probe was subscribed to.
func (p *PublisherProbe[T]) Subscriptions() int64 { return p.subscribed.Load() }

// Context returns the context of the latest subscriber, nil before there was one: the context
// of the test, as each ContextWrite below has changed it.
func (p *PublisherProbe[T]) Context() context.Context {
	if ctx := p.ctx.Load(); ctx != nil {
		return *ctx
	}
	return nil
}

// AssertContextValue ends the test unless somebody has subscribed with a context in which key has this
// value. They are compared by reflect.DeepEqual.
func (p *PublisherProbe[T]) AssertContextValue(key, want any) {
	p.t.Helper()
	ctx := p.Context()
	p.assert(ctx != nil, "was not subscribed")
	if got := ctx.Value(key); !reflect.DeepEqual(got, want) {
		p.t.Fatalf("reactortest: PublisherProbe: expected %s for the key %v in the context of the subscriber, but there is %s", show(want), key, show(got))
	}
}

// Requested returns the sum of all requests, which may be reactor.Unbounded.
func (p *PublisherProbe[T]) Requested() int64 { return p.requested.Load() }

// Cancellations returns how many subscriptions were cancelled before their end.
func (p *PublisherProbe[T]) Cancellations() int64 { return p.cancelled.Load() }

// Completions returns how many subscriptions have completed.
func (p *PublisherProbe[T]) Completions() int64 { return p.completed.Load() }

// Failures returns how many subscriptions have failed.
func (p *PublisherProbe[T]) Failures() int64 { return p.failed.Load() }

// AssertSubscribed ends the test unless somebody has subscribed.
func (p *PublisherProbe[T]) AssertSubscribed() {
	p.t.Helper()
	p.assert(p.Subscriptions() > 0, "was not subscribed")
}

// AssertNotSubscribed ends the test if somebody has subscribed.
func (p *PublisherProbe[T]) AssertNotSubscribed() {
	p.t.Helper()
	p.assert(p.Subscriptions() == 0, "was subscribed")
}

// AssertRequested ends the test unless elements were requested.
func (p *PublisherProbe[T]) AssertRequested() {
	p.t.Helper()
	p.assert(p.Requested() > 0, "was not asked for elements")
}

// AssertNotRequested ends the test if elements were requested.
func (p *PublisherProbe[T]) AssertNotRequested() {
	p.t.Helper()
	p.assert(p.Requested() == 0, "was asked for elements")
}

// AssertCancelled ends the test unless a subscription was cancelled.
func (p *PublisherProbe[T]) AssertCancelled() {
	p.t.Helper()
	p.assert(p.Cancellations() > 0, "was not cancelled")
}

// AssertNotCancelled ends the test if a subscription was cancelled.
func (p *PublisherProbe[T]) AssertNotCancelled() {
	p.t.Helper()
	p.assert(p.Cancellations() == 0, "was cancelled")
}

func (p *PublisherProbe[T]) assert(ok bool, what string) {
	p.t.Helper()
	if !ok {
		p.t.Fatalf("reactortest: the publisher behind the probe %s; subscribed %d times, %s requested, cancelled %d times, completed %d, failed %d",
			what, p.Subscriptions(), demandString(p.Requested()), p.Cancellations(), p.Completions(), p.Failures())
	}
}

// probing is one subscription of a probe.
type probing[T any] struct {
	protocol.Inner
	probe *PublisherProbe[T]
	down  reactor.Subscriber[T]
	up    reactor.Subscription // set by OnSubscribe
	over  atomic.Bool          // ended or cancelled
}

func (s *probing[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *probing[T]) OnNext(v T) { s.down.OnNext(v) }

func (s *probing[T]) OnError(err error) {
	if s.over.CompareAndSwap(false, true) {
		s.probe.failed.Add(1)
	}
	s.down.OnError(err)
}

func (s *probing[T]) OnComplete() {
	if s.over.CompareAndSwap(false, true) {
		s.probe.completed.Add(1)
	}
	s.down.OnComplete()
}

func (s *probing[T]) Request(n int64) {
	demand.Add(&s.probe.requested, n)
	s.up.Request(n)
}

func (s *probing[T]) Cancel() {
	if s.over.CompareAndSwap(false, true) {
		s.probe.cancelled.Add(1)
	}
	s.up.Cancel()
}
