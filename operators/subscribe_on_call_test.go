package operators

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// callers are the publishers that call fn when they are asked.
func callers[T any](fn func() (T, error)) map[string]reactor.Publisher[T] {
	return map[string]reactor.Publisher[T]{
		"fromCallable": FromCallable(fn),
		"fromFunc":     FromFunc(func(context.Context) (T, error) { return fn() }),
		"map":          Map(Map(FromCallable(fn), unchanged[T]), unchanged[T]),
		"tryMap":       Map(TryMap(FromFunc(func(context.Context) (T, error) { return fn() }), func(v T) (T, error) { return v, nil }), unchanged[T]),
	}
}

func unchanged[T any](v T) T { return v }

// A stage that changes the element changes it on the worker, and what is wrong there is its own.
func TestSubscribeOnCallBehindAMap(t *testing.T) {
	called := FromFunc(func(context.Context) (int, error) { return 7, nil })
	for name, c := range map[string]struct {
		src  reactor.Publisher[int]
		want error
		op   string
	}{
		"map":    {src: Map(called, func(int) int { panic(errBoom) }), want: errBoom, op: "map"},
		"tryMap": {src: TryMap(called, func(int) (int, error) { return 0, errBoom }), want: errBoom},
		"panic":  {src: TryMap(called, func(int) (int, error) { panic(errBoom) }), want: errBoom, op: "tryMap"},
	} {
		h := &handScheduler{}
		p := run(SubscribeOn(c.src, h))
		p.Open(t)
		h.run()
		p.Failed(t, c.want)
		if c.op != "" {
			var failed *reactor.PanicError
			require.ErrorAs(t, p.Failure(), &failed)
			assert.Equal(t, c.op, failed.Op, name)
		}
		assert.Zero(t, h.pending())
	}
	for _, n := range []int64{0, 1} {
		h := &handScheduler{}
		p := probeOf[int](n)
		seen := 0
		SubscribeOn(Map(Just(7), func(v int) int { seen++; return v }), h).Subscribe(t.Context(), p)
		assert.Zero(t, seen)
		h.run()
		p.Request(1)
		assert.EqualValues(t, n, seen)
		h.run()
		p.Done(t, 7)
		h.assertReleased(t)
	}
}

func TestSubscribeOnCallsOnAWorkerWhenAsked(t *testing.T) {
	for _, early := range []bool{true, false} {
		calls := 0
		for name, src := range callers(func() (int, error) { calls++; return 7, nil }) {
			t.Run(name, func(t *testing.T) {
				calls = 0
				h := &handScheduler{}
				p := probeOf[int](0)
				if early {
					p = probeOf[int](1)
				}
				SubscribeOn(src, h).Subscribe(t.Context(), p)
				assert.Zero(t, calls, "not on the goroutine that subscribes")
				h.run()
				if !early {
					p.Open(t)
					assert.Zero(t, calls, "nobody has asked")
					p.Request(1)
					assert.Zero(t, calls, "not on the goroutine that requests")
					h.run()
				}
				p.Done(t, 7)
				p.Request(1)
				h.run()
				assert.Equal(t, 1, calls)
			})
		}
	}
}

func TestSubscribeOnCallFails(t *testing.T) {
	for name, src := range callers(func() (int, error) { return 0, errBoom }) {
		t.Run(name, func(t *testing.T) {
			h := &handScheduler{}
			p := run(SubscribeOn(src, h))
			h.run()
			p.Failed(t, errBoom)
		})
	}
}

func TestSubscribeOnCallCancelled(t *testing.T) {
	for name, src := range callers(func() (int, error) { panic("called") }) {
		t.Run(name, func(t *testing.T) {
			h := &handScheduler{}
			p := run(SubscribeOn(src, h))
			p.Cancel()
			p.Cancel()
			assert.True(t, h.waiting[0].IsDisposed(), "the task was taken back")
			h.waiting[0].run(t.Context()) // it had begun
			p.Open(t)

			p = probeOf[int](0)
			p.Subscribed = reactor.Subscription.Cancel
			SubscribeOn(src, h).Subscribe(t.Context(), p)
			assert.Len(t, h.waiting, 1, "no task")

			p = probeOf[int](0)
			SubscribeOn(src, h).Subscribe(t.Context(), p)
			h.run()
			p.Cancel()
			p.Request(1)
			h.run()
			p.Open(t)
		})
	}
}

// Who cancels while the scheduler takes the task finds none to take back.
func TestSubscribeOnCallCancelledWhileItIsScheduled(t *testing.T) {
	for name, src := range callers(func() (int, error) { panic("called") }) {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %t", name, late), func(t *testing.T) {
				h, p := &handScheduler{}, probeOf[int](0)
				cancel := func(int) error { p.Cancel(); return nil }
				if !late {
					h.onOffer = cancel
				}
				SubscribeOn(src, h).Subscribe(context.Background(), p)
				if late {
					h.run()
					h.onOffer = cancel
					p.Request(1)
				}
				require.Len(t, h.waiting, 1)
				assert.True(t, h.waiting[0].IsDisposed())
				p.Open(t)
			})
		}
	}
}

// Both tasks are taken back: the one that comes first, and the one that comes with the demand.
func TestSubscribeOnCallTakesBackItsSecondTask(t *testing.T) {
	for name, src := range callers(func() (int, error) { panic("called") }) {
		t.Run(name, func(t *testing.T) {
			h, p := &handScheduler{}, probeOf[int](0)
			SubscribeOn(src, h).Subscribe(context.Background(), p)
			h.run()
			p.Request(1)
			require.Len(t, h.waiting, 1)
			p.Cancel()
			assert.True(t, h.waiting[0].IsDisposed())
		})
	}
}

// The context of a function ends when its call is cancelled.
func TestSubscribeOnCallCancelledWhileItRuns(t *testing.T) {
	h := &handScheduler{}
	ctx, hooks := probe.Recorded()
	var p *probe.Probe[int]
	src := FromFunc(func(ctx context.Context) (int, error) {
		p.Cancel()
		assert.ErrorIs(t, context.Cause(ctx), reactor.ErrCancelled)
		return 7, nil
	})
	p = runWith(ctx, SubscribeOn(src, h))
	h.run()
	p.Open(t)
	assert.Equal(t, []any{7}, hooks.Discarded)
}

func TestSubscribeOnCallRefused(t *testing.T) {
	src := FromCallable(func() (int, error) { return 7, nil })
	h := &handScheduler{}
	h.refuse(schedulers.ErrCapacity)
	p := run(SubscribeOn(src, h))
	p.Failed(t, reactor.ErrRejected)
	assert.ErrorIs(t, p.Failure(), schedulers.ErrCapacity)
	assert.ErrorContains(t, p.Failure(), "subscribeOn")

	h.refuse(nil)
	p = probeOf[int](0)
	SubscribeOn(src, h).Subscribe(t.Context(), p)
	h.run()
	h.refuse(schedulers.ErrUnavailable)
	p.Request(1)
	p.Failed(t, reactor.ErrRejected)
	p.Request(1)
	p.Failed(t, reactor.ErrRejected)

	p = probeOf[int](1)
	p.Subscribed = func(up reactor.Subscription) { up.Cancel() }
	SubscribeOn(src, h).Subscribe(t.Context(), p)
	p.Open(t)
}

func TestSubscribeOnCallRaces(t *testing.T) {
	round := 0
	racetest.Rounds(t, 3000, func() ([]func(), func()) {
		round++
		l := ledger.New(t)
		h := &handScheduler{}
		p := ledgerProbe(l, 0)
		src := FromCallable(func() (*ledger.Element, error) { return l.Produce(), nil })
		SubscribeOn(src, h).Subscribe(l.Context(context.Background()), p)
		calls := []func(){h.run, func() { p.Request(1); p.Request(2) }, p.Cancel}
		return calls[:2+round%2], func() {
			h.run()
			p.Faultless(t)
			l.Check()
			if round%2 == 0 {
				assert.Len(t, p.Got(), 1)
			}
		}
	})
}
