package netreactor_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/netreactor"
)

func TestHalfClose(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes)
		p := connect(t, server)
		var want []string
		for i := range 1000 {
			want = append(want, strings.Repeat("m", i%70))
		}
		p.send(want...)
		p.CloseWrite()
		for _, m := range want {
			require.Equal(t, m, p.receive())
		}
		p.ended()
		until(t, "closed", func() bool { return server.Stats().Connections == 0 })
		assert.Equal(t, map[netreactor.Reason]uint64{netreactor.ReasonPeerClosed: 1}, server.Stats().Closed)
	})
}

func TestTheEndOfTheHandler(t *testing.T) {
	boom := errors.New("boom")
	everywhere(t, func(t *testing.T, bind binder) {
		for name, c := range map[string]struct {
			handler func(*bytesConn) reactor.Publisher[[]byte]
			answer  bool
			want    netreactor.Reason
			err     error
		}{
			"completes":     {func(c *bytesConn) reactor.Publisher[[]byte] { return c.Inbound().Take(1) }, true, netreactor.ReasonHandlerDone, nil},
			"is a mono":     {func(c *bytesConn) reactor.Publisher[[]byte] { return c.Inbound().Next() }, true, netreactor.ReasonHandlerDone, nil},
			"nothing to do": {func(c *bytesConn) reactor.Publisher[[]byte] { return mono.Empty[[]byte]() }, false, netreactor.ReasonHandlerDone, nil},
			"fails": {func(c *bytesConn) reactor.Publisher[[]byte] {
				return c.Inbound().Take(1).ConcatWith(flux.Error[[]byte](boom))
			}, true, netreactor.ReasonHandlerFailed, boom},
			"panics in the stream": {func(c *bytesConn) reactor.Publisher[[]byte] {
				return c.Inbound().Map(func([]byte) []byte { panic(boom) })
			}, false, netreactor.ReasonHandlerFailed, boom},
			"panics":             {func(c *bytesConn) reactor.Publisher[[]byte] { panic(boom) }, false, netreactor.ReasonHandlerFailed, boom},
			"returns nil":        {func(c *bytesConn) reactor.Publisher[[]byte] { return nil }, false, netreactor.ReasonHandlerFailed, nil},
			"ends its goroutine": {func(c *bytesConn) reactor.Publisher[[]byte] { runtime.Goexit(); return nil }, false, netreactor.ReasonHandlerFailed, reactor.ErrGoexit},
			"ends its goroutine in the stream": {func(c *bytesConn) reactor.Publisher[[]byte] {
				return c.Inbound().Map(func([]byte) []byte { runtime.Goexit(); return nil })
			}, false, netreactor.ReasonHandlerFailed, reactor.ErrGoexit},
		} {
			t.Run(name, func(t *testing.T) {
				conns := make(chan *bytesConn, 10)
				server := bind(func(conn *bytesConn) reactor.Publisher[[]byte] {
					conns <- conn
					return c.handler(conn)
				})
				p := connect(t, server)
				p.Write(framed("x"))
				if c.answer {
					assert.Equal(t, "x", p.receive())
				}
				p.ended()
				conn := take(t, conns)
				<-conn.Context().Done()
				assert.Equal(t, c.want, reasonOf(conn))
				if c.err != nil {
					assert.ErrorIs(t, conn.Send(nil), c.err)
				}
				assert.ErrorIs(t, conn.Send(nil), netreactor.ErrClosed)

				p = connect(t, server) // others are served
				p.Write(framed("x"))
				if c.answer {
					assert.Equal(t, "x", p.receive())
				}
			})
		}
	})
}

func TestStatsAndReasons(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes)
		p := connect(t, server)
		p.send("abc", "d")
		p.receive()
		p.receive()
		until(t, "counted", func() bool { st := server.Stats(); return st.FramesIn == 2 && st.FramesOut == 2 && st.BytesOut == 12 })
		st := server.Stats()
		assert.Equal(t, uint64(2), st.FramesIn)
		assert.Equal(t, uint64(12), st.BytesIn)
		assert.Equal(t, uint64(12), st.BytesOut)
		assert.Equal(t, server.Engine(), st.Engine)
		list := server.Connections()
		require.Len(t, list, 1)
		assert.Equal(t, p.LocalAddr().String(), list[0].RemoteAddr.String())
		p.Close()
	})
	for r := range netreactor.ReasonCut + 1 {
		assert.NotContains(t, r.String(), "reason ")
	}
	assert.Equal(t, "reason 99", netreactor.Reason(99).String())
}
