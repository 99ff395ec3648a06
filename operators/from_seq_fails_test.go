package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A sequence has sent an error, and fails as it ends: the stream has the failure, and the error is reported as dropped.
func TestSeqThatFailsBehindItsError(t *testing.T) {
	for _, n := range []int64{3, reactor.Unbounded} {
		for how, fail := range map[string]func(){"panic": func() { panic(errBoom) }, "Goexit": runtime.Goexit} {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](n)
			racetest.Aside(func() {
				FromSeq2(func(yield func(int, error) bool) {
					defer fail()
					yield(1, nil)
					yield(0, errOther)
				}).Subscribe(ctx, p)
			})
			require.Error(t, p.Failure(), how)
			require.NotErrorIs(t, p.Failure(), errOther, how)
			p.Items(t, 1)
			require.Equal(t, []any{errOther}, hooks.Errs, how)
			require.Empty(t, hooks.Discarded, how)
		}
	}
}

// An error that was told is not reported as dropped, too.
func TestSeqWhoseErrorFails(t *testing.T) {
	for _, n := range []int64{3, reactor.Unbounded} {
		ctx, hooks := probe.Recorded()
		p := probeOf[int](n)
		racetest.Aside(func() {
			DoOnError(FromSeq2(func(yield func(int, error) bool) { yield(0, errOther) }), func(error) { runtime.Goexit() }).Subscribe(ctx, p)
		})
		p.Failed(t, errOther)
		require.Empty(t, hooks.Errs)
	}
}
