package netreactor_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// shutting is a shutdown that goes on.
type shutting struct {
	report netreactor.ShutdownReport
	err    error
}

func shutdown(ctx context.Context, server *netreactor.Server) <-chan shutting {
	done := make(chan shutting, 1)
	go func() {
		report, err := server.Shutdown(ctx)
		done <- shutting{report, err}
	}()
	return done
}

// TestShutdownWaitsForAllOfAnAnswer: the first of several messages is not the end of an answer.
func TestShutdownWaitsForAllOfAnAnswer(t *testing.T) {
	for name, business := range map[string]int{"on who reads": 0, "on a business worker": 2} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, bind binder) {
				pieces, over := make(chan []byte, 3), make(chan struct{})
				server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
					return c.Inbound().DoOnComplete(func() { close(over) }).FlatMap(func([]byte) flux.Flux[[]byte] { return flux.FromChan(pieces) })
				}, netreactor.Business(business))
				p := connect(t, server)
				p.send("file")
				pieces <- []byte("1")
				require.Equal(t, "1", p.receive())
				done := shutdown(context.Background(), server)
				<-over
				for _, piece := range []string{"2", "3"} {
					pieces <- []byte(piece)
					require.Equal(t, piece, p.receive())
				}
				close(pieces)
				p.ended()
				p.Close()
				assert.Equal(t, shutting{report: netreactor.ShutdownReport{Drained: 1}}, take(t, done))
				assert.Equal(t, map[netreactor.Reason]uint64{netreactor.ReasonShutdown: 1}, server.Stats().Closed)
			})
		})
	}
}

// TestAnAnswerThatIsCut: at the end of patience what may be the middle of an answer is cut, and the peer can tell.
func TestAnAnswerThatIsCut(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		over := make(chan struct{})
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			return c.Inbound().DoOnComplete(func() { close(over) }).FlatMap(func(b []byte) flux.Flux[[]byte] {
				return flux.Just(b).ConcatWith(flux.Never[[]byte]())
			})
		})
		p := connect(t, server)
		p.send("file")
		require.Equal(t, "file", p.receive())
		ctx, cancel := context.WithCancel(t.Context())
		done := shutdown(ctx, server)
		<-over
		cancel()
		got := take(t, done)
		assert.Equal(t, netreactor.ShutdownReport{Cut: 1}, got.report)
		assert.ErrorIs(t, got.err, context.Canceled)
		_, err := p.next()
		assert.ErrorContains(t, err, "reset")
	})
}

// TestTheEndBehindABusyWorker: a subscriber whose turn has not come on the workers of Business when the server stops is given what was
// read for it, and hears of the end.
func TestTheEndBehindABusyWorker(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		started, release := make(chan struct{}), make(chan struct{})
		got, ends := make(chan string, 10), make(chan error, 10)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			c.Inbound().SubscribeFunc(context.Background(), func(m []byte) {
				if string(m) == "block" {
					started <- struct{}{}
					<-release
				}
				got <- string(m)
			}, flux.OnError(func(err error) { ends <- err }), flux.OnComplete(func() { ends <- nil }))
			return flux.Never[[]byte]()
		}, netreactor.Business(1))
		connect(t, server).send("block")
		<-started
		connect(t, server).send("waits")
		until(t, "both are read", func() bool { return server.Stats().FramesIn == 2 })
		go server.Close()
		until(t, "it stops", func() bool { return netreactor.BusinessEnds(server) })
		close(release)
		take(t, server.Stopped())
		assert.Equal(t, []string{"block", "waits"}, []string{take(t, got), take(t, got)})
		take(t, ends)
		take(t, ends)
	})
}
