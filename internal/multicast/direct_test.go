package multicast

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// nobody waits for anything.
type nobody struct{}

func (nobody) Wake() {}

// The only one of several who has asked for an element leaves when Send has found it there: the element is
// let go.
func TestDirectElementWhoseReceiversLeave(t *testing.T) {
	ctx, hooks := probe.Recorded()
	d := &Direct[int]{Line: nobody{}}
	var receivers []*Receiver[int]
	for n := range int64(2) {
		p := &probe.Probe[int]{Initial: n}
		r := d.NewReceiver(ctx, p)
		p.OnSubscribe(r)
		d.Add(r)
		receivers = append(receivers, r)
	}
	to := d.asked(d.set.load(), false)
	assert.Len(t, to, 1)
	receivers[1].Cancel()
	d.now = delivery[int]{to: to, element: 7}
	d.deliver()
	assert.Equal(t, []any{7}, hooks.Discarded)
	assert.Empty(t, hooks.Errs)
	assert.False(t, d.active)
}

// received makes p a subscriber of d.
func received(ctx context.Context, d *Direct[int], p *probe.Probe[int]) {
	r := d.NewReceiver(ctx, p)
	p.OnSubscribe(r)
	d.Add(r)
}

// The discard hook ends the goroutine when it gets an element that nobody is left for: nobody else is to blame, the hook
// hears of the element once, and the next one is delivered.
func TestDirectDiscardHookThatEndsTheGoroutine(t *testing.T) {
	var discarded []any
	var dropped []error
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
		Discard: func(_ context.Context, v any) {
			discarded = append(discarded, v)
			runtime.Goexit()
		},
		ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) },
	})
	d := &Direct[int]{Line: nobody{}}
	gone := &probe.Probe[int]{Initial: probe.All}
	gone.Each = func(v int) {
		assert.True(t, d.Send(v+1, true))
		gone.Cancel()
	}
	received(ctx, d, gone)
	racetest.Aside(func() { d.Send(1, true) })
	gone.Open(t, 1)
	assert.Equal(t, []any{2}, discarded)
	assert.Equal(t, []error{reactor.ErrGoexit}, dropped)

	next := &probe.Probe[int]{Initial: probe.All}
	received(ctx, d, next)
	assert.True(t, d.Send(3, true))
	next.Open(t, 3)
	assert.Len(t, discarded, 1)
}

// Those who have got an element that not all have asked for are not kept for it.
func TestDirectForgetsWhoGotAnElement(t *testing.T) {
	d := &Direct[int]{Line: nobody{}}
	eager, idle := &probe.Probe[int]{Initial: 1}, &probe.Probe[int]{}
	received(t.Context(), d, eager)
	received(t.Context(), d, idle)
	assert.True(t, d.Send(1, false))
	eager.Open(t, 1)
	idle.Open(t)
	assert.Equal(t, []*Receiver[int]{nil}, d.some)
}

func TestDirectCancelledWhileAdded(t *testing.T) {
	racetest.Rounds(t, 1000, func() ([]func(), func()) {
		d := &Direct[int]{Line: nobody{}}
		p := &probe.Probe[int]{}
		r := d.NewReceiver(t.Context(), p)
		p.OnSubscribe(r)
		return []func(){func() { d.Add(r) }, r.Cancel}, func() {
			assert.Zero(t, d.Subscribers())
			assert.True(t, d.IsDeserted())
		}
	})
}

// As long as the one that all have to wait for has asked for nothing, the others may come, go and ask: nobody looks at them.
func TestDirectLooksAtOneThatAllWaitFor(t *testing.T) {
	const n = 1000
	d := &Direct[int]{Line: nobody{}}
	var all []*Receiver[int]
	for range n {
		p := &probe.Probe[int]{}
		r := d.NewReceiver(t.Context(), p)
		p.OnSubscribe(r)
		d.Add(r)
		all = append(all, r)
	}
	looks := 0 // that make a list of all, or go through it
	try := func() bool {
		before := d.short.Load()
		sent := d.Send(1, true)
		assert.False(t, d.IsDeserted())
		if d.short.Load() != before {
			looks++
		}
		return sent
	}
	assert.False(t, try())
	short := d.short.Load()
	for i, r := range all {
		if r != short {
			r.Request(1)
			if i%3 == 0 {
				r.Cancel()
			}
			assert.False(t, try())
		}
	}
	assert.Equal(t, 1, looks)
	assert.Nil(t, d.set.current.Load(), "no list was made since one has left")
	short.Request(1)
	assert.True(t, try())
	assert.False(t, try())
	d.short.Load().Cancel()
	assert.Nil(t, d.short.Load(), "one that has left is not kept")
	assert.False(t, try())
	d.End(nil)
	assert.Nil(t, d.short.Load(), "nor is any behind the end")
	assert.True(t, d.IsDeserted())
}
