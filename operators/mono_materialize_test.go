package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestMonoMaterialize(t *testing.T) {
	run(MonoMaterialize(Just(1))).Done(t, sigNext(1))
	run(MonoMaterialize(Error[int](errBoom))).Done(t, sigBoom)
	run(MonoMaterialize(Empty[int]())).Done(t, sigComplete)
	src := &puppet[int]{}
	p := probeOf[intSignal](1)
	MonoMaterialize(src).Subscribe(context.Background(), p)
	p.Request(1)
	assert.EqualValues(t, 1, src.last().requests.Load())
	src.last().OnNext(1)
	src.last().OnComplete()
	p.Done(t, sigNext(1))
}

// What comes behind the element goes to the hooks.
func TestMonoMaterializeOfASourceThatGoesOn(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, MonoMaterialize(src))
	src.last().OnNext(1)
	src.last().OnNext(2)
	src.last().OnError(errBoom)
	p.Done(t, sigNext(1))
	assert.Equal(t, []any{2}, hooks.Dropped)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}
