package netreactor_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/netreactor"
	"github.com/goreactor/reactor/schedulers"
)

// TestAResetIsNoDroppedError: the peer goes while a business worker is busy, so that the failure of the inbound is on its way when the
// end of the connection cancels what the handler has returned. It is nothing that a log of errors has to have.
func TestAResetIsNoDroppedError(t *testing.T) {
	t.Run("business workers", func(t *testing.T) { resetWhileBusy(t, true) })
	t.Run("of the handler", func(t *testing.T) { resetWhileBusy(t, false) })
}

func resetWhileBusy(t *testing.T, business bool) {
	everywhere(t, func(t *testing.T, bind binder) {
		s := schedulers.NewSingle("business")
		defer s.Dispose()
		var dropped atomic.Value
		var opts []netreactor.BindOption
		if business {
			opts = append(opts, netreactor.BusinessOn(s))
		}
		busy, began := make(chan struct{}), make(chan struct{})
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			in := c.Inbound()
			if !business {
				in = in.PublishOn(s)
			}
			return in.DoOnNext(func([]byte) {
				close(began)
				<-busy
			}).ContextWrite(func(ctx context.Context) context.Context {
				return reactor.WithHooks(ctx, reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped.Store(err) }})
			})
		}, opts...)
		p := connect(t, server)
		p.send("x")
		take(t, began)
		require.NoError(t, p.SetLinger(0))
		p.Close()
		until(t, "the end", func() bool { return len(server.Stats().Closed) == 1 })
		close(busy)
		require.NoError(t, server.Close())
		require.NoError(t, s.DisposeGracefully(context.Background()))
		assert.Nil(t, dropped.Load())
	})
}
