package unicast

import (
	"context"
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

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

// probe records, and checks that signals are serial and none comes after the end or
// without demand.
type probe[T any] struct {
	protocol.Inner
	demand    int64 // requested by OnSubscribe
	cancels   bool  // in OnSubscribe
	onNext    func(T)
	up        reactor.Subscription
	requested atomic.Int64
	inside    atomic.Int32

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
	defer p.enter("OnSubscribe")()
	p.up = up
	if p.demand > 0 {
		p.request(p.demand)
	}
	if p.cancels {
		up.Cancel()
	}
}

func (p *probe[T]) OnNext(v T) {
	defer p.enter("OnNext")()
	p.mu.Lock()
	p.items = append(p.items, v)
	n, ended := int64(len(p.items)), p.completed || p.err != nil
	p.mu.Unlock()
	if ended || n > p.requested.Load() {
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

func (p *probe[T]) assert(t testing.TB, err error, completed bool, items ...T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Empty(t, p.faults)
	if len(items) > 0 || len(p.items) > 0 {
		assert.Equal(t, items, p.items)
	}
	assert.ErrorIs(t, p.err, err)
	assert.Equal(t, completed, p.completed, "completed")
}

// owner records what it is told.
type owner struct {
	released  []bool
	delivered atomic.Int64
	lost      atomic.Int64
}

func (o *owner) Released(cancelled bool) { o.released = append(o.released, cancelled) }

func (o *owner) Delivered(n int64) { o.delivered.Add(n) }
func (o *owner) Passed()           { o.delivered.Add(1) }

// recorded returns a context whose hooks record.
func recorded() (context.Context, *record) {
	r := &record{}
	return reactor.WithHooks(context.Background(), reactor.Hooks{
		NextDropped:  func(_ context.Context, v any) { r.dropped = append(r.dropped, v) },
		ErrorDropped: func(_ context.Context, err error) { r.errs = append(r.errs, err) },
		Discard:      func(_ context.Context, v any) { r.discarded = append(r.discarded, v) },
	}), r
}

type record struct {
	dropped, discarded []any
	errs               []error
}

func (o *owner) Lost(n int64) { o.lost.Add(n) }
