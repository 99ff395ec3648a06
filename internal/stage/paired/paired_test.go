package paired

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

var errBoom = errors.New("boom")

// until is a stage of nothing but an Until.
type until struct{ Until[int] }

func (u *until) OnNext(v int) { u.Out.Deliver(u.Down, v) }

func newUntil(ctx context.Context, p *probe.Probe[int]) (u *until, companion *probe.Source) {
	u, companion = &until{}, &probe.Source{}
	u.Init(ctx, p)
	u.Other.Set(1, companion)
	return u, companion
}

func TestUntilTheSourceEnds(t *testing.T) {
	for _, err := range []error{nil, errBoom} {
		ctx, hooks := probe.Recorded()
		p := &probe.Probe[int]{Initial: 3}
		u, companion := newUntil(ctx, p)
		up := &probe.Source{}
		u.OnSubscribe(up)
		assert.EqualValues(t, 3, up.Asked)
		u.OnNext(1)
		if err != nil {
			u.OnError(err)
			p.Failed(t, errBoom, 1)
		} else {
			u.OnComplete()
			p.Done(t, 1)
		}
		assert.Equal(t, 1, companion.Cancelled)
		assert.False(t, u.End(nil), "the companion is too late")
		assert.Empty(t, hooks.Errs)
	}
}

func TestUntilTheCompanionEnds(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := &probe.Probe[int]{Initial: 3}
	u, _ := newUntil(ctx, p)
	up := &probe.Source{}
	u.OnSubscribe(up)
	u.OnNext(1)
	assert.True(t, u.End(nil))
	assert.Equal(t, 1, up.Cancelled)
	p.Done(t, 1)
	u.OnError(errBoom)
	p.Done(t, 1)
	assert.Len(t, hooks.Errs, 1, "nobody hears of it but the hook")
}

// A companion that is faster than the subscription of the source: downstream gets one of its own, and that of the
// source is cancelled.
func TestUntilTheCompanionEndsBeforeTheSourceBegins(t *testing.T) {
	p := &probe.Probe[int]{Initial: 3}
	u, _ := newUntil(t.Context(), p)
	assert.True(t, u.End(errBoom))
	p.Failed(t, errBoom)
	up := &probe.Source{}
	u.OnSubscribe(up)
	assert.Equal(t, 1, up.Cancelled)
	assert.Zero(t, up.Asked)
	p.Failed(t, errBoom)
}

// Downstream ends the goroutine when it gets that subscription: it gets the end all the same.
func TestUntilTheCompanionEndsAndDownstreamEndsTheGoroutine(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := &probe.Probe[int]{Subscribed: func(reactor.Subscription) { runtime.Goexit() }}
	u, _ := newUntil(ctx, p)
	racetest.Aside(func() { u.End(errBoom) })
	p.Failed(t, errBoom)
	assert.Empty(t, hooks.Errs)
}

func TestUntilCancelled(t *testing.T) {
	p := &probe.Probe[int]{}
	u, companion := newUntil(t.Context(), p)
	up := &probe.Source{}
	u.OnSubscribe(up)
	p.Cancel()
	assert.Equal(t, 1, up.Cancelled)
	assert.Equal(t, 1, companion.Cancelled)
	assert.False(t, u.End(nil))
	p.Open(t)
}

func TestUntilErrorBehindACancellationIsDropped(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := &probe.Probe[int]{}
	u, companion := newUntil(ctx, p)
	u.OnSubscribe(&probe.Source{})
	p.Cancel()
	u.OnError(errBoom)
	p.Open(t)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
	assert.Positive(t, companion.Cancelled)
}

// Downstream cancels, and fails then: it hears of its own failure.
func TestUntilFailureOfWhoHasCancelled(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := &probe.Probe[int]{Initial: 3}
	p.Each = func(int) {
		p.Cancel()
		panic(errBoom)
	}
	u, _ := newUntil(ctx, p)
	u.OnSubscribe(&probe.Source{})
	assert.PanicsWithValue(t, errBoom, func() { u.OnNext(1) })
	u.OnError(errBoom) // as the guard of a source does
	p.Failed(t, errBoom, 1)
	assert.Empty(t, hooks.Errs)
}

// Whatever comes first, downstream has its subscription before the end, and one end.
func TestUntilRaces(t *testing.T) {
	racetest.Rounds(t, 3000, func() ([]func(), func()) {
		ctx, _ := probe.Recorded()
		p := &probe.Probe[int]{Initial: 3}
		u, _ := newUntil(ctx, p)
		calls := []func(){
			func() {
				u.OnSubscribe(&probe.Source{})
				u.OnNext(1)
				u.OnComplete()
			},
			func() { u.End(errBoom) },
		}
		return calls, func() {
			p.Faultless(t)
			assert.True(t, p.Over())
		}
	})
}

func TestOther(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var got []int
	ends := 0
	o := &Other[int]{Ctx: ctx, Next: func(v int) { got = append(got, v) }, Ended: func(error) { ends++ }}
	up := &probe.Source{}
	o.OnSubscribe(up)
	assert.Equal(t, probe.All, up.Asked)
	o.OnNext(1)
	assert.False(t, o.IsDisposed())
	o.Dispose()
	assert.Equal(t, 1, up.Cancelled)
	assert.True(t, o.IsDisposed())
	o.OnNext(2)
	o.OnComplete()
	o.OnError(errBoom)
	assert.Equal(t, []int{1}, got, "nothing after that")
	assert.Zero(t, ends)
	assert.Len(t, hooks.Errs, 1)
}

func TestOtherEndsOnce(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var ends []error
	o := &Other[int]{Ctx: ctx, Next: func(int) {}, Ended: func(err error) { ends = append(ends, err) }}
	o.OnSubscribe(&probe.Source{})
	o.OnComplete()
	o.OnComplete()
	o.OnError(errBoom)
	assert.Equal(t, []error{nil}, ends)
	assert.Len(t, hooks.Errs, 1)
}

// owned is told when nobody wants it.
type owned struct{ told *int }

func (o owned) Discarded() { *o.told++ }

// What comes behind the end of interest goes no further; an element that owns something is told.
func TestOtherSpendsWhatComesLate(t *testing.T) {
	ctx, hooks := probe.Recorded()
	told, got := 0, 0
	o := &Other[owned]{Ctx: ctx, Next: func(owned) { got++ }, Ended: func(error) {}}
	o.OnSubscribe(&probe.Source{})
	o.OnNext(owned{&told})
	assert.Equal(t, []int{1, 0}, []int{got, told})
	o.Dispose()
	o.OnNext(owned{&told})
	assert.Equal(t, []int{1, 1}, []int{got, told})
	assert.Empty(t, hooks.Discarded, "the hook does not get it")
}
