package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/stage"
)

// unstarted is a state that fails when it hears of the subscription, controlled one of a stage that ends.
type (
	unstarted  struct{ _ int }
	controlled struct {
		stage.Control
		unstarted
	}
)

func (unstarted) Start() { panic(errBoom) }

type asItIs[S any] struct{}

func (asItIs[S]) Step(_ *S, next func(int)) func(int) { return next }

// Downstream ends the goroutine when it gets the subscription of a stream that has ended before: it gets that end all the same, and
// what is above is cancelled.
func TestGoexitOfWhoSubscribesToWhatHasEnded(t *testing.T) {
	for name, c := range map[string]struct {
		op  func(src stream) stream
		err error
	}{
		"take nothing":        {func(src stream) stream { return Take(src, 0, UnlimitedRequest()) }, nil},
		"the other one fails": {func(src stream) stream { return SkipUntilOther(src, Error[int](errBoom)) }, errBoom},
		"Each":                {func(src stream) stream { return stage.Each("each", src, unstarted{}, asItIs[unstarted]{}) }, errBoom},
		"Choose":              {func(src stream) stream { return stage.Choose("choose", stage.Ends, src, asItIs[controlled]{}) }, errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := &probe.Probe[int]{Subscribed: func(reactor.Subscription) { runtime.Goexit() }}
			cancelled := 0
			racetest.Aside(func() { c.op(DoOnCancel(Never[int](), func() { cancelled++ })).Subscribe(ctx, p) })
			assert.Equal(t, 1, cancelled)
			assert.True(t, p.Over())
			assert.ErrorIs(t, p.Failure(), c.err)
			assert.Empty(t, hooks.Errs)
		})
	}
}
