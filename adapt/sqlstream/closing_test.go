package sqlstream_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/sqlstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
)

// Drivers such as pgx give up a connection whose query is still open when its context ends, and so a transaction: who takes
// some rows and no more must not lose either of them.
func TestRowsAreClosedBeforeTheContextEnds(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := &store{rows: 9}
		db := s.open(t)
		got, err := numbers(db).Take(2).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []int{1, 2}, got)
		synctest.Wait()
		assert.EqualValues(t, 1, s.closed.Load())
		assert.Zero(t, s.late.Load())
		assert.Zero(t, db.Stats().InUse)
	})
}

// The next statement of a transaction finds a connection that is free.
func TestRowsOfATransactionAreClosedBeforeTheEndArrives(t *testing.T) {
	s := &store{rows: 9}
	db := s.open(t)
	var closed int64
	_, err := sqlstream.Transaction(db, func(tx *sql.Tx) flux.Flux[int] {
		return numbers(tx).Take(1).DoOnComplete(func() { closed = s.closed.Load() })
	}).Collect(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 1, closed)
	assert.Zero(t, s.late.Load())
	assert.Equal(t, []string{"begin Default", "commit"}, s.noted())
}

// Closing that takes long, because there is much that was not read, holds up nobody who cancels, and is cut short.
func TestClosingThatTakesLong(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := &store{rows: 9, unread: true}
		db := s.open(t)
		sub := reactortest.Subscribe(t, numbers(db), reactortest.InitialRequest(1))
		sub.ExpectNext(1)
		synctest.Wait()
		start := time.Now()
		sub.Cancel()
		assert.Zero(t, time.Since(start))
		time.Sleep(time.Second)
		synctest.Wait()
		assert.EqualValues(t, 1, s.closed.Load())
		assert.Zero(t, db.Stats().InUse)
	})
}

// Close of a driver such as go-sql-driver/mysql reads all that was not read, and heeds no context: if that is much, or the
// server does not send it, the connection is given up.
func TestClosingThatHeedsNoContext(t *testing.T) {
	fails := func(*sql.Rows) (int, error) { return 0, errBoom }
	for name, c := range map[string]struct {
		gate  chan struct{} // of the second row on
		scan  func(*sql.Rows) (int, error)
		err   error
		after time.Duration
	}{
		"cancelled":            {nil, sqlstream.Column[int], nil, 0},
		"cancelled, no answer": {make(chan struct{}), sqlstream.Column[int], nil, time.Second},
		"failed":               {nil, fails, errBoom, 0},
		"failed, no answer":    {make(chan struct{}), fails, errBoom, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				s := &store{rows: math.MaxInt, deaf: make(chan struct{}), gate: c.gate}
				time.AfterFunc(time.Hour, func() { close(s.deaf) })
				db := s.open(t)
				if c.gate != nil {
					s.gate = make(chan struct{}, 1) // of this bubble
					s.gate <- struct{}{}
				}
				var dropped []error
				ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
					ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) },
				})
				start := time.Now()
				_, err := sqlstream.Query(db, sqlstream.SQL("SELECT n"), c.scan).Take(1).Collect(ctx)
				assert.ErrorIs(t, err, c.err)
				for db.Stats().InUse > 0 {
					time.Sleep(time.Millisecond)
				}
				assert.Equal(t, c.after, time.Since(start).Truncate(time.Second))
				assert.EqualValues(t, 1, s.closed.Load())
				assert.Less(t, s.fetched.Load(), int64(10_000))
				assert.Empty(t, dropped)
			})
		})
	}
}

// Nobody has patience with a query whose own context has ended, be it before or after somebody has cancelled it.
func TestContextThatEndsEndsTheQueryAtOnce(t *testing.T) {
	for name, cancelled := range map[string]bool{"alone": false, "after a cancellation": true} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				s := &store{rows: 9, gate: make(chan struct{})}
				db := s.open(t)
				ctx, cancel := context.WithCancel(t.Context())
				sub := reactortest.NewTestSubscriber[int](t)
				numbers(db).Subscribe(ctx, sub)
				synctest.Wait()
				if cancelled {
					sub.Cancel()
					synctest.Wait()
					assert.Zero(t, s.closed.Load())
				}
				cancel()
				synctest.Wait()
				assert.EqualValues(t, 1, s.closed.Load())
				assert.Zero(t, db.Stats().InUse)
			})
		})
	}
}

// A driver such as lib/pq closes the rows of a query that was cancelled with the news that it was: nobody has to be told.
// What else closing fails with is reported.
func TestClosingThatFailsAfterACancellation(t *testing.T) {
	for _, c := range []struct {
		err     error
		dropped int
	}{
		{fmt.Errorf("driver: %w", context.Canceled), 0},
		{errBoom, 1},
	} {
		t.Run(c.err.Error(), func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				s := &store{rows: 9, closeErr: c.err}
				db := s.open(t)
				var dropped []error
				ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
					ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) },
				})
				_, err := sqlstream.Transaction(db, func(tx *sql.Tx) flux.Flux[int] { return numbers(tx).Take(1) }).Collect(ctx)
				require.NoError(t, err)
				synctest.Wait()
				assert.EqualValues(t, 1, s.closed.Load())
				assert.Len(t, dropped, c.dropped)
			})
		})
	}
}

// InTransaction emits when there is nothing left to roll back: who takes the element and leaves loses nothing.
func TestInTransaction(t *testing.T) {
	for name, c := range map[string]struct {
		use mono.Mono[int]
		log []string
		err error
	}{
		"commits":    {mono.Just(1), []string{"begin Default", "commit"}, nil},
		"empty":      {mono.Empty[int](), []string{"begin Default", "commit"}, nil},
		"rolls back": {mono.Error[int](errBoom), []string{"begin Default", "rollback"}, errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			s := &store{}
			var seen []string
			result := sqlstream.InTransaction(s.open(t), func(*sql.Tx) mono.Mono[int] { return c.use }).
				DoOnNext(func(int) { seen = s.noted() })
			got, err := flux.From(result).Take(1).Collect(t.Context())
			assert.ErrorIs(t, err, c.err)
			assert.Equal(t, c.log, s.noted())
			if len(got) > 0 {
				assert.Equal(t, c.log, seen, "committed before")
			}
		})
	}
	s := &store{}
	assert.PanicsWithValue(t, "reactor: sqlstream.inTransaction: the function that uses the transaction is nil", func() {
		sqlstream.InTransaction[int](s.open(t), nil)
	})
}

func TestInTransactionThatIsCancelled(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := &store{}
		sub := reactortest.Subscribe(t, sqlstream.InTransaction(s.open(t), func(*sql.Tx) mono.Mono[int] { return mono.Never[int]() }))
		synctest.Wait()
		sub.Cancel()
		synctest.Wait()
		assert.Equal(t, []string{"begin Default", "rollback"}, s.noted())
	})
}
