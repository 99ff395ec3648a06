package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

func TestSkipUntilOther(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := probeOf[int](2)
	SkipUntilOther(src, reactor.Publisher[string](other)).Subscribe(ctx, p)
	src.last().OnNext(1)
	assert.EqualValues(t, 3, src.last().requested.Load(), "one more for the discarded one")
	other.last().OnNext("go")
	assert.EqualValues(t, 1, other.last().cancels.Load())
	src.last().OnNext(2)
	src.last().OnNext(3)
	src.last().OnComplete()
	p.Done(t, 2, 3)
	accounted(t, p, hooks, 1, 2, 3)
}

func TestSkipUntilOtherEnds(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := runWith(ctx, SkipUntilOther(src, reactor.Publisher[string](other)))
	other.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	p = runWith(ctx, SkipUntilOther(src, reactor.Publisher[string](other)))
	src.last().OnComplete()
	p.Done(t)
	assert.EqualValues(t, 1, other.last().cancels.Load())
	p = runWith(ctx, SkipUntilOther(src, reactor.Publisher[string](other)))
	p.Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, other.last().cancels.Load())
	assert.Empty(t, hooks.Errs)
}

// An error of the other one that comes while the stream is cancelled is reported as dropped.
func TestSkipUntilOtherFailsWhileItIsCancelled(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, other := &puppet[int]{}, &puppet[string]{}
	fails := DoOnCancel(src, func() { other.last().OnError(errBoom) })
	p := runWith(ctx, SkipUntilOther(fails, reactor.Publisher[string](other)))
	p.Cancel()
	p.Open(t)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestSkipFor(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(SkipFor(src, 10, On(h)))
	h.forward(9)
	src.last().OnNext(1)
	h.forward(1)
	src.last().OnNext(2)
	p.Open(t, 2)
	run(SkipFor(Range(1, 3), 0, On(h))).Done(t, 1, 2, 3)
	run(SkipFor(Range(1, 3), 10, On(h))).Done(t)
	h.refuse(schedulers.ErrUnavailable)
	run(SkipFor(Range(1, 3), 10, On(h))).Failed(t, reactor.ErrRejected)
}
