package sqlstream_test

import (
	"context"
	"database/sql"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/sqlstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// Who cancels while a transaction waits for a lane to be handed down does not wait for the rollback.
func TestCancellingATransactionThatWaitsForALane(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		st := &store{back: make(chan struct{})}
		db := st.open(t)
		busy := make(chan struct{})
		for range schedulers.BoundedElastic().Stats().Capacity {
			require.NoError(t, schedulers.BoundedElastic().Execute(func(context.Context) { <-busy }))
		}
		s := reactortest.Subscribe(t, sqlstream.Transaction(db, func(*sql.Tx) flux.Flux[int] { return flux.Just(1) }))
		synctest.Wait()
		require.Equal(t, []string{"begin Default"}, st.noted())
		cancelled := make(chan struct{})
		go func() {
			defer close(cancelled)
			s.Cancel()
		}()
		synctest.Wait()
		select {
		case <-cancelled:
		default:
			t.Error("who cancels waits for the rollback")
		}
		close(st.back)
		synctest.Wait()
		assert.Equal(t, []string{"begin Default", "rollback"}, st.noted())
		assert.Zero(t, db.Stats().InUse)
		close(busy)
	})
}
