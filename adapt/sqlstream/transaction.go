package sqlstream

import (
	"context"
	"database/sql"
	"errors"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/mono"
)

const transactionOp = "sqlstream.transaction"

// Transaction emits the elements of the publisher that use makes of a transaction. The transaction
// is committed when that publisher completes, and rolled back when it fails or is cancelled.
//
//	      Transaction(db, func(tx *sql.Tx) flux.Flux[int] { return insert(tx, orders) })
//	out:  1 - 2 |          BEGIN before 1, COMMIT before |
//
// The publisher that uses the transaction ends before the transaction does. Elements go down as
// they come, and so before the commit; do what depends on the commit after the completion. Whatever
// takes an element and then cancels rolls back: Take, Next, mono.From, and a loop that breaks.
// Single, Last and Collect wait for the commit, and [InTransaction] does it for one element. A cancellation that finds COMMIT under way does not
// stop it; what became of the transaction is then not known. With drivers that do one thing at a
// time on a connection, the next statement has to follow the end of a [Query], not one of its
// elements, as in a loop over rows.
//
// An [ErrTransaction] says that the transaction could not begin or could not be committed; a failure
// of the rollback is joined with the error that led to it, or reported as dropped after a
// cancellation. COMMIT and ROLLBACK run on workers of schedulers.BoundedElastic(), see [On]; use is
// called there. BEGIN, which waits for a connection, has a goroutine of its own, unless On is
// given. Cancelling does not wait for the rollback. Transaction panics if db or use is nil.
func Transaction[T any, P reactor.Publisher[T]](db Beginner, use func(*sql.Tx) P, opts ...TransactionOption) flux.Flux[T] {
	const op = transactionOp
	argument.NotNil(op, "database", db)
	argument.NotNil(op, "function that uses the transaction", use)
	var c config
	for _, o := range argument.Options(op, opts) {
		o.applyTransaction(&c)
	}
	begin := blocking.Call(op, c.on, func(ctx context.Context) (*transaction, error) {
		tx, err := db.BeginTx(ctx, c.tx)
		if err != nil {
			return nil, broken("begin", err)
		}
		return &transaction{tx, ctx}, nil
	})
	end := func(fn func() error, what string) mono.Mono[struct{}] {
		return blocking.Cleanup[struct{}](c.scheduler(), func() error {
			if err := fn(); err != nil {
				return broken(what, err)
			}
			return nil
		})
	}
	rollback := func(t *transaction) mono.Mono[struct{}] { return end(t.rollback, "rollback") }
	return flux.UsingWhenOutcome(begin, func(t *transaction) P { return use(t.tx) },
		func(t *transaction) mono.Mono[struct{}] { return end(t.tx.Commit, "commit") },
		func(t *transaction, _ error) mono.Mono[struct{}] { return rollback(t) },
		rollback,
	)
}

// InTransaction is [Transaction] for a publisher of at most one element, which it emits when the
// transaction is committed: an element has come to stay.
//
//	      InTransaction(db, func(tx *sql.Tx) mono.Mono[int] { return insert(tx, order) })
//	out:  1 |          BEGIN and COMMIT before 1
//
// Demand: the publisher that use returns is asked for everything with the first request. Errors,
// cancellation and goroutines are as with Transaction; a cancellation behind the element comes too
// late to roll back.
func InTransaction[T any](db Beginner, use func(*sql.Tx) mono.Mono[T], opts ...TransactionOption) mono.Mono[T] {
	const op = "sqlstream.inTransaction"
	argument.NotNil(op, "database", db)
	argument.NotNil(op, "function that uses the transaction", use)
	return Transaction(db, use, argument.Options(op, opts)...).SingleOrEmpty()
}

// broken makes the error of a transaction.
func broken(what string, err error) error {
	return reactor.Failure(transactionOp, ErrTransaction, "%s", what).CausedBy(err)
}

// transaction is a transaction that is rolled back if nobody gets it.
type transaction struct {
	tx  *sql.Tx
	ctx context.Context // in which it was begun, for what nobody else hears of
}

// rollback is no failure if the database has done it already. Drivers such as go-sql-driver/mysql close the connection of a statement whose
// context ends, and answer the rollback with the error of that context.
func (t *transaction) rollback() error {
	err := t.tx.Rollback()
	for _, done := range []error{sql.ErrTxDone, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, done) {
			return nil
		}
	}
	return err
}

// Discarded implements reactor.Discardable. It does not wait for the rollback, because the caller
// may be one that cancels.
func (t *transaction) Discarded() {
	blocking.Aside(func() {
		if err := t.rollback(); err != nil {
			reactor.DropError(t.ctx, broken("rollback", err))
		}
	})
}
