package netreactor_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
	"github.com/goreactor/reactor/schedulers"
)

// slowEncoder is frames whose encoder tells that it begins, and waits.
type slowEncoder struct {
	netreactor.Codec[[]byte, []byte]
	begins, goOn chan struct{}
}

func (s *slowEncoder) Encode(dst, msg []byte) ([]byte, error) {
	s.begins <- struct{}{}
	<-s.goOn
	return s.Codec.Encode(dst, msg)
}

// TestWhatIsEncodedAtTheEnd: a message whose encoding takes until the connection has been cut is not accepted.
func TestWhatIsEncodedAtTheEnd(t *testing.T) {
	for name, end := range map[string]func(*netreactor.Server, *bytesConn){
		"close": func(s *netreactor.Server, _ *bytesConn) { s.Close() },
		"abort": func(_ *netreactor.Server, c *bytesConn) { c.Abort(); <-c.Context().Done() },
	} {
		for _, v := range variants() {
			t.Run(name+"/send/"+v.name, func(t *testing.T) {
				codec := &slowEncoder{frames, make(chan struct{}), make(chan struct{})}
				conns := make(chan *bytesConn, 1)
				server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", codec, func(c *bytesConn) reactor.Publisher[[]byte] {
					conns <- c
					return flux.Never[[]byte]()
				}, append(v.opts, quiet)...)
				require.NoError(t, err)
				defer server.Close()
				connect(t, server)
				c := take(t, conns)
				sent := make(chan error, 1)
				go func() { sent <- c.Send([]byte("x")) }()
				take(t, codec.begins)
				end(server, c)
				require.Error(t, c.Context().Err())
				close(codec.goOn)
				assert.Equal(t, c.Context().Err(), take(t, sent))
			})
			t.Run(name+"/publisher/"+v.name, func(t *testing.T) {
				var discarded atomic.Int32
				ctx := reactor.WithHooks(context.Background(), reactor.Hooks{Discard: func(context.Context, any) { discarded.Add(1) }})
				codec := &slowEncoder{frames, make(chan struct{}), make(chan struct{})}
				conns := make(chan *bytesConn, 1)
				s := schedulers.NewSingle("answers")
				defer s.Dispose()
				server, err := netreactor.Bind(ctx, "127.0.0.1:0", codec, func(c *bytesConn) reactor.Publisher[[]byte] {
					conns <- c
					return flux.Just([]byte("x")).ConcatWith(flux.Never[[]byte]()).PublishOn(s)
				}, append(v.opts, quiet)...)
				require.NoError(t, err)
				defer server.Close()
				connect(t, server)
				c := take(t, conns)
				take(t, codec.begins)
				end(server, c)
				require.Error(t, c.Context().Err())
				close(codec.goOn)
				until(t, "the message is discarded", func() bool { return discarded.Load() == 1 })
			})
		}
	}
}
