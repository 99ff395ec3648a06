package netreactor_test

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/reactortest/tck"
)

// TestInboundObeysTheRules runs the compatibility kit on the inbound of real connections.
func TestInboundObeysTheRules(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler)
		var writers sync.WaitGroup
		var mu sync.Mutex
		var opened []net.Conn
		open := func(n int64) *bytesConn {
			conn, err := net.Dial("tcp", server.Addr().String())
			require.NoError(t, err)
			mu.Lock()
			opened = append(opened, conn)
			mu.Unlock()
			writers.Go(func() {
				message := framed("element")
				for ; n > 0; n-- {
					if _, err := conn.Write(message); err != nil {
						return
					}
				}
				conn.(*net.TCPConn).CloseWrite()
			})
			return <-conns
		}
		defer func() {
			server.Close()
			for _, c := range opened {
				c.Close()
			}
			writers.Wait()
		}()
		tck.VerifyPublisher(t, tck.Publisher[[]byte]{
			Create: func(n int64) reactor.Publisher[[]byte] { return open(n).Inbound() },
			Failed: func() reactor.Publisher[[]byte] {
				c := open(0)
				c.Abort()
				<-c.Context().Done()
				return c.Inbound()
			},
			Min: 1, // that there is none is seen when one is asked for, which the kit would wait for
		}, tck.Timeout(20*time.Second), tck.Quiet(10*time.Millisecond), tck.Rounds(racetest.Iterations(100)))
		assert.NotEmpty(t, opened)
	})
}
