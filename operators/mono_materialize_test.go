package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
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
