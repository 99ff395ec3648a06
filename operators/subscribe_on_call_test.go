package operators

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// callers are the publishers that call fn when they are asked.
func callers[T any](fn func() (T, error)) map[string]reactor.Publisher[T] {
	return map[string]reactor.Publisher[T]{
		"fromCallable": FromCallable(fn),
		"fromFunc":     FromFunc(func(context.Context) (T, error) { return fn() }),
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
					p.assertOpen(t)
					assert.Zero(t, calls, "nobody has asked")
					p.request(1)
					assert.Zero(t, calls, "not on the goroutine that requests")
					h.run()
				}
				p.assertCompleted(t, 7)
				p.request(1)
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
			p.assertFailed(t, errBoom)
		})
	}
}

func TestSubscribeOnCallCancelled(t *testing.T) {
	for name, src := range callers(func() (int, error) { panic("called") }) {
		t.Run(name, func(t *testing.T) {
			h := &handScheduler{}
			p := run(SubscribeOn(src, h))
			p.cancel()
			p.cancel()
			assert.True(t, h.waiting[0].IsDisposed(), "the task was taken back")
			h.waiting[0].run(t.Context()) // it had begun
			p.assertOpen(t)

			p = probeOf[int](0)
			p.onSubscribe = reactor.Subscription.Cancel
			SubscribeOn(src, h).Subscribe(t.Context(), p)
			assert.Len(t, h.waiting, 1, "no task")

			p = probeOf[int](0)
			SubscribeOn(src, h).Subscribe(t.Context(), p)
			h.run()
			p.cancel()
			p.request(1)
			h.run()
			p.assertOpen(t)
		})
	}
}

// Who cancels while the scheduler takes the task finds none to take back.
func TestSubscribeOnCallCancelledWhileItIsScheduled(t *testing.T) {
	for name, src := range callers(func() (int, error) { panic("called") }) {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %t", name, late), func(t *testing.T) {
				h, p := &handScheduler{}, probeOf[int](0)
				cancel := func(int) error { p.cancel(); return nil }
				if !late {
					h.onOffer = cancel
				}
				SubscribeOn(src, h).Subscribe(context.Background(), p)
				if late {
					h.run()
					h.onOffer = cancel
					p.request(1)
				}
				require.Len(t, h.waiting, 1)
				assert.True(t, h.waiting[0].IsDisposed())
				p.assertOpen(t)
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
			p.request(1)
			require.Len(t, h.waiting, 1)
			p.cancel()
			assert.True(t, h.waiting[0].IsDisposed())
		})
	}
}

// The context of a function ends when its call is cancelled.
func TestSubscribeOnCallCancelledWhileItRuns(t *testing.T) {
	h := &handScheduler{}
	ctx, hooks := recordHooks()
	var p *probe[int]
	src := FromFunc(func(ctx context.Context) (int, error) {
		p.cancel()
		assert.ErrorIs(t, context.Cause(ctx), reactor.ErrCancelled)
		return 7, nil
	})
	p = runWith(ctx, SubscribeOn(src, h))
	h.run()
	p.assertOpen(t)
	assert.Equal(t, []any{7}, hooks.discarded)
}

func TestSubscribeOnCallRefused(t *testing.T) {
	src := FromCallable(func() (int, error) { return 7, nil })
	h := &handScheduler{}
	h.refuse(schedulers.ErrCapacity)
	p := run(SubscribeOn(src, h))
	p.assertFailed(t, reactor.ErrRejected)
	assert.ErrorIs(t, p.failure(), schedulers.ErrCapacity)
	assert.ErrorContains(t, p.failure(), "subscribeOn")

	h.refuse(nil)
	p = probeOf[int](0)
	SubscribeOn(src, h).Subscribe(t.Context(), p)
	h.run()
	h.refuse(schedulers.ErrUnavailable)
	p.request(1)
	p.assertFailed(t, reactor.ErrRejected)
	p.request(1)
	p.assertFailed(t, reactor.ErrRejected)

	p = probeOf[int](1)
	p.onSubscribe = func(up reactor.Subscription) { up.Cancel() }
	SubscribeOn(src, h).Subscribe(t.Context(), p)
	p.assertOpen(t)
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
		calls := []func(){h.run, func() { p.request(1); p.request(2) }, p.cancel}
		return calls[:2+round%2], func() {
			h.run()
			p.assertFaultless(t)
			l.Check()
			if round%2 == 0 {
				assert.Len(t, p.got(), 1)
			}
		}
	})
}
