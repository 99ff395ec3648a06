package netreactor_test

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/netreactor"
)

// What section by section holds for both drivers.

func TestFramesComeBackHoweverTheyAreCut(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes)
		random := rand.New(rand.NewPCG(1, 2))
		for round := range racetest.Steps(40) {
			p := connect(t, server)
			var want []string
			for range 1 + random.IntN(40) {
				size := random.IntN(50)
				if random.IntN(10) == 0 {
					size = random.IntN(200_000)
				}
				want = append(want, strings.Repeat(string(rune('a'+random.IntN(26))), size))
			}
			go func() {
				cut := rand.New(rand.NewPCG(uint64(round), 3))
				for b := framed(want...); len(b) > 0; {
					n := min(len(b), 1+cut.IntN(1<<cut.IntN(17)))
					if _, err := p.Write(b[:n]); err != nil {
						return
					}
					b = b[n:]
				}
				p.CloseWrite()
			}()
			for _, m := range want {
				require.Equal(t, len(m), len(p.receive()))
			}
			p.ended()
		}
	})
}

func TestAByteAtATime(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		server := bind(echoBytes)
		p := connect(t, server)
		for _, b := range framed("dribble", "", "on") {
			_, err := p.Write([]byte{b})
			require.NoError(t, err)
		}
		assert.Equal(t, []string{"dribble", "", "on"}, []string{p.receive(), p.receive(), p.receive()})
	})
}

func TestBadLengths(t *testing.T) {
	for name, c := range map[string]struct {
		bytes  []byte
		finish bool
		want   netreactor.Reason
	}{
		"negative":         {[]byte{0xff, 0xff, 0xff, 0xff}, false, netreactor.ReasonMalformed},
		"too large":        {[]byte{0, 0x10, 0, 0}, false, netreactor.ReasonTooLarge},
		"truncated":        {framed("abc")[:5], true, netreactor.ReasonTruncated},
		"truncated length": {[]byte{0, 0}, true, netreactor.ReasonTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, bind binder) {
				got := make(chan error, 1)
				conns := make(chan *bytesConn, 1)
				server := bind(func(c *bytesConn) reactor.Publisher[[]byte] {
					conns <- c
					return c.Inbound().DoOnError(func(err error) { got <- err })
				})
				p := connect(t, server)
				p.send("fine")
				assert.Equal(t, "fine", p.receive())
				_, err := p.Write(c.bytes)
				require.NoError(t, err)
				if c.finish {
					p.CloseWrite()
				}
				p.ended()
				var closed *netreactor.CloseError
				require.ErrorAs(t, take(t, got), &closed)
				assert.Equal(t, c.want, closed.Reason, "%v", closed)
				if c.want == netreactor.ReasonTruncated {
					assert.ErrorIs(t, closed, io.ErrUnexpectedEOF)
				}
				conn := <-conns
				<-conn.Context().Done()
				assert.Equal(t, c.want, reasonOf(conn))
			})
		})
	}
}
