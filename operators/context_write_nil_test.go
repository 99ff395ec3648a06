package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// tenantContext is a context of a program.
type tenantContext struct{ context.Context }

// A context that can't be asked whether it ends fails the stream; it does not break off who subscribes, where a stage would wait for
// an end that never comes.
func TestContextWriteOfABrokenContextFails(t *testing.T) {
	written := ContextWrite(Hide(Range(1, 3)), func(context.Context) context.Context { return (*tenantContext)(nil) })
	assert.NotPanics(t, func() { assert.Error(t, run(written).Failure()) })
	outer := &puppet[int]{}
	p := run(ConcatMap(outer, func(int) reactor.Publisher[int] { return written }))
	outer.last().OnNext(1)
	assert.Error(t, p.Failure())
}
