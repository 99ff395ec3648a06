package operators_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestFrom(t *testing.T) {
	src := operators.Range(1, 3)
	assert.Equal(t, src, operators.From(src), "ours is handed back")
	assert.Panics(t, func() { operators.From[int](nil) })

	// A publisher of somebody else gets the checks: here it goes on after its end.
	s := between(func(ints) ints { return operators.From[int](tooLong{}) })
	assert.True(t, s.completed)
	assert.Empty(t, s.out)
	assert.Equal(t, []any{1}, s.dropped)
	assert.Equal(t, []error{errFailed}, s.droppedErrs)
}

// tooLong sends an element and an error behind completion.
type tooLong struct{}

func (tooLong) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	s.OnSubscribe(noSubscription{})
	s.OnComplete()
	s.OnNext(1)
	s.OnError(errFailed)
}

type noSubscription struct{}

func (noSubscription) Request(int64) {}
func (noSubscription) Cancel()       {}
