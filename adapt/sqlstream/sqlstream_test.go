package sqlstream_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/sqlstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/reactortest/tck"
	"github.com/goreactor/reactor/schedulers"
)

var all = sqlstream.SQL("SELECT n\n\tFROM numbers")

func numbers(db sqlstream.Queryer, opts ...sqlstream.QueryOption) flux.Flux[int] {
	return sqlstream.Query(db, all, sqlstream.Column[int], opts...)
}

func TestQuery(t *testing.T) {
	s := &store{rows: 1000}
	db := s.open(t)
	got, err := numbers(db).Collect(t.Context())
	require.NoError(t, err)
	assert.Len(t, got, 1000)
	assert.Equal(t, 1000, got[999])
	assert.Zero(t, db.Stats().InUse)
	assert.EqualValues(t, 1, s.closed.Load())
}

// A function that panics with an element is not the database's failure, and the hooks get the element.
func TestElementInHand(t *testing.T) {
	db := (&store{rows: 2}).open(t)
	var told []any
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
		OperatorError: func(_ context.Context, err error, v any) error { told = append(told, v); return err },
	})
	err := numbers(db).Map(func(int) int { panic("boom") }).ForEach(ctx, func(int) {})
	assert.EqualError(t, err, "reactor: map: panic: boom")
	assert.Equal(t, []any{1}, told)
}

func TestRowsAreFetchedOnDemand(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := &store{rows: 1000}
		db := s.open(t)
		sub := reactortest.Subscribe(t, numbers(db), reactortest.InitialRequest(0))
		sub.ExpectNothing()
		assert.Equal(t, 1, db.Stats().InUse, "taken at subscription")
		assert.Zero(t, s.fetched.Load())
		for i := range 5 {
			sub.Request(1)
			sub.ExpectNext(i + 1)
			assert.EqualValues(t, i+1, s.fetched.Load())
		}
		sub.Cancel()
		synctest.Wait()
		assert.Zero(t, db.Stats().InUse)
		assert.EqualValues(t, 1, s.closed.Load())

		// An operator that asks ahead fetches as much, and no more.
		s.fetched.Store(0)
		sub = reactortest.Subscribe(t, numbers(db).PublishOn(schedulers.Parallel(), flux.Prefetch(8)), reactortest.InitialRequest(1))
		sub.ExpectNext(1)
		sub.ExpectNothing()
		assert.EqualValues(t, 8, s.fetched.Load())
	})
}

func TestQueryFails(t *testing.T) {
	for name, c := range map[string]struct {
		s    *store
		scan func(*sql.Rows) (int, error)
		n    int
		want string
		is   []error
	}{
		"at once":    {&store{queryErr: errBoom}, nil, 0, `query failed: begin of "SELECT n FROM numbers": boom`, []error{sqlstream.ErrQuery, errBoom}},
		"goes away":  {&store{rows: 9, failAt: 4}, nil, 3, `query failed: row 4 of "SELECT n FROM numbers": driver: bad connection`, []error{driver.ErrBadConn}},
		"scan":       {&store{rows: 9}, func(*sql.Rows) (int, error) { return 0, errBoom }, 0, `scan failed: row 1 of "SELECT n FROM numbers": boom`, []error{sqlstream.ErrScan}},
		"scan panic": {&store{rows: 9}, func(*sql.Rows) (int, error) { panic(errBoom) }, 0, `panic: boom`, []error{errBoom}},
		"close":      {&store{rows: 2, closeErr: errBoom}, nil, 2, "", []error{errBoom}},
	} {
		t.Run(name, func(t *testing.T) {
			db := c.s.open(t)
			scan := c.scan
			if scan == nil {
				scan = sqlstream.Column[int]
			}
			sub := reactortest.Subscribe(t, sqlstream.Query(db, all, scan))
			sub.ExpectNextCount(c.n)
			err := sub.ExpectError()
			assert.ErrorContains(t, err, "reactor: sqlstream.query: "+c.want)
			for _, target := range c.is {
				assert.ErrorIs(t, err, target)
			}
			assert.Zero(t, db.Stats().InUse)
			assert.Equal(t, c.s.opened.Load(), c.s.closed.Load())
		})
	}
}

func TestCancelWhileARowIsFetched(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := &store{rows: 9, gate: make(chan struct{}, 9)}
		db := s.open(t)
		s.gate <- struct{}{}
		sub := reactortest.Subscribe(t, numbers(db))
		sub.ExpectNext(1)
		synctest.Wait()
		sub.Cancel()
		time.Sleep(time.Second) // which the row may yet take
		synctest.Wait()
		assert.Zero(t, db.Stats().InUse)
		assert.EqualValues(t, 1, s.closed.Load())
		assert.Zero(t, schedulers.BoundedElastic().Stats().Busy)
	})
}

// A thousand queries that end at random: all connections come back.
func TestRandomEnds(t *testing.T) {
	s := &store{rows: 20}
	db := s.open(t)
	db.SetMaxOpenConns(5)
	pool, err := schedulers.NewBoundedElastic(8, 10_000, "queries")
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 1000 {
		ctx, cancel := context.WithCancel(t.Context())
		f := numbers(db, sqlstream.On(pool))
		switch i % 6 {
		case 0:
			limit := random.IntN(20)
			f = f.TakeWhile(func(n int) bool { return n <= limit })
		case 1:
			f = f.TryMap(func(n int) (int, error) { return n, errBoom })
		case 2:
			f = f.Map(func(n int) int { panic(errBoom) })
		}
		sub := reactortest.NewTestSubscriber[int](t, reactortest.InitialRequest(int64(random.IntN(30))))
		f.Subscribe(ctx, sub)
		if i%6 == 3 {
			cancel()
		}
		go func() {
			sub.Cancel()
			cancel()
		}()
	}
	require.NoError(t, pool.DisposeGracefully(t.Context()))
	for db.Stats().InUse > 0 {
		// Package database/sql closes what a context has ended on goroutines of its own.
		runtime.Gosched()
	}
	assert.Equal(t, s.opened.Load(), s.closed.Load())
}

func TestExec(t *testing.T) {
	s := &store{}
	db := s.open(t)
	result, err := sqlstream.Exec(db, sqlstream.SQL("DELETE FROM numbers", 1)).Block(t.Context())
	require.NoError(t, err)
	n, err := result.RowsAffected()
	require.NoError(t, err)
	assert.EqualValues(t, 3, n)
	s.execErr = errBoom
	_, err = sqlstream.Exec(db, sqlstream.SQL("DELETE FROM numbers")).Block(t.Context())
	assert.ErrorIs(t, err, sqlstream.ErrExec)
	assert.EqualError(t, err, `reactor: sqlstream.exec: statement failed: "DELETE FROM numbers": boom`)
	assert.Zero(t, db.Stats().InUse)
}

// What is kept and subscribed again finds the shared scheduler that there is by then.
func TestSharedSchedulerThatWasShutDown(t *testing.T) {
	s := &store{rows: 3}
	db := s.open(t)
	exec := sqlstream.Exec(db, all)
	transaction := inTransaction(db, flux.Empty[int]())
	for range 2 {
		_, err := exec.Block(t.Context())
		assert.NoError(t, err)
		got, err := transaction.Collect(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, []int{1, 2, 3}, got)
		schedulers.ShutdownNow()
	}
}

// broken is a database that panics.
type broken struct{}

func (broken) ExecContext(context.Context, string, ...any) (sql.Result, error) { panic(errBoom) }
func (broken) BeginTx(context.Context, *sql.TxOptions) (*sql.Tx, error)        { panic(errBoom) }

// A panic is that of the function that asks, not of what it is made of.
func TestDatabaseThatPanics(t *testing.T) {
	_, err := sqlstream.Exec(broken{}, all).Block(t.Context())
	assert.EqualError(t, err, "reactor: sqlstream.exec: panic: boom")
	_, err = sqlstream.Transaction(broken{}, func(*sql.Tx) flux.Flux[int] { return flux.Empty[int]() }).Collect(t.Context())
	assert.EqualError(t, err, "reactor: sqlstream.transaction: panic: boom")
}

func inTransaction(db *sql.DB, more flux.Flux[int], opts ...sqlstream.TransactionOption) flux.Flux[int] {
	return sqlstream.Transaction(db, func(tx *sql.Tx) flux.Flux[int] {
		return numbers(tx).ConcatWith(more)
	}, opts...)
}

func TestTransactionWhoseFunctionPanics(t *testing.T) {
	s := &store{}
	_, err := sqlstream.Transaction(s.open(t), func(*sql.Tx) flux.Flux[int] { panic(errBoom) }).Collect(t.Context())
	assert.ErrorIs(t, err, errBoom)
	assert.ErrorContains(t, err, "reactor: sqlstream.transaction: panic: ")
}

func TestTransaction(t *testing.T) {
	for name, c := range map[string]struct {
		more flux.Flux[int]
		opts []sqlstream.TransactionOption
		log  []string
		err  error
	}{
		"commits":    {flux.Empty[int](), nil, []string{"begin Default", "commit"}, nil},
		"rolls back": {flux.Error[int](errBoom), []sqlstream.TransactionOption{sqlstream.ReadOnly()}, []string{"begin read only", "rollback"}, errBoom},
		"isolation":  {flux.Empty[int](), []sqlstream.TransactionOption{sqlstream.Isolation(sql.LevelSerializable)}, []string{"begin Serializable", "commit"}, nil},
	} {
		s := &store{rows: 3}
		db := s.open(t)
		got, err := inTransaction(db, c.more, c.opts...).Collect(t.Context())
		assert.ErrorIs(t, err, c.err, name)
		if c.err == nil {
			assert.Equal(t, []int{1, 2, 3}, got)
		}
		assert.Equal(t, c.log, s.noted())
		assert.Zero(t, db.Stats().InUse)
	}
	s := &store{beginErr: errBoom}
	_, err := inTransaction(s.open(t), flux.Empty[int]()).Collect(t.Context())
	assert.EqualError(t, err, "reactor: sqlstream.transaction: transaction failed: begin: boom")
	s = &store{endErr: errBoom}
	_, err = inTransaction(s.open(t), flux.Empty[int]()).Collect(t.Context())
	assert.ErrorIs(t, err, errBoom)
	assert.ErrorContains(t, err, "reactor: sqlstream.transaction: transaction failed: commit")
}

func TestTransactionIsCancelled(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := &store{rows: 3}
		db := s.open(t)
		sub := reactortest.Subscribe(t, inTransaction(db, flux.Never[int]()))
		sub.ExpectNext(1, 2, 3)
		sub.Cancel()
		synctest.Wait()
		assert.Equal(t, []string{"begin Default", "rollback"}, s.noted())
		assert.Zero(t, db.Stats().InUse)
		assert.EqualValues(t, 1, s.closed.Load())
	})
}

// slow is a database whose transactions begin late, also when nobody wants them any more.
type slow struct {
	*sql.DB
	begin chan struct{}
}

func (s slow) BeginTx(_ context.Context, opts *sql.TxOptions) (*sql.Tx, error) {
	<-s.begin
	// Package database/sql would roll it back by itself when a context ends, and tell nobody how that went.
	return s.DB.BeginTx(context.Background(), opts)
}

// Nobody gets the error of a rollback after a cancellation, so it is reported, also where the transaction has begun too late.
func TestRollbackThatFailsIsReported(t *testing.T) {
	for name, late := range map[string]bool{"in use": false, "nobody got it": true} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				var mu sync.Mutex
				var dropped []error
				ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) {
					mu.Lock()
					defer mu.Unlock()
					dropped = append(dropped, err)
				}})
				s := &store{endErr: errBoom}
				db := slow{s.open(t), make(chan struct{})}
				sub := reactortest.Subscribe(t, sqlstream.Transaction(db, func(*sql.Tx) flux.Flux[int] { return flux.Never[int]() }), reactortest.InContext(ctx))
				synctest.Wait()
				if !late {
					close(db.begin)
					synctest.Wait()
				}
				sub.Cancel()
				synctest.Wait()
				if late {
					close(db.begin)
					synctest.Wait()
				}
				assert.Equal(t, []string{"begin Default", "rollback"}, s.noted())
				mu.Lock()
				defer mu.Unlock()
				require.Len(t, dropped, 1)
				assert.ErrorIs(t, dropped[0], sqlstream.ErrTransaction)
				assert.ErrorContains(t, dropped[0], "reactor: sqlstream.transaction: transaction failed: rollback: boom")
			})
		})
	}
}

// A scheduler that refuses, since it was disposed meanwhile, leaves no transaction open.
func TestTransactionWhoseSchedulerRefuses(t *testing.T) {
	for end, c := range map[string]struct {
		fn  func(*reactortest.TestPublisher[int], *reactortest.TestSubscriber[int])
		log string
	}{
		"completed": {func(p *reactortest.TestPublisher[int], s *reactortest.TestSubscriber[int]) {
			p.Complete()
			s.ExpectComplete()
		}, "commit"},
		"failed": {func(p *reactortest.TestPublisher[int], s *reactortest.TestSubscriber[int]) {
			p.Error(errBoom)
			assert.ErrorIs(t, s.ExpectError(), errBoom)
		}, "rollback"},
		"cancelled": {func(_ *reactortest.TestPublisher[int], s *reactortest.TestSubscriber[int]) { s.Cancel() }, "rollback"},
	} {
		reactortest.Bubble(t, func(t *testing.T) {
			s := &store{rows: 3}
			db := s.open(t)
			pool := schedulers.NewSingle("database")
			more := reactortest.NewTestPublisher[int](t)
			sub := reactortest.Subscribe(t, inTransaction(db, flux.From(more), sqlstream.On(pool)))
			sub.ExpectNext(1, 2, 3)
			pool.Dispose()
			c.fn(more, sub)
			synctest.Wait()
			assert.Equal(t, []string{"begin Default", c.log}, s.noted(), end)
			assert.Zero(t, db.Stats().InUse, end)
		})
	}
}

// A statement may be run long after it was made: whose slice the arguments came from may use it again.
func TestStatementKeepsItsArguments(t *testing.T) {
	var got []any
	args := []any{1, "open"}
	exec := sqlstream.Exec(asked(func(args ...any) { got = args }), sqlstream.SQL("DELETE FROM orders WHERE id = ? AND state = ?", args...))
	args[0], args[1] = 2, "closed"
	_, err := exec.Block(t.Context())
	assert.ErrorIs(t, err, sqlstream.ErrExec)
	assert.Equal(t, []any{1, "open"}, got)
}

// asked is a database that is told arguments, and does nothing.
type asked func(args ...any)

func (a asked) ExecContext(_ context.Context, _ string, args ...any) (sql.Result, error) {
	a(args...)
	return nil, errBoom
}

func TestStatementString(t *testing.T) {
	assert.Equal(t, "SELECT n FROM numbers", all.String())
	assert.Len(t, []rune(sqlstream.SQL(string(make([]byte, 200))).String()), 61)
}

func TestArguments(t *testing.T) {
	db := (&store{}).open(t)
	//reactorvet:ignore they panic when they are put together
	for want, fn := range map[string]func(){
		"reactor: sqlstream.query: the database is nil":            func() { numbers(nil) },
		"reactor: sqlstream.query: the function that scans is nil": func() { sqlstream.Query[int](db, all, nil) },
		"reactor: sqlstream.exec: the database is nil":             func() { sqlstream.Exec(nil, all) },
		"reactor: sqlstream.transaction: the database is nil": func() {
			sqlstream.Transaction(nil, func(*sql.Tx) flux.Flux[int] { return flux.Empty[int]() })
		},
		"reactor: sqlstream.transaction: the function that uses the transaction is nil": func() {
			sqlstream.Transaction[int, flux.Flux[int]](db, nil)
		},
		"reactor: sqlstream.on: the scheduler is nil": func() { sqlstream.On(nil) },
	} {
		assert.PanicsWithValue(t, want, fn)
	}
}

func TestCompatibility(t *testing.T) {
	tck.VerifyPublisher(t, tck.Publisher[int]{
		Create: func(n int64) reactor.Publisher[int] {
			return numbers((&store{rows: int(min(n, 1<<40))}).open(t))
		},
		Failed: func() reactor.Publisher[int] {
			db := sql.OpenDB(&store{queryErr: errBoom})
			db.Close()
			return numbers(db)
		},
		Min: 1, // that there is none is seen when one is asked for, which the kit would wait for
	}, tck.Rounds(5), tck.Timeout(20*time.Second), tck.Quiet(20*time.Millisecond))
}

// Those that wait for a connection leave the lanes to those that have one.
func TestMoreStreamsThanConnectionsAndLanes(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := &store{rows: 3}
		db := s.open(t)
		db.SetMaxOpenConns(2)
		n := 2 * schedulers.BoundedElastic().Stats().Capacity
		for name, one := range map[string]func() flux.Flux[int]{
			"queries": func() flux.Flux[int] { return numbers(db).DelayElements(time.Millisecond) },
			"transactions": func() flux.Flux[int] {
				return sqlstream.Transaction(db, func(tx *sql.Tx) flux.Flux[int] { return numbers(tx) })
			},
			"statements": func() flux.Flux[int] {
				return numbers(db).FlatMap(func(n int) flux.Flux[int] {
					return flux.From(sqlstream.Exec(db, sqlstream.SQL("DELETE")).Map(func(sql.Result) int { return n }))
				}, flux.Concurrency(1)).Take(3)
			},
		} {
			if name == "statements" {
				db.SetMaxOpenConns(n + 2) // each of them holds one while it waits for another
			}
			got, err := flux.Range(0, n).FlatMap(func(int) flux.Flux[int] { return one() }).Timeout(time.Minute).Collect(t.Context())
			require.NoError(t, err, name)
			assert.Len(t, got, 3*n, name)
		}
		synctest.Wait() // those that Take has cancelled are closed by their workers
		assert.Zero(t, db.Stats().InUse)
	})
}
