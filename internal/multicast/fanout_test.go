package multicast

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

var errStopped = errors.New("stopped")

// joined makes p a subscriber of f.
func joined(ctx context.Context, f *Fanout[int], p *probe.Probe[int]) {
	m := NewMember[int](ctx, p)
	p.OnSubscribe(m)
	f.Add(m)
}

// The error of the producer comes while an element is on its way, and a stop from outside overtakes it: what
// subscribers do not hear is dropped.
func TestFanoutStopOvertakesAnError(t *testing.T) {
	ctx, hooks := probe.Recorded()
	f := &Fanout[int]{Queue: queue.NewRing[int](4)}
	f.SetContext(ctx)
	p := &probe.Probe[int]{Initial: 1, Each: func(int) {
		f.End(assert.AnError)
		f.Stop(errStopped)
	}}
	joined(ctx, f, p)
	assert.True(t, f.Offer(1))
	p.Failed(t, errStopped, 1)
	assert.Equal(t, []any{assert.AnError}, hooks.Errs)
}

// askedQueue calls a function when it is asked for something.
type askedQueue struct {
	queue.Queue[int]
	asked func()
}

func (q *askedQueue) Poll() (int, bool) { q.asked(); return q.Queue.Poll() }

func (q *askedQueue) IsEmpty() bool { q.asked(); return q.Queue.IsEmpty() }

// An element that is offered when a subscriber has come reaches it, also if it comes into the middle of a delivery to the others.
func TestFanoutElementForWhoHasJustCome(t *testing.T) {
	q := &askedQueue{Queue: queue.NewRing[int](4), asked: func() {}}
	f := &Fanout[int]{Queue: q}
	first, second := &probe.Probe[int]{}, &probe.Probe[int]{Initial: probe.All}
	first.Each = func(v int) {
		if v == 1 {
			q.asked = func() {
				q.asked = func() {}
				joined(t.Context(), f, second)
				assert.True(t, f.Offer(2))
			}
		}
	}
	joined(t.Context(), f, first)
	assert.True(t, f.Offer(1))
	first.Request(probe.All)
	first.Open(t, 1, 2)
	second.Open(t, 2)
}

// Who comes after a stop with an error hears of that.
func TestFanoutErrOfAStop(t *testing.T) {
	f := &Fanout[int]{Queue: queue.NewRing[int](4)}
	assert.NoError(t, f.Err())
	assert.True(t, f.Stop(errStopped))
	assert.Equal(t, errStopped, f.Err())
}

// The end waits for somebody to hear of it. Whoever was there may leave when it is about to be told, here as what waits is
// discarded before: an error is dropped then.
func TestFanoutErrorThatFindsItsLastSubscriberGone(t *testing.T) {
	p := &probe.Probe[int]{}
	var dropped []error
	f := &Fanout[int]{Queue: queue.NewRing[int](4), Patient: true}
	f.SetContext(reactor.WithHooks(t.Context(), reactor.Hooks{
		Discard:      func(context.Context, any) { p.Cancel() },
		ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) },
	}))
	joined(f.Context(), f, p)
	assert.True(t, f.Offer(1))
	f.End(assert.AnError)
	f.Stop(nil)
	p.Open(t)
	assert.Equal(t, []error{assert.AnError}, dropped)
}

func TestFanoutCancelledWhileAdded(t *testing.T) {
	for _, autoCancel := range []bool{false, true} {
		racetest.Rounds(t, 1000, func() ([]func(), func()) {
			f := &Fanout[int]{Queue: queue.NewRing[int](4), AutoCancel: autoCancel}
			p := &probe.Probe[int]{}
			m := NewMember[int](t.Context(), p)
			p.OnSubscribe(m)
			return []func(){func() { assert.True(t, f.Add(m)) }, m.Cancel}, func() { assert.Zero(t, f.Subscribers()) }
		})
	}
}

// Who has cancelled before it is added was never there: the last one to leave is another.
func TestFanoutOneWhoHasCancelledBefore(t *testing.T) {
	f := &Fanout[int]{Queue: queue.NewRing[int](4), AutoCancel: true}
	p := &probe.Probe[int]{}
	m := NewMember[int](t.Context(), p)
	p.OnSubscribe(m)
	m.Cancel()
	assert.True(t, f.Add(m))
	assert.False(t, f.Stopped())
	next := &probe.Probe[int]{Initial: 1}
	joined(t.Context(), f, next)
	assert.True(t, f.Offer(1))
	next.Open(t, 1)
	next.Cancel()
	assert.True(t, f.Stopped())
}

func TestFanoutIsStoppedOnce(t *testing.T) {
	f := &Fanout[int]{Queue: queue.NewRing[int](4)}
	assert.True(t, f.Stop(nil))
	assert.False(t, f.Stop(errStopped))
	assert.NoError(t, f.Err())
}

// A silent stop leaves nobody who could hear of what the producer fails with later.
func TestFanoutErrorBehindASilentStop(t *testing.T) {
	ctx, hooks := probe.Recorded()
	f := &Fanout[int]{Queue: queue.NewRing[int](4)}
	p := &probe.Probe[int]{}
	joined(ctx, f, p)
	f.Stop(nil)
	assert.Empty(t, hooks.Errs)
	f.End(assert.AnError)
	assert.Equal(t, []any{assert.AnError}, hooks.Errs)
	p.Open(t)
}

// The last one leaves when the producer has failed, and has not heard of it: those who come later do, so it is not dropped.
func TestFanoutErrorIsKeptForThoseWhoComeAfterTheLastHasLeft(t *testing.T) {
	ctx, hooks := probe.Recorded()
	f := &Fanout[int]{Queue: queue.NewRing[int](4), AutoCancel: true}
	p := &probe.Probe[int]{Initial: probe.All}
	p.Each = func(int) {
		f.End(assert.AnError)
		p.Cancel()
	}
	joined(ctx, f, p)
	assert.True(t, f.Offer(1))
	p.Open(t, 1)
	assert.True(t, f.Closed())
	assert.Equal(t, assert.AnError, f.Err())
	assert.Empty(t, hooks.Errs)
}

// An end that waits for somebody is nothing that nobody hears of: neither is an error dropped, nor is what waits discarded before.
func TestFanoutEndWaitsForSomebody(t *testing.T) {
	for _, err := range []error{nil, assert.AnError} {
		ctx, hooks := probe.Recorded()
		f := &Fanout[int]{Queue: queue.NewRing[int](4), Patient: true}
		f.SetContext(ctx)
		if err != nil {
			assert.True(t, f.Offer(1))
		}
		f.End(err)
		assert.False(t, f.Closed())
		assert.Empty(t, hooks.Errs)
		assert.Empty(t, hooks.Discarded)
		p := &probe.Probe[int]{Initial: 1}
		joined(ctx, f, p)
		p.Check(t, err, err == nil)
		assert.True(t, f.Closed())
		assert.Empty(t, hooks.Errs)
	}
}

// While everybody waits for one who asks for nothing no list is made for those who come and go, and who has left is not kept.
func TestFanoutOfMany(t *testing.T) {
	const n, few = 1000, 50
	t.Run("come and go", func(t *testing.T) {
		for _, asks := range []int64{0, probe.All} { // with 0 the one who is waited for leaves now and then
			f := &Fanout[int]{Queue: queue.NewRing[int](4)}
			slow := &probe.Probe[int]{}
			joined(t.Context(), f, slow)
			assert.True(t, f.Offer(1))
			lists := 0
			probes := make([]*probe.Probe[int], n)
			for i := range probes {
				probes[i] = &probe.Probe[int]{Initial: asks}
				joined(t.Context(), f, probes[i])
			}
			for _, p := range probes {
				p.Cancel()
				assert.NotEqual(t, p.Up, f.short)
				if f.set.current.Load() != nil {
					lists++
					f.set.changed()
				}
			}
			assert.LessOrEqual(t, lists, few)
			slow.Request(1)
			slow.Open(t, 1)
			assert.Nil(t, f.short)
		}
	})
	t.Run("who was waited for leaves", func(t *testing.T) {
		f := &Fanout[int]{Queue: queue.NewRing[int](4)}
		slow, other := &probe.Probe[int]{}, &probe.Probe[int]{Initial: 1}
		joined(t.Context(), f, slow)
		joined(t.Context(), f, other)
		assert.True(t, f.Offer(1))
		assert.NotNil(t, f.short)
		other.Open(t)
		slow.Cancel()
		other.Open(t, 1)
	})
	t.Run("ask one after the other", func(t *testing.T) {
		for _, back := range []bool{false, true} {
			f := &Fanout[int]{Queue: queue.NewRing[int](4)}
			probes := make([]*probe.Probe[int], n)
			for i := range probes {
				probes[i] = &probe.Probe[int]{}
				joined(t.Context(), f, probes[i])
			}
			assert.True(t, f.Offer(1))
			who, looks := f.set.load(), 0
			for i := range probes {
				if back {
					i = n - 1 - i
				}
				was := who.short
				probes[i].Request(1)
				looks += (was - who.short + n) % n
			}
			assert.LessOrEqual(t, looks, 2*n)
			for _, p := range probes {
				p.Open(t, 1)
			}
		}
	})
}
