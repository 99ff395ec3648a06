package netreactor_test

import (
	"context"
	"crypto/tls"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// TestFarewellsThatNobodyTakes: TLS tells the peer that nothing more comes, and waits for one that takes nothing for five seconds. Who
// ends the connection, or the server, at once does not.
func TestFarewellsThatNobodyTakes(t *testing.T) {
	closeWrite := func(t *testing.T, c *bytesConn) {
		assert.NoError(t, c.CloseWrite())
		synctest.Wait() // TLS waits
	}
	for name, c := range map[string]struct {
		end   func(*testing.T, *netreactor.Server, *bytesConn)
		want  netreactor.Reason
		least time.Duration
		most  time.Duration
	}{
		"Abort": {func(t *testing.T, _ *netreactor.Server, c *bytesConn) {
			closeWrite(t, c)
			c.Abort()
		}, netreactor.ReasonClosed, 0, 10 * time.Millisecond},
		"Close of the server": {func(t *testing.T, s *netreactor.Server, c *bytesConn) {
			assert.NoError(t, s.Close())
		}, netreactor.ReasonShutdown, 0, 100 * time.Millisecond},
		"Close of the server, after CloseWrite": {func(t *testing.T, s *netreactor.Server, c *bytesConn) {
			closeWrite(t, c)
			assert.NoError(t, s.Close())
		}, netreactor.ReasonShutdown, 0, 100 * time.Millisecond},
		"Shutdown": {func(t *testing.T, s *netreactor.Server, c *bytesConn) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			s.Shutdown(ctx)
		}, netreactor.ReasonShutdown, time.Second, time.Second + 100*time.Millisecond},
		"nobody": {func(t *testing.T, _ *netreactor.Server, c *bytesConn) {
			closeWrite(t, c)
		}, netreactor.ReasonWriteFailed, 5 * time.Second, 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conns := make(chan *bytesConn, 1)
				server, config, dial := handTLS(t, func(c *bytesConn) flux.Flux[[]byte] {
					c.Inbound().SubscribeFunc(c.Context(), func([]byte) {}, flux.OnError(func(error) {}))
					conns <- c
					return flux.Never[[]byte]()
				}, netreactor.FirstFrameTimeout(0))
				require.NoError(t, tls.Client(dial(), config).Handshake())
				conn := <-conns
				synctest.Wait()
				begun := time.Now()
				c.end(t, server, conn)
				select {
				case <-conn.Context().Done():
				case <-time.After(time.Hour):
				}
				took := time.Since(begun)
				assert.Equal(t, c.want, reasonOf(conn))
				assert.GreaterOrEqual(t, took, c.least)
				assert.LessOrEqual(t, took, c.most)
			})
		})
	}
}
