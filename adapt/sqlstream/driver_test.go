package sqlstream_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
)

var errBoom = errors.New("boom")

// store is a database of numbers, in memory, under the control of a test.
type store struct {
	rows     int           // a query returns the numbers from 1 on
	failAt   int           // this row can't be fetched; 0 for none
	queryErr error         //
	closeErr error         // of rows
	execErr  error         //
	beginErr error         //
	endErr   error         // of commit and rollback
	back     chan struct{} // a rollback waits for it, if it is not nil
	gate     chan struct{} // fetching a row waits for it, or the end of the context, if it is not nil

	fetched, opened, closed atomic.Int64
	late                    atomic.Int64  // rows that were closed when the context of their query had ended
	unread                  bool          // closing rows reads the rest, which takes until that
	deaf                    chan struct{} // closing rows that have not ended, nor their context, waits for it, if it is not nil
	conns                   atomic.Int64  // open
	mu                      sync.Mutex
	log                     []string
}

func (s *store) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, what)
}

func (s *store) noted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.log...)
}

func (s *store) open(t testing.TB) *sql.DB {
	db := sql.OpenDB(s)
	t.Cleanup(func() { db.Close() })
	return db
}

func (s *store) Connect(context.Context) (driver.Conn, error) {
	s.conns.Add(1)
	return &conn{s}, nil
}
func (s *store) Driver() driver.Driver { return nil }

type conn struct{ s *store }

func (c *conn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not prepared") }
func (c *conn) Close() error                        { c.s.conns.Add(-1); return nil }
func (c *conn) Begin() (driver.Tx, error)           { return nil, errors.New("old") }

func (c *conn) BeginTx(_ context.Context, o driver.TxOptions) (driver.Tx, error) {
	if c.s.beginErr != nil {
		return nil, c.s.beginErr
	}
	if o.ReadOnly {
		c.s.note("begin read only")
	} else {
		c.s.note("begin " + sql.IsolationLevel(o.Isolation).String())
	}
	return (*tx)(c.s), nil
}

func (c *conn) QueryContext(ctx context.Context, _ string, _ []driver.NamedValue) (driver.Rows, error) {
	if c.s.queryErr != nil {
		return nil, c.s.queryErr
	}
	c.s.opened.Add(1)
	return &rows{s: c.s, ctx: ctx}, nil
}

func (c *conn) ExecContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	c.s.note(query)
	return driver.RowsAffected(3), c.s.execErr
}

type tx store

func (t *tx) Commit() error { (*store)(t).note("commit"); return t.endErr }
func (t *tx) Rollback() error {
	if t.back != nil {
		<-t.back
	}
	(*store)(t).note("rollback")
	return t.endErr
}

type rows struct {
	s   *store
	ctx context.Context
	n   int
}

func (r *rows) Columns() []string { return []string{"n"} }

func (r *rows) Close() error {
	if r.s.unread {
		<-r.ctx.Done()
	}
	if r.s.deaf != nil && r.n <= r.s.rows && r.ctx.Err() == nil {
		<-r.s.deaf
	}
	if r.ctx.Err() != nil {
		r.s.late.Add(1)
	}
	r.s.closed.Add(1)
	return r.s.closeErr
}

func (r *rows) Next(dest []driver.Value) error {
	if r.s.gate != nil {
		select {
		case <-r.s.gate:
		case <-r.ctx.Done():
			return r.ctx.Err()
		}
	}
	if r.n++; r.n == r.s.failAt {
		return driver.ErrBadConn
	}
	if r.n > r.s.rows {
		return io.EOF
	}
	r.s.fetched.Add(1)
	dest[0] = int64(r.n)
	return nil
}
