package sqlstream

import (
	"context"
	"database/sql"
	"io"
	"sync"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/mono"
)

// patience is how long it may take to close the rows of a query that was cancelled, including the
// row that is being fetched. Drivers such as pgx and lib/pq give up the connection, and with it the
// transaction that the query is a part of, if the context of a query ends while its rows are open.
const patience = time.Second

// little is how many rows of a query are read when nobody wants them, to keep the connection.
const little = 4096

// Query emits what scan makes of the rows that a query returns. If the query returns several sets
// of rows, scan is called for the first set alone.
//
//	      Query(db, SQL("SELECT name FROM users"), Column[string])
//	out:  Ada - Grace - Barbara |
//
// Demand: the query is sent at subscription; a row is fetched only when there is demand for it,
// beyond what the driver reads ahead by itself. The end is noticed when one more row is requested
// than there are.
//
// Errors: an error is an [ErrQuery] or, if scan fails, an [ErrScan]; both name the statement and
// the row. A panic of scan is an error too. scan must not keep the rows.
//
// Cancellation: closes the rows, once. Up to 4096 rows that are left are read first, so that the
// connection can be used again. The context of the query ends if there are more, or if that and
// closing, with the row that is being fetched, take longer than a second. It ends at once if the
// context of the subscription has ended, or if the query has not begun to return rows. With many
// drivers the end of the context costs the connection, and in a transaction the transaction. If db
// is a transaction or a *sql.Conn, the rows are closed before Cancel returns, unless one is being
// fetched, so that the next statement finds the connection free; some drivers do that by reading
// the rest, and that of go-sql-driver/mysql heeds no context meanwhile: put a LIMIT into such a
// statement. At any other end, an error of closing the rows, as far as package database/sql reports
// it, is the error of the stream, or is joined with it.
//
// Goroutine: Query waits for a connection and the beginning of the rows on a goroutine of its own,
// and reads the rows on a worker of schedulers.BoundedElastic(); with [On] it does both on a worker
// of that scheduler. scan runs on the worker, and elements are emitted there. Query panics if db or
// scan is nil.
func Query[T any](db Queryer, s Statement, scan func(*sql.Rows) (T, error), opts ...QueryOption) flux.Flux[T] {
	const op = "sqlstream.query"
	argument.NotNil(op, "database", db)
	argument.NotNil(op, "function that scans", scan)
	var c config
	for _, o := range argument.Options(op, opts) {
		o.applyQuery(&c)
	}
	settings := blocking.Settings{Op: op, On: c.on, OpenApart: true, CloseOnWorker: true, Patience: patience}
	return flux.From(blocking.New(settings, func() blocking.Source[T] {
		_, pool := db.(interface{ Stats() sql.DBStats })
		return &query[T]{cursor: cursor{op: op, db: db, statement: s, alone: !pool}, scan: scan}
	}))
}

// Column scans a row of one column, for [Query].
func Column[T any](rows *sql.Rows) (v T, err error) {
	err = rows.Scan(&v)
	return v, err
}

// cursor is the part of a query that has nothing to do with the type of its elements.
type cursor struct {
	op        string
	db        Queryer
	statement Statement
	rows      *sql.Rows
	stop      context.CancelFunc // ends the context of the query
	number    int64              // of the row that was fetched last, from 1

	alone   bool       // the next statement of db needs the connection of this one: db is a transaction, say
	reading sync.Mutex // if alone: held while a row is fetched and scanned
	closing sync.Once
	err     error // of closing
}

// Open implements blocking.Source.
func (c *cursor) Open(ctx context.Context) (err error) {
	ctx, c.stop = context.WithCancel(ctx)
	c.rows, err = c.db.QueryContext(ctx, c.statement.text, c.statement.args...)
	if err != nil {
		c.stop()
		return failed(c.op, ErrQuery, c.statement, err, "begin")
	}
	return nil
}

// Interrupt implements blocking.Source. For a pool it does nothing: the worker closes the rows, or the context ends. If the next
// statement needs the same connection, Interrupt closes the rows, so that the connection is free before the end of a Take,
// say, arrives; unless a row is being fetched.
func (c *cursor) Interrupt() {
	if c.alone && c.reading.TryLock() {
		defer c.reading.Unlock()
		c.close()
	}
}

// Close implements blocking.Source.
func (c *cursor) Close() error {
	c.close()
	if c.err != nil {
		return failed(c.op, ErrQuery, c.statement, c.err, "close, after row %d", c.number)
	}
	return nil
}

func (c *cursor) close() {
	c.closing.Do(func() {
		defer c.stop()
		failure.Guard(c.closeRows, func(err error) { c.err = err })
	})
}

// closeRows closes the rows. Close of drivers such as go-sql-driver/mysql reads all that was not read, and heeds no context
// meanwhile. So what is left is read before, with a context that is heeded; if that is much, or takes long, the context ends.
// In a transaction that would cost more than it takes to read the rest.
func (c *cursor) closeRows() {
	if !c.alone && !c.readLittle() {
		c.stop()
		_ = c.rows.Close() // what that fails with is that the connection is given up
		return
	}
	c.err = c.rows.Close()
}

// readLittle reads what is left of the rows, and reports whether that was all.
func (c *cursor) readLittle() bool {
	defer live.After(patience, c.stop)()
	for range little {
		if !c.rows.Next() && !c.rows.NextResultSet() {
			return c.rows.Err() == nil
		}
	}
	return false
}

// next fetches a row.
func (c *cursor) next() error {
	if c.rows.Next() {
		c.number++
		return nil
	}
	if err := c.rows.Err(); err != nil {
		return failed(c.op, ErrQuery, c.statement, err, "row %d", c.number+1)
	}
	return io.EOF
}

type query[T any] struct {
	cursor
	scan func(*sql.Rows) (T, error)
}

// Emit implements blocking.Source.
func (q *query[T]) Emit(out blocking.Out[T]) error {
	defer out.End()
	for {
		if q.alone {
			q.reading.Lock() // kept at an end: nobody but Close comes behind it
		}
		if err := q.next(); err != nil {
			return err
		}
		v, err := q.scan(q.rows)
		if err != nil {
			return failed(q.op, ErrScan, q.statement, err, "row %d", q.number)
		}
		if q.alone {
			q.reading.Unlock()
		}
		if out.Cancelled() {
			return out.Refuse(v)
		}
		out.Send(v)
		if !out.More() {
			return nil
		}
	}
}

// Exec runs a statement and emits its result.
//
//	      Exec(db, SQL("DELETE FROM carts WHERE age > ?", day))
//	out:  result |
//
// The statement runs once per subscription, at the first request, on a goroutine of its own, and
// the result is emitted on a worker of schedulers.BoundedElastic(); with [On] one worker does both.
// A failure is an [ErrExec] that names the statement. Cancelling ends the context of the statement;
// it is then not known whether the database has run the statement. Exec panics if db is nil.
func Exec(db Execer, s Statement, opts ...ExecOption) mono.Mono[sql.Result] {
	const op = "sqlstream.exec"
	argument.NotNil(op, "database", db)
	var c config
	for _, o := range argument.Options(op, opts) {
		o.applyExec(&c)
	}
	return blocking.Call(op, c.on, func(ctx context.Context) (sql.Result, error) {
		result, err := db.ExecContext(ctx, s.text, s.args...)
		if err != nil {
			return nil, reactor.Failure(op, ErrExec, "%q", s).CausedBy(err)
		}
		return result, nil
	})
}
