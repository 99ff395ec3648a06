package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// A source that is called, not subscribed, and that cancels the stream before it fails.
func TestMergeErrorOfACallAfterACancellation(t *testing.T) {
	for name, opts := range map[string][]MergeOption{"at once": nil, "delayed": {DelayErrors()}} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](9)
			failing := FromCallable(func() (int, error) {
				p.Cancel()
				return 0, errBoom
			})
			MergeSlice([]stream{failing, Never[int]()}, opts...).Subscribe(ctx, p)
			assert.Equal(t, []any{errBoom}, hooks.Errs)
			p.Open(t)
		})
	}
}

// An inner publisher has sent too much, and before that is known, the stream was cancelled: the error is
// nobody's, and neither is it forgotten.
func TestFlatMapOverflowDuringACancellation(t *testing.T) {
	inners := &allPuppets[int]{}
	p := probeOf[int](9)
	taken, leave, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	p.Each = func(v int) {
		if v == 1 { // delivered by another goroutine, which has the turn
			close(taken)
			<-leave
		}
	}
	var dropped []error
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
		ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) },
		OperatorError: func(_ context.Context, err error, _ any) error {
			close(leave)
			<-left
			p.Cancel()
			return err
		},
	})
	FlatMap(Hide(Range(0, 2)), inners.fn, Prefetch(1)).Subscribe(ctx, p)
	go func() {
		defer close(left)
		inners.at(0).OnNext(1)
	}()
	<-taken
	inners.at(1).OnNext(2)
	inners.at(1).OnNext(3)
	if assert.Len(t, dropped, 1) {
		assert.ErrorIs(t, dropped[0], reactor.ErrOverflow)
	}
	p.Open(t, 1, 2)
}
