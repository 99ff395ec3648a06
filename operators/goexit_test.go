package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// A source that ends the goroutine on which it is subscribed has failed, like any other: the
// sources after it are subscribed all the same where its failure does not end the stream.
func TestSourcesAfterAGoexitAreSubscribed(t *testing.T) {
	exit := Hide(FromFunc(func(context.Context) (int, error) { runtime.Goexit(); return 0, nil }))
	less := func(a, b int) int { return a - b }
	for name, stage := range map[string]struct {
		build reactor.Publisher[int]
		items []int
		err   error
	}{
		"merge delaying errors": {MergeSlice([]reactor.Publisher[int]{exit, Just(1), exit, Hide(Just(2))}, DelayErrors()), []int{1, 2}, reactor.ErrGoexit},
		"mergeComparing delaying errors": {
			MergeComparing(less, []reactor.Publisher[int]{exit, Just(2), Just(1)}, DelayErrors()), []int{1, 2}, reactor.ErrGoexit,
		},
		"firstWithValue": {FirstWithValue(exit, Just(1)), []int{1}, nil},
		"zip delaying errors": {
			Hide(MonoZip2(exit, DoOnNext(Just(1), func(int) {}), less, DelayErrors())), nil, reactor.ErrGoexit,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := probeOf[int](reactor.Unbounded)
			done := make(chan struct{})
			go func() {
				defer close(done)
				stage.build.Subscribe(context.Background(), p)
			}()
			<-done
			assert.True(t, p.Over())
			p.Items(t, stage.items...)
			if stage.err != nil {
				assert.ErrorIs(t, p.Failure(), stage.err)
			} else {
				assert.NoError(t, p.Failure())
			}
		})
	}
}
