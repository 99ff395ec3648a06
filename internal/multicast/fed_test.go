package multicast

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// feeding is a source that sends the next numbers within Request, up to the last one.
type feeding struct {
	f          *Fanout[int]
	next, last int
	asked      []int64
	cancelled  bool
}

func (s *feeding) Request(n int64) {
	s.asked = append(s.asked, n)
	for take := s.f.Taking(); n > 0 && s.next < s.last && !s.cancelled; n-- {
		s.next++
		take(s.next)
	}
	if s.next == s.last {
		s.f.End(nil)
	}
}

func (s *feeding) Cancel() { s.cancelled = true }

func fed(ctx context.Context, last int) (*Fanout[int], *feeding) {
	f := &Fanout[int]{Queue: queue.NewSPSC[int](8), DiscardEarly: true}
	f.SetContext(ctx)
	return f, &feeding{f: f, last: last}
}

func member(ctx context.Context, f *Fanout[int], p *probe.Probe[int]) {
	m := NewMember[int](ctx, p)
	p.OnSubscribe(m)
	f.Add(m)
}

func TestFedAtThePaceOfTheSlowest(t *testing.T) {
	f, src := fed(t.Context(), 50)
	a, b := &probe.Probe[int]{Initial: 3}, &probe.Probe[int]{Initial: 2}
	member(t.Context(), f, a)
	member(t.Context(), f, b)
	f.Feed(src, 8)
	a.Open(t, 1, 2)
	b.Open(t, 1, 2)
	assert.Equal(t, []int64{2}, src.asked)
	b.Request(100)
	a.Open(t, 1, 2, 3)
	a.Request(100)
	assert.Len(t, a.Got(), 50)
	assert.Equal(t, a.Got(), b.Got())
	assert.True(t, a.Over() && b.Over())
	assert.EqualValues(t, 8, src.asked[2], "no more than that at a time")
}

// What the source was asked for is for those who are there when its turn comes.
func TestFedWhileMembersComeAndGo(t *testing.T) {
	f, src := fed(t.Context(), 6)
	late := &probe.Probe[int]{Initial: 100}
	first := &probe.Probe[int]{Initial: 100}
	first.Each = func(v int) {
		switch v {
		case 2:
			member(t.Context(), f, late)
		case 4:
			first.Cancel()
		}
	}
	member(t.Context(), f, first)
	f.Feed(src, 8)
	assert.Equal(t, []int{1, 2, 3, 4}, first.Got())
	late.Done(t, 3, 4, 5, 6)
}

func TestFedMemberFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	f, src := fed(ctx, 4)
	failing, other := &probe.Probe[int]{Initial: 100}, &probe.Probe[int]{Initial: 100}
	failing.Each = func(v int) {
		if v == 2 {
			member(ctx, f, other)
			panic("boom")
		}
	}
	member(ctx, f, failing)
	f.Feed(src, 8)
	assert.True(t, failing.Over())
	assert.Equal(t, []any{2}, hooks.Discarded)
	other.Done(t, 3, 4)
}

func TestFedStopped(t *testing.T) {
	ctx, hooks := probe.Recorded()
	f, src := fed(ctx, 100)
	p := &probe.Probe[int]{Initial: 100}
	p.Each = func(v int) {
		if v == 2 {
			f.Stop(nil)
		}
	}
	member(ctx, f, p)
	f.Feed(src, 4)
	p.Open(t, 1, 2)
	assert.Equal(t, []any{3, 4}, hooks.Discarded)
	assert.Len(t, src.asked, 1)
}

func TestFedBeforeAnybodyHasSubscribed(t *testing.T) {
	ctx, hooks := probe.Recorded()
	f, src := fed(ctx, 5)
	f.Feed(src, 2)
	assert.Equal(t, []any{1, 2, 3, 4, 5}, hooks.Discarded)
	assert.True(t, f.Closed())

	f, src = fed(ctx, 5)
	f.DiscardEarly = false
	f.Feed(src, 2)
	assert.Empty(t, src.asked, "they wait")
	src.cancelled = true
	p := &probe.Probe[int]{Initial: 100}
	member(ctx, f, p)
	p.Open(t)
}
