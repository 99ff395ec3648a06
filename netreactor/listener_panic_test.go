package netreactor_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAListenerThatPanics: a panic of a listener of others, or of a connection that is asked who its peer is, is a failure to accept, and
// not the end of the program.
func TestAListenerThatPanics(t *testing.T) {
	for _, at := range []string{"accept", "remote address"} {
		t.Run(at, func(t *testing.T) {
			fail := func() { panic("not today") }
			l := new(failingListener)
			if at == "accept" {
				l.fail = fail
			}
			server := listenTo(t, l, echoBytes)
			if at == "remote address" {
				near, far := net.Pipe()
				l.conns <- &failingConn{Conn: near, at: at, fail: fail}
				far.SetDeadline(time.Now().Add(patience))
				_, err := far.Read(make([]byte, 1))
				require.ErrorContains(t, err, "EOF", "it is closed")
			}
			near, far := net.Pipe()
			select {
			case l.conns <- near:
			case <-time.After(patience):
				require.FailNow(t, "nobody accepts")
			}
			p := &pipePeer{t, far}
			p.say("x")
			far.Close()
			assert.EqualValues(t, 1, server.Stats().Acceptor.Errors)
			stops(t, server)
		})
	}
}
