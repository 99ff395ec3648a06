package netreactor_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
	"github.com/goreactor/reactor/sinks"
)

// TestAnswersAndNews: what a handler sends goes on, wherever the goroutines come from that send it, in turn.
func TestAnswersAndNews(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		news := make(chan *sinks.ManySink[[]byte], 1)
		server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
			sink := sinks.Many().Unicast().OnBackpressureBuffer[[]byte]()
			news <- sink
			return flux.Merge(c.Inbound(), flux.From[[]byte](sink))
		}, netreactor.FirstFrameTimeout(0))
		p := connect(t, server)
		sink := take(t, news)
		for round := range 50 {
			for n := range 90 {
				m := fmt.Sprint("answer ", round, n)
				p.send(m)
				require.Equal(t, m, p.receive())
			}
			for n := range 60 {
				m := fmt.Sprint("news ", round, n)
				require.Equal(t, sinks.OK, sink.TryEmitNext([]byte(m)))
				require.Equal(t, m, p.receive())
			}
		}
	})
}
