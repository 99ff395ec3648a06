package pending

import (
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
