package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

func TestDelaySubscription(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	p := probeOf[int](3)
	DelaySubscription(src, reactor.Publisher[string](other)).Subscribe(context.Background(), p)
	p.Request(1)
	assert.Zero(t, src.count())
	other.last().OnNext("now")
	assert.EqualValues(t, 1, other.last().cancels.Load())
	other.last().OnNext("again")
	other.last().OnComplete()
	assert.Equal(t, 1, src.count())
	assert.EqualValues(t, 4, src.last().requested.Load())
	src.last().OnNext(1)
	src.last().OnComplete()
	p.Done(t, 1)

	run(DelaySubscription(Just(1), Empty[int]())).Done(t, 1)
	run(DelaySubscription(Just(1), Error[int](errBoom))).Failed(t, errBoom)
}

func TestDelaySubscriptionCancel(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	p := run(DelaySubscription(src, reactor.Publisher[string](other)))
	p.Cancel()
	assert.EqualValues(t, 1, other.last().cancels.Load())
	other.last().OnComplete()
	assert.Zero(t, src.count())
	p = run(DelaySubscription(src, reactor.Publisher[string](other)))
	other.last().OnComplete()
	p.Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

func TestDelaySubscriptionFor(t *testing.T) {
	h := &handScheduler{}
	p := run(DelaySubscriptionFor(Just(1), 10, On(h)))
	h.forward(9)
	p.Open(t)
	h.forward(1)
	p.Done(t, 1)
	h.refuse(schedulers.ErrUnavailable)
	run(DelaySubscriptionFor(Just(1), 10, On(h))).Failed(t, reactor.ErrRejected)
}

func TestDelaySubscriptionForNamesItself(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: delaySubscription: the scheduler is nil", func() { DelaySubscriptionFor(Just(1), 10, On(nil)) })
}
