package schedulers

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
)

// A task that ends its goroutine leaves those behind it where they are, also to who comes
// while they are handed over.
func TestA9_7_TrampolineKeepsTheOrderOverAGoexit(t *testing.T) {
	errs := catchErrors(t)
	bubble(t, func(t *testing.T) {
		var order journal[string]
		var w Worker
		bursts := 0
		e := executors.Func(func(ctx context.Context, task executors.Task) error {
			if bursts++; bursts == 2 {
				require.NoError(t, w.Execute(order.noting("c")))
			}
			go task(ctx)
			return nil
		})
		s := FromExecutor(e, Trampoline())
		w = s.NewWorker()
		gate := make(chan struct{})
		require.NoError(t, w.Execute(func(context.Context) { <-gate; runtime.Goexit() }))
		require.NoError(t, w.Execute(order.noting("a")))
		require.NoError(t, w.Execute(order.noting("b")))
		close(gate)
		synctest.Wait()
		assert.Equal(t, []string{"a", "b", "c"}, order.read())
		assert.Equal(t, 2, bursts, "they are one submission")
		assert.ErrorIs(t, errs.read()[0], reactor.ErrGoexit)
		require.NoError(t, s.DisposeGracefully(t.Context()))
	})
}

// The one whose turn it is, and that the executor does not take, is not lost in silence.
func TestA9_7_TrampolineRefusedAfterAGoexit(t *testing.T) {
	errs := catchErrors(t)
	bubble(t, func(t *testing.T) {
		full := errors.New("full")
		var order journal[string]
		bursts := 0
		s := FromExecutor(executors.Func(func(ctx context.Context, task executors.Task) error {
			if bursts++; bursts == 2 {
				return full
			}
			go task(ctx)
			return nil
		}), Trampoline())
		w := s.NewWorker()
		gate := make(chan struct{})
		require.NoError(t, w.Execute(func(context.Context) { <-gate; runtime.Goexit() }))
		a := accept(t)(w.Schedule(order.noting("a")))
		require.NoError(t, w.Execute(order.noting("b")))
		close(gate)
		synctest.Wait()
		assert.True(t, a.IsDisposed())
		require.Len(t, errs.read(), 2)
		assert.ErrorIs(t, errs.read()[1], full)
		require.NoError(t, w.Execute(order.noting("c")))
		synctest.Wait()
		assert.Equal(t, []string{"b", "c"}, order.read())
		st := s.Stats()
		assert.EqualValues(t, 3, st.Completed)
		assert.EqualValues(t, 1, st.Dropped)
		assert.Zero(t, st.Rejected, "it had been accepted")
		require.NoError(t, s.DisposeGracefully(t.Context()))
	})
}
