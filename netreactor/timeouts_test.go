package netreactor_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

func TestTimeouts(t *testing.T) {
	const d = 60 * time.Millisecond
	everywhere(t, func(t *testing.T, bind binder) {
		for _, c := range []struct {
			name string
			opt  netreactor.BindOption
			do   func(p *peer)
			want netreactor.Reason
			echo bool
		}{
			{"first frame", netreactor.FirstFrameTimeout(d), func(p *peer) { p.Write([]byte{0, 0}) }, netreactor.ReasonFirstFrameTimeout, true},
			{"idle", netreactor.IdleTimeout(d), func(p *peer) { p.send("x"); p.receive() }, netreactor.ReasonIdleTimeout, true},
			{"read", netreactor.ReadTimeout(d), func(p *peer) { p.send("x"); p.receive(); p.Write([]byte{0, 0, 0, 9, 'x'}) }, netreactor.ReasonReadTimeout, true},
			{"paused", netreactor.PausedTimeout(d), func(p *peer) { p.send("x") }, netreactor.ReasonPausedTimeout, false},
		} {
			t.Run(c.name, func(t *testing.T) {
				conns := make(chan *bytesConn, 1)
				server := bind(func(conn *bytesConn) reactor.Publisher[[]byte] {
					conns <- conn
					if c.echo {
						return conn.Inbound()
					}
					return flux.Never[[]byte]()
				}, c.opt)
				p := connect(t, server)
				begun := time.Now()
				c.do(p)
				p.ended()
				assert.GreaterOrEqual(t, time.Since(begun), d)
				conn := <-conns
				<-conn.Context().Done()
				assert.Equal(t, c.want, reasonOf(conn))
				assert.True(t, reasonOf(conn).Timeout())
			})
		}
	})
}

func TestWriteTimeout(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		conns := make(chan *bytesConn, 1)
		server := bind(func(conn *bytesConn) reactor.Publisher[[]byte] {
			conns <- conn
			return flux.Range(0, 1<<30).Map(func(int) []byte { return make([]byte, 1000) })
		}, netreactor.WriteTimeout(60*time.Millisecond), netreactor.SocketBuffers(0, 32<<10))
		p := connect(t, server)
		p.SetReadBuffer(32 << 10)
		conn := take(t, conns)
		<-conn.Context().Done()
		assert.Equal(t, netreactor.ReasonWriteTimeout, reasonOf(conn))
	})
}

func TestActiveConnectionsDoNotTimeOut(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		const d = 100 * time.Millisecond
		server := bind(echoBytes, netreactor.FirstFrameTimeout(d), netreactor.IdleTimeout(d), netreactor.ReadTimeout(d), netreactor.WriteTimeout(d), netreactor.PausedTimeout(d))
		p := connect(t, server)
		last := time.Now()
		for end := last.Add(4 * d); time.Now().Before(end); pause() {
			_, err := p.Write(framed("x"))
			if err == nil {
				_, err = p.next()
			}
			if err != nil {
				// On a machine that stood still the connection was not active either.
				require.GreaterOrEqual(t, time.Since(last), d/2, "closed although it was active: %v", err)
				return
			}
			last = time.Now()
		}
	})
}
