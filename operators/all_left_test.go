package operators_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// The body ends the context, which tells the source on another goroutine, and leaves the loop: that is
// over when the source has been told.
func TestAllIsLeftWhenTheEndOfTheContextHasReachedTheSource(t *testing.T) {
	for name, left := range map[string]bool{"left": true, "told": false} {
		for name2, src := range map[string]reactor.Publisher[int]{"computed": operators.Range(0, 10), "queued": operators.Never[int]()} {
			t.Run(name+" "+name2, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					defer cancel(nil)
					boom := errors.New("boom")
					told := false
					src := operators.DoOnCancel(operators.Concat[int](operators.Just(-1), src), func() {
						time.Sleep(time.Second)
						told = true
					})
					var last error
					for _, err := range operators.All(ctx, src, operators.Prefetch(1)) {
						if last = err; err != nil {
							continue
						}
						cancel(boom)
						synctest.Wait() // the source is being told
						if left {
							break
						}
						time.Sleep(2 * time.Second)
					}
					require.True(t, told)
					if !left {
						require.Equal(t, boom, last)
					}
				})
			})
		}
	}
}

// What has ended is not cancelled any more, though the loop is still at the elements that had been queued.
func TestAllLeavesASourceAloneThatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		boom := errors.New("boom")
		src := operators.DoOnCancel(operators.Concat(operators.Range(0, 2), operators.Range(2, 3)), func() { require.Fail(t, "the source has completed") })
		var got []int
		var last error
		for v, err := range operators.All(ctx, src) {
			if last = err; err != nil {
				continue
			}
			if got = append(got, v); v == 2 {
				cancel(boom)
				synctest.Wait()
			}
		}
		require.Equal(t, []int{0, 1, 2}, got)
		require.Equal(t, boom, last)
	})
}
