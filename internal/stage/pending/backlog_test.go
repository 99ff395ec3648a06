package pending

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

// backlog is a stage that keeps everything.
type backlog struct{ Backlog[int] }

func (b *backlog) OnNext(v int) { b.Kept.Push(v) }

// keep returns a stage that has kept n elements, whose source has completed, and the subscription to that.
func keep(t *testing.T, p *probe.Probe[int], n int) (b *backlog, up *probe.Source) {
	b, up = &backlog{}, &probe.Source{}
	b.Init(t.Context(), p)
	b.OnSubscribe(up)
	assert.Equal(t, probe.All, up.Asked)
	for v := range n {
		b.OnNext(v)
	}
	b.OnComplete()
	return b, up
}

func TestBacklogAsDemandAllows(t *testing.T) {
	p := &probe.Probe[int]{Initial: 1}
	keep(t, p, 3)
	p.Open(t, 0)
	p.Request(1)
	p.Open(t, 0, 1)
	p.Request(1)
	p.Done(t, 0, 1, 2)
	p.Request(1)
	p.Done(t, 0, 1, 2)
	p.Faultless(t)
}

// Nothing follows an element within which downstream cancels, however much was asked for; a second cancellation is none.
func TestBacklogCancelledWithinAnElement(t *testing.T) {
	p := &probe.Probe[int]{Initial: probe.All}
	p.Each = func(int) {
		p.Cancel()
		p.Cancel()
	}
	_, up := keep(t, p, 3)
	p.Open(t, 0)
	assert.Equal(t, 1, up.Cancelled)
	p.Request(1)
	p.Open(t, 0)
	p.Faultless(t)
}

// A failure comes at once, and what is kept is discarded.
func TestBacklogOfASourceThatFails(t *testing.T) {
	errBoom := errors.New("boom")
	ctx, hooks := probe.Recorded()
	p := &probe.Probe[int]{}
	b := &backlog{}
	b.Init(ctx, p)
	b.OnSubscribe(&probe.Source{})
	b.OnNext(1)
	b.OnError(errBoom)
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded)
}

// A cancellation stops the source, and discards what is kept and what comes later.
func TestBacklogCancelled(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p, up := &probe.Probe[int]{}, &probe.Source{}
	b := &backlog{}
	b.Init(ctx, p)
	b.OnSubscribe(up)
	b.OnNext(1)
	p.Cancel()
	p.Cancel()
	assert.Equal(t, 1, up.Cancelled)
	assert.Equal(t, []any{1}, hooks.Discarded)
	b.OnNext(2)
	b.OnComplete()
	p.Request(1)
	p.Open(t)
	assert.Equal(t, []any{1, 2}, hooks.Discarded)
}
