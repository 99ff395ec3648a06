package itest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/connectors/nats/itest"
	"github.com/goreactor/reactor/connectors/nats/natslock"
	"github.com/goreactor/reactor/keylock"
)

// K12: what single requests cost, and what a manager makes of them. The server writes
// to a file, and to the disk before it acknowledges in the second half.
func Benchmark(b *testing.B) {
	for _, always := range []bool{false, true} {
		s, err := itest.Start(itest.Options{Dir: b.TempDir(), SyncAlways: always})
		require.NoError(b, err)
		b.Cleanup(s.Stop)
		conn, js, err := itest.Connect(s.URL())
		require.NoError(b, err)
		b.Cleanup(conn.Close)
		ctx := context.Background()
		_, err = js.CreateKeyValue(ctx, natslock.Config("locks"))
		require.NoError(b, err)
		store, err := natslock.New(ctx, js, "locks")
		require.NoError(b, err)
		sync := map[bool]string{false: "", true: "/sync"}[always]

		var took [3]time.Duration // to acquire, renew, release
		b.Run("Requests"+sync, func(b *testing.B) {
			took = [3]time.Duration{}
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				g, err := store.TryAcquire(ctx, request("k", fmt.Sprint(i)))
				acquired := time.Now()
				require.NoError(b, err)
				g, err = store.Renew(ctx, g, 2*time.Second)
				renewed := time.Now()
				require.NoError(b, err)
				require.NoError(b, store.Release(ctx, g))
				took[0] += acquired.Sub(start)
				took[1] += renewed.Sub(acquired)
				took[2] += time.Since(renewed)
			}
			for i, name := range []string{"acquire", "renew", "release"} {
				b.ReportMetric(float64(took[i].Microseconds())/float64(b.N), "µs/"+name)
			}
		})
		b.Run("Do"+sync, func(b *testing.B) {
			m, err := keylock.New(keylock.WithBackend(store, 5*time.Second))
			require.NoError(b, err)
			before := conn.Stats().OutMsgs
			for b.Loop() {
				_, err := m.Do(ctx, "do", func(context.Context, keylock.Lease) (struct{}, error) { return struct{}{}, nil })
				require.NoError(b, err)
			}
			b.ReportMetric(float64(conn.Stats().OutMsgs-before)/float64(b.N), "requests/op")
			m.Close()
		})
	}
}
