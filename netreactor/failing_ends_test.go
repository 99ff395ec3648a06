package netreactor_test

import (
	"context"
	"log/slog"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// failingLog is a log that fails when a connection is closed.
type failingLog struct {
	slog.Handler
	fail func()
}

func (l failingLog) Enabled(context.Context, slog.Level) bool { return true }

func (l failingLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "netreactor: connection closed" {
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
				}, netreactor.WithLogger(slog.New(failingLog{slog.DiscardHandler, fail})))
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
