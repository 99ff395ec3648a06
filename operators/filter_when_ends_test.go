package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// A test that has ended is left alone by a cancellation, whatever becomes of its element.
func TestFilterWhenDoesNotCancelATestThatHasEnded(t *testing.T) {
	for name, ended := range map[string]reactor.Publisher[bool]{"empty": Empty[bool](), "failed": Error[bool](errBoom)} {
		t.Run(name, func(t *testing.T) {
			cancels := 0
			src := &puppet[int]{}
			p := run(FilterWhen(src, func(int) reactor.Publisher[bool] { return Hide(DoOnCancel(ended, func() { cancels++ })) }))
			src.last().OnNext(1)
			p.Up.Cancel()
			assert.Zero(t, cancels)
		})
	}
}

// lastly is a publisher that does something when it was subscribed to.
type lastly struct {
	reactor.Publisher[bool]
	do func()
}

func (p lastly) Subscribe(ctx context.Context, s reactor.Subscriber[bool]) {
	p.Publisher.Subscribe(ctx, s)
	p.do()
}

// The outcome of a test is told when that was subscribed to, whether the element was computed or not.
func TestFilterWhenTellsTheOutcomeBehindTheSubscription(t *testing.T) {
	for name, src := range map[string]reactor.Publisher[int]{"computed": Just(1), "subscribed": Hide(Just(1))} {
		var log []string
		test := lastly{Just(true), func() { log = append(log, "subscribed") }}
		kept := FilterWhenMono(src, func(int) reactor.Publisher[bool] { return test })
		_, err := Block(t.Context(), DoOnNext(kept, func(int) { log = append(log, "told") }))
		assert.NoError(t, err, name)
		assert.Equal(t, []string{"subscribed", "told"}, log, name)
	}
}
