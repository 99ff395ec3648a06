package probe

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

var errBoom = errors.New("boom")

func TestProbeRecords(t *testing.T) {
	up := &Source{}
	p := &Probe[int]{Initial: 2, Subscribed: func(s reactor.Subscription) { assert.Same(t, up, s) }}
	p.OnSubscribe(up)
	p.OnNext(1)
	p.OnNext(2)
	p.Open(t, 1, 2)
	p.Request(1)
	p.OnNext(3)
	assert.EqualValues(t, 3, up.Asked)
	assert.False(t, p.Over())
	p.OnComplete()
	p.Done(t, 1, 2, 3)
	p.Faultless(t)
	assert.True(t, p.Over())
	assert.Equal(t, []int{1, 2, 3}, p.Got())
	p.Cancel()
	assert.Equal(t, 1, up.Cancelled)

	failed := Listen[int](protocol.Trust("probe", failing{}), 1)
	failed.Failed(t, errBoom)
	assert.Equal(t, errBoom, failed.Failure())
	assert.NoError(t, p.Failure())
	p.Items(t, 1, 2, 3)

	allowed := &Probe[int]{}
	allowed.OnSubscribe(&Source{})
	allowed.Allow(1)
	allowed.OnNext(1)
	allowed.Open(t, 1)
}

type failing struct{}

func (failing) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	s.OnSubscribe(&Source{})
	s.OnError(errBoom)
}

// Each rule that is broken is noted.
func TestProbeFindsFaults(t *testing.T) {
	for want, break_ := range map[string]func(p *Probe[int]){
		"element 2 without demand":                     func(p *Probe[int]) { p.OnNext(1); p.OnNext(2) },
		"element 1 before the start or after the end":  func(p *Probe[int]) { p.OnComplete(); p.OnNext(1) },
		"end (boom) before the start or after the end": func(p *Probe[int]) { p.OnComplete(); p.OnError(errBoom) },
		"second OnSubscribe":                           func(p *Probe[int]) { p.Initial = 0; p.OnSubscribe(&Source{}) },
		"something else":                               func(p *Probe[int]) { p.Fault("something else") },
		"OnComplete during another signal": func(p *Probe[int]) {
			p.Each = func(int) { p.OnComplete() }
			p.OnNext(1)
		},
	} {
		p := &Probe[int]{Initial: 1}
		p.OnSubscribe(&Source{})
		break_(p)
		assert.Equal(t, []string{want}, p.Faults())
	}
	p := &Probe[int]{}
	p.Allow(1)
	p.OnNext(1)
	p.OnComplete()
	assert.Equal(t, []string{"element 1 before the start or after the end", "end (<nil>) before the start or after the end"}, p.Faults())
}

func TestProbeWhole(t *testing.T) {
	for _, whole := range []bool{false, true} {
		p := &Probe[int]{Whole: whole}
		p.Subscribed = func(reactor.Subscription) { p.OnComplete() }
		p.OnSubscribe(&Source{})
		assert.Len(t, p.Faults(), map[bool]int{true: 1}[whole])
	}
}

func TestSource(t *testing.T) {
	s := &Source{}
	s.Request(2)
	s.Request(reactor.Unbounded)
	assert.EqualValues(t, reactor.Unbounded, s.Asked)
	assert.False(t, s.IsDisposed())
	s.Cancel()
	s.Dispose()
	assert.Equal(t, 2, s.Cancelled)
	assert.True(t, s.IsDisposed())
}

// A test that expects something else fails.
func TestProbeFailsTheTest(t *testing.T) {
	got := func() *Probe[int] {
		p := &Probe[int]{Initial: 1}
		p.OnSubscribe(&Source{})
		p.OnNext(1)
		return p
	}
	ended := got()
	ended.OnComplete()
	broken := got()
	broken.OnNext(2)
	for name, expect := range map[string]func(t testing.TB){
		"other elements":  func(t testing.TB) { got().Open(t, 2) },
		"too few":         func(t testing.TB) { got().Open(t) },
		"not completed":   func(t testing.TB) { got().Done(t, 1) },
		"not open":        func(t testing.TB) { ended.Open(t, 1) },
		"not failed":      func(t testing.TB) { ended.Failed(t, errBoom, 1) },
		"a broken rule":   func(t testing.TB) { broken.Open(t, 1, 2) },
		"a broken rule, ": func(t testing.TB) { broken.Faultless(t) },
		"other items":     func(t testing.TB) { got().Items(t, 2) },
	} {
		outer := &failed{TB: t}
		expect(outer)
		assert.NotZero(t, outer.n, name)
	}
}

// failed is a test that counts what it is told.
type failed struct {
	testing.TB
	n int
}

func (f *failed) Errorf(string, ...any) { f.n++ }
func (f *failed) Helper()               {}

func TestRecorded(t *testing.T) {
	ctx, r := Recorded()
	reactor.Discard(ctx, 1)
	reactor.DropNext(ctx, 2)
	reactor.DropError(ctx, errBoom)
	assert.Equal(t, []any{1}, r.Discarded)
	assert.Equal(t, []any{2}, r.Dropped)
	assert.Len(t, r.Errs, 1)
	discarded, dropped, errs := r.Seen()
	assert.Equal(t, []any{1}, discarded)
	assert.Equal(t, []any{2}, dropped)
	assert.Equal(t, r.Errs, errs)
}
