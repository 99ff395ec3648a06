package operators

import (
	"context"
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
