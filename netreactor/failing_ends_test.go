package netreactor_test

import (
	"context"
	"log/slog"
	"net"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// failingLog is a log that fails at a message.
type failingLog struct {
	slog.Handler
	at   string
	fail func()
}

func (l failingLog) Enabled(context.Context, slog.Level) bool { return true }

func (l failingLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "netreactor: "+l.at {
		l.fail()
	}
	return nil
}

// TestALogThatFails: the connection is closed all the same, and everybody is told.
func TestALogThatFails(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("no log today") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, bind binder) {
				ends, cancelled := make(chan error, 1), make(chan bool, 1)
				server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
					c.Inbound().SubscribeFunc(context.Background(), func([]byte) {}, flux.OnError(func(err error) { ends <- err }))
					return flux.Never[[]byte]().DoOnCancel(func() { cancelled <- true })
				}, netreactor.WithLogger(slog.New(failingLog{slog.DiscardHandler, "connection closed", fail})))
				p := connect(t, server)
				p.send("x")
				p.Write([]byte{0xff, 0xff, 0xff, 0xff})
				p.ended()
				assert.Error(t, take(t, ends))
				take(t, cancelled)
				require.NoError(t, soon(t, server.Close))
			})
		})
	}
}

// TestASubscriberThatFailsAtTheEnd: what the handler sends is cancelled nevertheless.
func TestASubscriberThatFailsAtTheEnd(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("no end today") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, bind binder) {
				cancelled := make(chan bool, 1)
				server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
					c.Inbound().Subscribe(context.Background(), &endless{fail})
					return flux.Never[[]byte]().DoOnCancel(func() { cancelled <- true })
				})
				p := connect(t, server)
				p.Write([]byte{0xff, 0xff, 0xff, 0xff})
				p.ended()
				take(t, cancelled)
				require.NoError(t, soon(t, server.Close))
			})
		})
	}
}

// endless is a subscriber that can't take an end.
type endless struct{ fail func() }

func (e *endless) OnSubscribe(up reactor.Subscription) { up.Request(1) }
func (e *endless) OnNext([]byte)                       {}
func (e *endless) OnError(error)                       { e.fail() }
func (e *endless) OnComplete()                         { e.fail() }

// TestWhoHearsOfAFailureEndsTheGoroutine: the connection ends, is counted, and others are served.
func TestWhoHearsOfAFailureEndsTheGoroutine(t *testing.T) {
	bad := func([]byte) []byte { panic("not this") }
	for name, handler := range map[string]func(*bytesConn) reactor.Publisher[[]byte]{
		"the end of the inbound": func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().Map(bad).DoOnError(func(error) { runtime.Goexit() })
		},
		"the message that is discarded": func(c *bytesConn) reactor.Publisher[[]byte] {
			ctx := reactor.AddDiscard(c.Context(), func(any) { runtime.Goexit() })
			c.Inbound().Map(bad).SubscribeFunc(ctx, func([]byte) {}, flux.OnError(func(error) {}))
			return flux.Never[[]byte]()
		},
		"what it has returned is cancelled": func(c *bytesConn) reactor.Publisher[[]byte] {
			c.Inbound().Map(bad).SubscribeFunc(context.Background(), func([]byte) {}, flux.OnError(func(error) { c.Close() }))
			return flux.Never[[]byte]().DoOnCancel(runtime.Goexit)
		},
	} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, bind binder) {
				server := bind(handler)
				for range 2 {
					p := connect(t, server)
					p.send("x")
					p.ended()
				}
				until(t, "counted", func() bool {
					closed := server.Stats().Closed
					return closed[netreactor.ReasonHandlerFailed]+closed[netreactor.ReasonClosed] == 2
				})
				report, err := server.Shutdown(t.Context())
				require.NoError(t, err)
				assert.Zero(t, report)
			})
		})
	}
}

// TestALogThatFailsAtAServer, which goes on with what it is at.
func TestALogThatFailsAtAServer(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("no log today") }, "Goexit": runtime.Goexit} {
		log := func(at string) netreactor.BindOption {
			return netreactor.WithLogger(slog.New(failingLog{slog.DiscardHandler, at, fail}))
		}
		t.Run("it stops, "+name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, bind binder) {
				require.NoError(t, soon(t, bind(echoBytes, log("stopped")).Close))
			})
		})
		t.Run("it refuses, "+name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, bind binder) {
				server := bind(echoBytes, log("connection refused"), netreactor.MaxConns(1))
				p := connect(t, server)
				p.send("x")
				require.Equal(t, "x", p.receive())
				if refused, err := net.Dial("tcp", server.Addr().String()); err == nil {
					defer refused.Close()
				}
				until(t, "refused", func() bool { return server.Stats().Acceptor.RejectedAll == 1 })
				p.Close()
				until(t, "there is a place", func() bool { return server.Stats().Connections == 0 && netreactor.Lingering(server) == 0 })
				p = connect(t, server)
				p.send("y")
				require.Equal(t, "y", p.receive())
			})
		})
	}
}

// TestWhoComesAfterAHandlerThatFailed hears of the end.
func TestWhoComesAfterAHandlerThatFailed(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		conns := make(chan *bytesConn, 1)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			conns <- c
			panic("not today")
		})
		connect(t, server).ended()
		c, late := take(t, conns), newProbe()
		take(t, c.Context().Done())
		c.Inbound().Subscribe(context.Background(), late)
		take(t, late.up).Request(1)
		assert.Equal(t, context.Cause(c.Context()), take(t, late.end))
	})
}
