package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// lookups counts how often a context is asked for a value.
type lookups struct {
	context.Context
	times int
}

func (l *lookups) Value(key any) any {
	l.times++
	return l.Context.Value(key)
}

// The way a retry counts down in Go: each answer is made of the context of the failure. After some dozens of rounds a
// program stood still in the search for a key that nobody has, as context.WithCancel's own is under Background.
func TestRetryFromWithContextsMadeOfEachOther(t *testing.T) {
	type key string
	const rounds = 20
	base := &lookups{Context: context.Background()}
	seen, missing := []any{}, 0
	src := &contextRecorder{src: Error[int](errBoom), see: func(ctx context.Context) {
		seen = append(seen, ctx.Value(key("left")))
		base.times = 0
		assert.Nil(t, ctx.Value(key("nobody has it")))
		missing = max(missing, base.times)
	}}
	p := runWith[int](base, RetryWhen[int](src, RetryFrom[context.Context](func(f reactor.Publisher[RetrySignal]) reactor.Publisher[context.Context] {
		return Handle(f, func(failed RetrySignal, sink *SyncSink[context.Context]) {
			assert.Nil(t, sink.Context().Value(key("left")), "the companion's own context stays what it was")
			left, counted := failed.Context.Value(key("left")).(int)
			if !counted {
				left = rounds
			}
			if left == 0 {
				sink.Error(failed.Failure)
				return
			}
			sink.Next(context.WithValue(failed.Context, key("left"), left-1))
		})
	})))
	p.Failed(t, errBoom)
	assert.Len(t, seen, rounds+1)
	assert.Equal(t, 0, seen[rounds])
	assert.LessOrEqual(t, missing, 2)
}
