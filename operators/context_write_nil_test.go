package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// tenantContext is a context of a program.
type tenantContext struct{ context.Context }

// unreadable is a context whose values can't be read.
type unreadable struct{ context.Context }

func (unreadable) Value(any) any { panic("unreadable") }

// A context that can't be asked whether it ends, or for a value, fails the stream; it does not break off who subscribes, where a stage
// would wait for an end that never comes.
func TestContextWriteOfABrokenContextFails(t *testing.T) {
	for name, broken := range map[string]context.Context{
		"done":  (*tenantContext)(nil),
		"value": unreadable{context.Background()},
	} {
		t.Run(name, func(t *testing.T) {
			written := ContextWrite(ConcatMap(Hide(Range(1, 3)), func(v int) reactor.Publisher[int] { return Just(v) }), func(context.Context) context.Context { return broken })
			assert.NotPanics(t, func() { assert.Error(t, run(written).Failure()) })
			outer := &puppet[int]{}
			p := run(ConcatMap(outer, func(int) reactor.Publisher[int] { return written }))
			assert.NotPanics(t, func() { outer.last().OnNext(1) })
			assert.Error(t, p.Failure())
			_, err := Block(context.Background(), ContextWrite(Map(Just(1), func(v int) int { return v }), func(context.Context) context.Context { return broken }))
			assert.Error(t, err)
		})
	}
}
