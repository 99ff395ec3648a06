package executors_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
)

// A tracked task is run behind a hook that panics, also if nobody wants to hear of its being dropped.
func TestTrackedTaskBehindAHookThatPanics(t *testing.T) {
	for name, dropped := range map[string]func(error){"told": func(error) {}, "not told": nil} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var ran journal[int]
				var heard journal[error]
				hooks := executors.WithHooks(executors.Hooks{Before: func(context.Context) context.Context { panic("before") }})
				p := newPool(t, 1, 1, executors.Unbounded(), hooks, catch(&heard))
				s := newScheduled(t, 1, hooks, catch(&heard))
				_, err := p.Track(background, ran.noting(1), dropped)
				require.NoError(t, err)
				synctest.Wait()
				_, err = s.Track(background, ran.noting(2), dropped)
				require.NoError(t, err)
				synctest.Wait()
				assert.Equal(t, []int{1, 2}, ran.read())
				assert.Len(t, heard.read(), 2)
			})
		})
	}
}
