package operators_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// A context that ends when the source has completed does not have it cancelled, though it is told so on another
// goroutine, perhaps after the call has returned.
func TestWhatHasEndedIsNotCancelledByTheContext(t *testing.T) {
	for name, src := range map[string]reactor.Publisher[int]{"computed": operators.Range(1, 3), "sent": operators.Hide(operators.Range(1, 3))} {
		for name2, call := range map[string]func(ctx context.Context, src reactor.Publisher[int]) error{
			"forEach": func(ctx context.Context, src reactor.Publisher[int]) error {
				return operators.ForEach(ctx, src, func(int) {})
			},
			"blockLast": func(ctx context.Context, src reactor.Publisher[int]) error {
				_, err := operators.BlockLast(ctx, src)
				return err
			},
			"collect": func(ctx context.Context, src reactor.Publisher[int]) error {
				_, err := operators.Collect(ctx, src)
				return err
			},
		} {
			t.Run(name2+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					cancelled := false
					src := operators.DoOnCancel(src, func() { cancelled = true })
					err := call(ctx, operators.DoAfterTerminate(src, func() {
						cancel()
						synctest.Wait() // it has been told
					}))
					require.NoError(t, err)
					assert.False(t, cancelled)
				})
			})
		}
	}
}
