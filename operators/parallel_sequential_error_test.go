package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

// An error of the source, which reaches every rail, is one error, also if it comes while an element is on its way.
func TestParallelSequentialAmidWhichTheSourceFails(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[int](0)
	ParallelSequential(Parallel(src, 3)).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	p.Each = func(int) { src.last().OnError(errBoom) }
	p.Request(1)
	p.Failed(t, errBoom, 1)
	assert.EqualError(t, p.Failure(), "boom")
}

// A rail that brings the error behind the end does not report it a second time.
func TestParallelSequentialOfRailsThatFailAlike(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a, b, c := &puppet[int]{}, &puppet[int]{}, &puppet[int]{}
	p := runWith(ctx, ParallelSequential(ParallelFrom[int](a, b, c)))
	a.last().OnError(errBoom)
	p.Failed(t, errBoom)
	b.last().OnError(errBoom)
	assert.Empty(t, hooks.Errs)
	c.last().OnError(errOther)
	assert.Equal(t, []any{errOther}, hooks.Errs)
}
