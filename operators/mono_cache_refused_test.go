package operators

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

// What the scheduler refuses to end is not kept: it is told that nobody gets it, as what has a lifetime of 0.
func TestMonoCacheWithASchedulerThatRefusesWhatNobodyGets(t *testing.T) {
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			clock := &handScheduler{}
			clock.refuse(schedulers.ErrUnavailable)
			src := &puppet[int]{}
			cached := MonoCache[int](src, TTL(time.Second), On(clock))
			p := probeOf[int](0)
			cached.Subscribe(ctx, p)
			if when == "before" {
				p.Cancel()
			}
			src.last().OnNext(7)
			p.Cancel()
			assert.Equal(t, []any{7}, hooks.Discarded)

			if when == "before" {
				runWith(ctx, cached).Cancel()
				src.last().OnError(errBoom)
				assert.Contains(t, hooks.Errs, any(errBoom))
			}
		})
	}
}

// An element that somebody has got is not discarded by the one who leaves.
func TestMonoCacheWithASchedulerThatRefusesWhatSomebodyGets(t *testing.T) {
	ctx, hooks := probe.Recorded()
	clock := &handScheduler{}
	clock.refuse(schedulers.ErrUnavailable)
	src := &puppet[int]{}
	cached := MonoCache[int](src, TTL(time.Second), On(clock))
	p, taken := probeOf[int](0), probeOf[int](1)
	cached.Subscribe(ctx, p)
	cached.Subscribe(ctx, taken)
	src.last().OnNext(7)
	p.Cancel()
	taken.Done(t, 7)
	assert.Empty(t, hooks.Discarded)
}

// refusing refuses, but not before somebody has done what before says.
type refusing struct {
	*handScheduler
	before func()
}

func (r refusing) SchedulePeriodically(schedulers.Task, time.Duration, time.Duration, ...schedulers.PeriodicOption) (reactor.Disposable, error) {
	r.before()
	return nil, schedulers.ErrUnavailable
}

// Who comes while the scheduler is asked gets the element: the one who leaves without it does not discard it.
func TestMonoCacheWithASchedulerThatRefusesLate(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	var cached reactor.Publisher[int]
	late := probeOf[int](1)
	cached = MonoCache[int](src, TTL(time.Second), On(refusing{&handScheduler{}, func() { cached.Subscribe(context.Background(), late) }}))
	p := probeOf[int](0)
	cached.Subscribe(ctx, p)
	src.last().OnNext(7)
	p.Cancel()
	late.Done(t, 7)
	assert.Empty(t, hooks.Discarded)
}
