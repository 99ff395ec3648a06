package sqlstream_test

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/goreactor/reactor/adapt/sqlstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// database is one whose queries return the numbers from 1 to 3.
func database() *sql.DB { return sql.OpenDB(&store{rows: 3}) }

func ExampleQuery() {
	db := database()
	defer db.Close()
	squares := sqlstream.Query(db, sqlstream.SQL("SELECT n FROM numbers"), func(rows *sql.Rows) (int, error) {
		var n int
		err := rows.Scan(&n)
		return n * n, err
	})
	fmt.Println(squares.Collect(context.Background()))
	// Output: [1 4 9] <nil>
}

func ExampleColumn() {
	db := database()
	defer db.Close()
	fmt.Println(sqlstream.Query(db, sqlstream.SQL("SELECT n FROM numbers"), sqlstream.Column[string]).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleSQL() {
	fmt.Println(sqlstream.SQL("SELECT n FROM numbers WHERE n > ?", 2))
	// Output: SELECT n FROM numbers WHERE n > ?
}

func ExampleExec() {
	db := database()
	defer db.Close()
	result, err := sqlstream.Exec(db, sqlstream.SQL("DELETE FROM numbers WHERE n > ?", 2)).Block(context.Background())
	n, _ := result.RowsAffected()
	fmt.Println(n, err)
	// Output: 3 <nil>
}

func ExampleTransaction() {
	db := database()
	defer db.Close()
	deleted := sqlstream.Transaction(db, func(tx *sql.Tx) flux.Flux[int64] {
		return flux.From(sqlstream.Exec(tx, sqlstream.SQL("DELETE FROM numbers")).TryMap(sql.Result.RowsAffected))
	})
	fmt.Println(deleted.Collect(context.Background()))
	// Output: [3] <nil>
}

func ExampleInTransaction() {
	db := database()
	defer db.Close()
	deleted := sqlstream.InTransaction(db, func(tx *sql.Tx) mono.Mono[int64] {
		return sqlstream.Exec(tx, sqlstream.SQL("DELETE FROM numbers")).TryMap(sql.Result.RowsAffected)
	})
	fmt.Println(deleted.Block(context.Background()))
	// Output: 3 <nil>
}

func ExampleOn() {
	db := database()
	defer db.Close()
	queries := schedulers.NewSingle("queries")
	defer queries.Dispose()
	n, _ := sqlstream.Query(db, sqlstream.SQL("SELECT n FROM numbers"), sqlstream.Column[int], sqlstream.On(queries)).Count().Block(context.Background())
	fmt.Println(n)
	// Output: 3
}

func ExampleIsolation() {
	fmt.Println(sql.IsolationLevel(sqlstream.Isolation(sql.LevelSerializable)))
	// Output: Serializable
}

func ExampleReadOnly() {
	fmt.Println(sqlstream.ReadOnly())
	// Output: true
}
