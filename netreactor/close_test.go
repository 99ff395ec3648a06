package netreactor_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/netreactor"
)

// endings are the ways to end a server that nobody has to wait for.
var endings = map[string]func(*netreactor.Server) (netreactor.ShutdownReport, error){
	"shutdown": func(s *netreactor.Server) (netreactor.ShutdownReport, error) {
		return s.Shutdown(context.Background())
	},
	"close": func(s *netreactor.Server) (netreactor.ShutdownReport, error) {
		if err := s.Close(); err != nil {
			return netreactor.ShutdownReport{}, err
		}
		return s.Shutdown(context.Background()) // what the first one has reported
	},
}

// TestNothingLeftToDo: a connection that is asked for nothing ends the orderly way, whatever its handler makes of
// the end of the inbound, and also if nobody waits for it: then also if it goes on.
func TestNothingLeftToDo(t *testing.T) {
	for name, handler := range map[string]func(c *bytesConn) reactor.Publisher[[]byte]{
		"the handler completes, too": echoBytes,
		"the handler goes on": func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().MergeWith(flux.Never[[]byte]())
		},
		"the handler says goodbye": func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().ConcatWith(mono.Just([]byte("bye")))
		},
	} {
		for _, business := range []int{0, 2} {
			for ending, end := range endings {
				if ending == "shutdown" && strings.HasPrefix(name, "the handler goes on") {
					continue // nobody knows whether it is in the middle of an answer
				}
				t.Run(name+", "+ending, func(t *testing.T) {
					everywhere(t, func(t *testing.T, bind binder) {
						for range 20 {
							server := bind(handler, netreactor.Business(business))
							p := connect(t, server)
							p.send("x")
							p.receive()
							until(t, "answered", func() bool { return server.Stats().FramesOut == 1 })
							p.Write(framed("half of one")[:7])
							until(t, "read", func() bool { return server.Stats().BytesIn == 12 })
							go func() { // its socket lingers until then
								io.Copy(io.Discard, p.r)
								p.Close()
							}()
							report, err := end(server)
							require.NoError(t, err)
							require.Equal(t, netreactor.ShutdownReport{Drained: 1}, report)
							require.NotContains(t, server.Stats().Closed, netreactor.ReasonHandlerDone)
							require.NotContains(t, server.Stats().Closed, netreactor.ReasonCut)
						}
					})
				})
			}
		}
	}
}

// slowFrames is frames whose decoder tells of a message that has not come whole, and waits.
type slowFrames struct {
	netreactor.Codec[[]byte, []byte]
	part, goOn chan struct{}
}

func (s *slowFrames) Decode(in *netreactor.Input) (msg []byte, ok bool, err error) {
	if msg, ok, err = s.Codec.Decode(in); !ok {
		s.part <- struct{}{}
		<-s.goOn
	}
	return msg, ok, err
}

// TestCloseDuringAPass: it makes no difference whether a connection does nothing when it is closed, or looks at what has come.
func TestCloseDuringAPass(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			codec := &slowFrames{frames, make(chan struct{}), make(chan struct{})}
			server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", codec, func(c *bytesConn) reactor.Publisher[[]byte] {
				return c.Inbound().ConcatWith(mono.Just([]byte("bye"))).ConcatWith(flux.Never[[]byte]())
			}, append(v.opts, quiet)...)
			require.NoError(t, err)
			defer server.Close()
			p := connect(t, server)
			p.send("x")
			p.receive()
			until(t, "answered", func() bool { return server.Stats().FramesOut == 1 })
			p.Write(framed("half of one")[:7])
			<-codec.part
			ended := make(chan netreactor.ShutdownReport, 1)
			go func() {
				report, _ := endings["close"](server)
				ended <- report
			}()
			until(t, "the end begins", func() bool { return netreactor.Draining(server) })
			close(codec.goOn)
			go func() {
				for range codec.part { // there may be another look
				}
			}()
			go func() {
				io.Copy(io.Discard, p.r)
				p.Close()
			}()
			assert.Equal(t, netreactor.ShutdownReport{Drained: 1}, take(t, ended))
			close(codec.part)
		})
	}
}

// TestCloseDropsWhatIsUnread, for a socket that is closed with something unread is reset, and the peer loses what it was sent.
func TestCloseDropsWhatIsUnread(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		conns := make(chan *bytesConn, 1)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			p := newProbe()
			c.Inbound().Subscribe(c.Context(), p)
			(<-p.up).Request(1)
			conns <- c
			return flux.Never[[]byte]()
		}, netreactor.SocketBuffers(0, 1<<20))
		p := connect(t, server)
		require.NoError(t, p.SetReadBuffer(4<<10))
		p.send("question")
		until(t, "delivered", func() bool { return server.Stats().FramesIn == 1 })
		require.NoError(t, take(t, conns).Send(make([]byte, 100<<10)))
		until(t, "written", func() bool { return server.Stats().Unsent == 0 })
		p.send("what nobody asks for")
		report, err := endings["close"](server)
		require.NoError(t, err)
		assert.Equal(t, netreactor.ShutdownReport{Drained: 1}, report)
		assert.Len(t, p.receive(), 100<<10)
		p.ended()
	})
}

// TestCloseCuts: a connection with something left to do says so.
func TestCloseCuts(t *testing.T) {
	big := make([]byte, 64<<20)
	for name, c := range map[string]struct {
		handler func(c *bytesConn) reactor.Publisher[[]byte]
		send    []string
		until   func(netreactor.Stats) bool
		want    netreactor.ShutdownReport
	}{
		"running": {
			func(c *bytesConn) reactor.Publisher[[]byte] {
				return c.Inbound().FlatMap(func([]byte) mono.Mono[[]byte] { return mono.Never[[]byte]() })
			},
			[]string{"a", "b"},
			func(st netreactor.Stats) bool { return st.Outstanding == 2 },
			netreactor.ShutdownReport{Cut: 1, Unanswered: 2},
		},
		"queued": {
			func(c *bytesConn) reactor.Publisher[[]byte] {
				p := newProbe()
				c.Inbound().Subscribe(c.Context(), p)
				(<-p.up).Request(1)
				return flux.Just([]byte("answer")).ConcatWith(flux.Never[[]byte]())
			},
			[]string{"a", "b"},
			func(st netreactor.Stats) bool { return st.FramesIn == 1 && st.FramesOut == 1 && st.Paused == 1 },
			netreactor.ShutdownReport{Cut: 1},
		},
		"in the middle of an answer": {
			func(c *bytesConn) reactor.Publisher[[]byte] {
				return c.Inbound().FlatMap(func(b []byte) flux.Flux[[]byte] { return flux.Just(b, b).ConcatWith(flux.Never[[]byte]()) })
			},
			[]string{"a"},
			func(st netreactor.Stats) bool { return st.FramesOut == 2 && st.Unsent == 0 },
			netreactor.ShutdownReport{Cut: 1},
		},
		"unsent": {
			func(c *bytesConn) reactor.Publisher[[]byte] {
				return c.Inbound().Map(func([]byte) []byte { return big })
			},
			[]string{"a"},
			func(st netreactor.Stats) bool { return st.FramesOut == 1 && st.Unsent > 0 },
			netreactor.ShutdownReport{Cut: 1, Unsent: 1},
		},
		"nobody asked yet": {
			func(c *bytesConn) reactor.Publisher[[]byte] { return flux.Never[[]byte]() },
			[]string{"a"},
			func(st netreactor.Stats) bool { return st.Paused == 1 },
			netreactor.ShutdownReport{Cut: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			inTurn(t, func(t *testing.T, bind binder) {
				conns := make(chan *bytesConn, 1)
				server := bind(func(conn *bytesConn) reactor.Publisher[[]byte] {
					conns <- conn
					return c.handler(conn)
				})
				p := connect(t, server)
				p.send(c.send...)
				until(t, "it is at work", func() bool { return c.until(server.Stats()) })
				report, err := endings["close"](server)
				require.NoError(t, err)
				report.Unsent = min(report.Unsent, 1)
				assert.Equal(t, c.want, report)
				assert.Equal(t, map[netreactor.Reason]uint64{netreactor.ReasonCut: 1}, server.Stats().Closed)
				assert.Equal(t, netreactor.ReasonCut, reasonOf(take(t, conns)))
			})
		})
	}
}

// TestCloseLooksAtTheRest: what was read and not looked at yet is left to do if it is a whole message, which goes to
// the hook then, and nothing if it is half of one.
func TestCloseLooksAtTheRest(t *testing.T) {
	for name, c := range map[string]struct {
		rest      []byte
		want      netreactor.ShutdownReport
		why       netreactor.Reason
		discarded []string
	}{
		"half of a message":       {framed("half of one")[:7], netreactor.ShutdownReport{Drained: 1}, netreactor.ReasonShutdown, nil},
		"a message":               {framed("one"), netreactor.ShutdownReport{Cut: 1}, netreactor.ReasonCut, []string{"one"}},
		"a message and a half":    {framed("one", "two")[:12], netreactor.ShutdownReport{Cut: 1}, netreactor.ReasonCut, []string{"one"}},
		"something that is wrong": {[]byte("\xff\xff\xff\xff"), netreactor.ShutdownReport{Cut: 1}, netreactor.ReasonCut, nil},
	} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, bind binder) {
				conns, discarded := make(chan *bytesConn, 1), make(chan string, 10)
				server := bind(func(conn *bytesConn) reactor.Publisher[[]byte] {
					conns <- conn
					once := newProbe()
					ctx := reactor.AddDiscard(conn.Context(), func(v any) { discarded <- string(v.([]byte)) })
					conn.Inbound().Subscribe(ctx, once)
					(<-once.up).Request(1)
					return flux.Just([]byte("answer")).ConcatWith(flux.Never[[]byte]())
				})
				p := connect(t, server)
				p.Write(append(framed("x"), c.rest...))
				until(t, "it has answered, and is not asked for more", func() bool {
					st := server.Stats()
					return st.FramesIn == 1 && st.FramesOut == 1 && st.Paused == 1 && st.BytesIn == uint64(5+len(c.rest))
				})
				report, err := endings["close"](server)
				require.NoError(t, err)
				assert.Equal(t, c.want, report)
				assert.Equal(t, map[netreactor.Reason]uint64{c.why: 1}, server.Stats().Closed)
				assert.Equal(t, c.why, reasonOf(take(t, conns)))
				close(discarded)
				var all []string
				for s := range discarded {
					all = append(all, s)
				}
				assert.Equal(t, c.discarded, all)
			})
		})
	}
}

// TestCloseDeliversNothingMore: of what was read, a handler is given no more than it is at.
func TestCloseDeliversNothingMore(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		started, release := make(chan struct{}, 10), make(chan struct{})
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().DoOnNext(func([]byte) {
				started <- struct{}{}
				<-release
			})
		})
		p := connect(t, server)
		p.send("running", "queued")
		<-started
		done := make(chan error)
		go func() { done <- server.Close() }()
		until(t, "it does not accept", func() bool { return netreactor.Draining(server) })
		close(release)
		assert.NoError(t, take(t, done))
		assert.Empty(t, started)
		assert.EqualValues(t, 1, server.Stats().Closed[netreactor.ReasonCut])
	})
}

// TestShutdownDuringAHandshake: a peer that says nothing has failed at nothing.
func TestShutdownDuringAHandshake(t *testing.T) {
	for ending, end := range endings {
		t.Run(ending, func(t *testing.T) {
			server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, echoBytes, quiet,
				netreactor.WithTLS(&tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, nil }}))
			require.NoError(t, err)
			defer server.Close()
			conn, err := net.Dial("tcp", server.Addr().String())
			require.NoError(t, err)
			defer conn.Close()
			until(t, "accepted", func() bool { return server.Stats().Connections == 1 })
			report, err := end(server)
			require.NoError(t, err)
			assert.Equal(t, netreactor.ShutdownReport{Drained: 1}, report)
			assert.Equal(t, map[netreactor.Reason]uint64{netreactor.ReasonShutdown: 1}, server.Stats().Closed)
		})
	}
}
