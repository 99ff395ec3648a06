package sqlstream_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/testkit/beside"
)

// The rows of a driver in memory, which costs next to nothing, beside the usual loop.
func BenchmarkQuery(b *testing.B) {
	const n = 10_000
	db := (&store{rows: n}).open(b)
	beside.Run(b, func(b *testing.B) func() {
		return func() {
			rows, err := db.QueryContext(b.Context(), "SELECT n FROM numbers")
			require.NoError(b, err)
			last := 0
			for rows.Next() {
				var n int // as who keeps the rows has it
				if err := rows.Scan(&n); err != nil {
					b.Fatal(err)
				}
				last = n
			}
			require.NoError(b, rows.Err())
			require.NoError(b, rows.Close())
			require.Equal(b, n, last)
		}
	}, func(b *testing.B) func() {
		return func() {
			last := 0
			require.NoError(b, numbers(db).ForEach(context.Background(), func(n int) { last = n }))
			require.Equal(b, n, last)
		}
	})
}
