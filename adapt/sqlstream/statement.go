package sqlstream

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/schedulers"
)

// Statement is a statement with its arguments.
type Statement struct {
	text string
	args []any
}

// SQL returns the statement of the given text, with args for its placeholders.
func SQL(text string, args ...any) Statement { return Statement{text, slices.Clone(args)} }

// shown is how much of a statement errors show.
const shown = 60

// String returns the beginning of the text, on one line, without the arguments.
func (s Statement) String() string {
	text := strings.Join(strings.Fields(s.text), " ")
	if len(text) > shown {
		text = strings.ToValidUTF8(text[:shown], "") + "…"
	}
	return text
}

// Queryer runs queries: a *sql.DB, *sql.Conn or *sql.Tx.
type Queryer interface {
	// QueryContext is the method of *sql.DB.
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Execer runs statements: a *sql.DB, *sql.Conn or *sql.Tx.
type Execer interface {
	// ExecContext is the method of *sql.DB.
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Beginner begins transactions: a *sql.DB or *sql.Conn.
type Beginner interface {
	// BeginTx is the method of *sql.DB.
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
}

// The errors with which streams of this package fail; test for them with errors.Is.
// They come in a *reactor.OpError that names the statement; its cause is the error of
// the database.
var (
	// ErrQuery: a query failed, at once or between two rows.
	ErrQuery = errors.New("query failed")
	// ErrScan: the function that scans failed.
	ErrScan = errors.New("scan failed")
	// ErrExec: a statement failed.
	ErrExec = errors.New("statement failed")
	// ErrTransaction: a transaction could not begin, or could not be committed.
	ErrTransaction = errors.New("transaction failed")
)

type config struct {
	on schedulers.Scheduler // nil is schedulers.BoundedElastic(), with a goroutine that waits for a connection
	tx *sql.TxOptions
}

func (c *config) scheduler() schedulers.Scheduler {
	if c.on == nil {
		return schedulers.BoundedElastic()
	}
	return c.on
}

// QueryOption is an option of [Query]: [On].
type QueryOption interface{ applyQuery(*config) }

// ExecOption is an option of [Exec]: [On].
type ExecOption interface{ applyExec(*config) }

// TransactionOption is an option of [Transaction]: [Isolation], [On], [ReadOnly].
type TransactionOption interface{ applyTransaction(*config) }

// OnOption is the scheduler on which a function blocks.
type OnOption struct{ scheduler schedulers.Scheduler }

// On sets the scheduler whose workers wait for the database, instead of goroutines of their own and
// schedulers.BoundedElastic(). No more streams than s has lanes may wait for connections at the
// same time: the streams that have a connection need a lane, too. On panics if s is nil.
func On(s schedulers.Scheduler) OnOption {
	argument.NotNil("sqlstream.on", "scheduler", s)
	return OnOption{foreign.Scheduler(s)}
}

func (o OnOption) applyQuery(c *config)       { c.on = o.scheduler }
func (o OnOption) applyExec(c *config)        { c.on = o.scheduler }
func (o OnOption) applyTransaction(c *config) { c.on = o.scheduler }

func (c *config) options() *sql.TxOptions {
	if c.tx == nil {
		c.tx = &sql.TxOptions{}
	}
	return c.tx
}

// IsolationOption is how far transactions are isolated.
type IsolationOption sql.IsolationLevel

// Isolation sets the isolation level of a transaction, instead of the default of the
// driver or database.
func Isolation(level sql.IsolationLevel) IsolationOption { return IsolationOption(level) }

func (o IsolationOption) applyTransaction(c *config) {
	c.options().Isolation = sql.IsolationLevel(o)
}

// ReadOnlyOption promises that a transaction does not write.
type ReadOnlyOption bool

// ReadOnly begins a transaction that does not write.
func ReadOnly() ReadOnlyOption { return true }

func (o ReadOnlyOption) applyTransaction(c *config) { c.options().ReadOnly = bool(o) }

// failed makes the error of a statement.
func failed(op string, kind error, s Statement, err error, format string, args ...any) error {
	return reactor.Failure(op, kind, "%s of %q", fmt.Sprintf(format, args...), s).CausedBy(err)
}
