package netreactor_test

import (
	"crypto/tls"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// slowToClose is a listener whose end takes time.
type slowToClose struct {
	net.Listener
	closing, goOn chan struct{}
}

func (l *slowToClose) Close() error {
	close(l.closing)
	<-l.goOn
	return l.Listener.Close()
}

// TestCutAsTheEndBegins: what is cut is reported, however long it takes until a server that waits for nobody accepts no more.
func TestCutAsTheEndBegins(t *testing.T) {
	cert, pool := certificate(t)
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &slowToClose{inner, make(chan struct{}), make(chan struct{})}
	ups := make(chan reactor.Subscription, 1)
	server, err := netreactor.BindListener(t.Context(), l, frames, func(c *bytesConn) reactor.Publisher[[]byte] {
		p := newProbe()
		c.Inbound().Subscribe(c.Context(), p)
		up := <-p.up
		up.Request(1)
		ups <- up
		return flux.Just(make([]byte, 64<<20)).ConcatWith(flux.Never[[]byte]())
	}, quiet, netreactor.ParkNever(), netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
	require.NoError(t, err)
	defer server.Close()
	conn, err := tls.Dial("tcp", inner.Addr().String(), &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"})
	require.NoError(t, err)
	defer conn.Close()
	up := take(t, ups)
	written := uint64(0)
	until(t, "the peer takes no more", func() bool {
		before := written
		written = server.Stats().BytesOut
		time.Sleep(50 * time.Millisecond)
		return written > 0 && written == before
	})
	ended := make(chan netreactor.ShutdownReport, 1)
	go func() {
		report, _ := endings["close"](server)
		ended <- report
	}()
	take(t, l.closing)
	up.Cancel() // anything that has the connection looked at
	time.Sleep(50 * time.Millisecond)
	close(l.goOn)
	report := take(t, ended)
	assert.Positive(t, report.Unsent)
	report.Unsent = 0
	assert.Equal(t, netreactor.ShutdownReport{Cut: 1}, report)
	assert.Equal(t, map[netreactor.Reason]uint64{netreactor.ReasonCut: 1}, server.Stats().Closed)
}
