package operators

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestExpandDeepDemand(t *testing.T) {
	src := &puppet[int]{}
	inner := &allPuppets[int]{}
	p := probeOf[int](0)
	ExpandDeep(src, inner.fn).Subscribe(context.Background(), p)
	assert.Zero(t, src.count(), "subscribed with the first request")
	p.Request(1)
	assert.EqualValues(t, 1, src.last().requested.Load())
	src.last().OnNext(1)
	assert.EqualValues(t, 1, inner.at(0).requested.Load())
	inner.at(0).OnNext(2)
	p.Open(t, 1)
	p.Request(5)
	p.Open(t, 1, 2)
	inner.at(1).OnComplete()
	assert.EqualValues(t, 2, inner.at(0).requested.Load())
	assert.EqualValues(t, 1, src.last().requested.Load())
	inner.at(0).OnComplete()
	assert.EqualValues(t, 2, src.last().requested.Load())
	src.last().OnComplete()
	p.Done(t, 1, 2)
}

func TestExpandDeepOfAPublisherThatSendsTooMuch(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[int](1)
	ExpandDeep(src, childrenUpTo(0)).Subscribe(ctx, p)
	src.last().OnNext(1)
	src.last().OnNext(2)
	src.last().OnNext(3)
	src.last().OnNext(4)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Equal(t, []any{3, 4}, hooks.Discarded)
	p.Request(1)
	p.Failed(t, reactor.ErrOverflow, 1, 2)
}

// Downstream hears of the end when the sources have heard of the cancellation, the one that waits first.
func TestExpandDeepIsCancelledBeforeTheEnd(t *testing.T) {
	var order []string
	note := func(what string) func() { return func() { order = append(order, what) } }
	src := DoOnCancel(Hide(JustAll(1, 2)), note("src"))
	children := func(v int) stream { return DoOnCancel(Hide(JustAll(10*v, 10*v+1)), note("of "+strconv.Itoa(v))) }
	run(DoOnComplete(Take(ExpandDeep(src, children), 3), note("end"))).Done(t, 1, 10, 100)
	assert.Equal(t, []string{"of 1", "src", "of 10", "end"}, order)
}

// A publisher that fn makes for a subscriber who has just left is not subscribed.
func TestExpandDeepCancelledByTheExpander(t *testing.T) {
	src, inner, p := &puppet[int]{}, &puppet[int]{}, probeOf[int](9)
	ExpandDeep(src, func(int) stream { p.Cancel(); return inner }).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	p.Open(t, 1)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Zero(t, inner.count())
}
