package sqlstream_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/sqlstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
)

// A driver such as go-sql-driver/mysql closes the connection of a statement whose context ends, and answers the rollback with
// the error of that context: the database rolls back by itself, and nobody has to be told.
func TestRollbackOfAConnectionThatACancellationHasClosed(t *testing.T) {
	for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
		t.Run(end.Error(), func(t *testing.T) { rollbackAnsweredWith(t, fmt.Errorf("driver: %w", end)) })
	}
}

func rollbackAnsweredWith(t *testing.T, err error) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := &store{endErr: err}
		db := s.open(t)
		var dropped []error
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
			ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) },
		})
		sub := reactortest.Subscribe(t, sqlstream.Transaction(db, func(*sql.Tx) flux.Flux[int] { return flux.Never[int]() }), reactortest.InContext(ctx))
		synctest.Wait()
		sub.Cancel()
		synctest.Wait()
		assert.Equal(t, []string{"begin Default", "rollback"}, s.noted())
		assert.Empty(t, dropped)

		// Whoever has the error that led to the rollback gets that one.
		_, err := sqlstream.InTransaction(db, func(*sql.Tx) mono.Mono[int] { return mono.Error[int](errBoom) }).Block(ctx)
		assert.Equal(t, errBoom, err)
	})
}
