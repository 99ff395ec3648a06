package netreactor_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

// patience is how long tests wait for what must come.
const patience = time.Minute

var frames = netreactor.Bytes(netreactor.LengthPrefixed())

type bytesConn = netreactor.Conn[[]byte, []byte]

// variant is a way to run a server.
type variant struct {
	name string
	opts []netreactor.BindOption
}

// variants returns those that this system has.
func variants() []variant {
	list := []variant{{"net", []netreactor.BindOption{netreactor.UseEngine(netreactor.Net), netreactor.ParkNever()}}}
	if runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") {
		list = append(list,
			variant{"net, parked", []netreactor.BindOption{netreactor.UseEngine(netreactor.Net), netreactor.ParkEarly()}},
			variant{"selectors", []netreactor.BindOption{netreactor.UseEngine(netreactor.Epoll), netreactor.Workers(0)}},
			variant{"workers", []netreactor.BindOption{netreactor.UseEngine(netreactor.Epoll), netreactor.Workers(4)}})
	}
	return list
}

// everywhere runs a test on both drivers: on package net with connections that are never parked
// and with such that are whenever they can be, and on epoll with and without workers. All four run at the
// same time, for most tests wait for something: they must not share what one of them changes.
func everywhere(t *testing.T, test func(t *testing.T, bind binder)) {
	var all sync.WaitGroup
	for _, v := range variants() {
		all.Go(func() { v.run(t, test) })
	}
	all.Wait()
}

// inTurn is everywhere, one after the other: for tests that keep the processors busy, or look at the goroutines,
// descriptors or processor time of the process.
func inTurn(t *testing.T, test func(t *testing.T, bind binder)) {
	for _, v := range variants() {
		v.run(t, test)
	}
}

// run runs a test with the servers of a variant.
func (v variant) run(t *testing.T, test func(t *testing.T, bind binder)) {
	t.Run(v.name, func(t *testing.T) {
		test(t, func(handler func(*bytesConn) reactor.Publisher[[]byte], opts ...netreactor.BindOption) *netreactor.Server {
			t.Helper()
			all := append([]netreactor.BindOption{quiet, netreactor.MaxPerClient(0)}, v.opts...)
			server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, handler, append(all, opts...)...)
			require.NoError(t, err)
			t.Cleanup(func() {
				server.Close()
				st := server.Stats()
				require.Zero(t, st.Connections)
				require.Zero(t, st.Unsent)
			})
			return server
		})
	})
}

type binder func(handler func(*bytesConn) reactor.Publisher[[]byte], opts ...netreactor.BindOption) *netreactor.Server

func echoBytes(c *bytesConn) reactor.Publisher[[]byte] { return c.Inbound() }

// peer is the other end of a connection, on package net.
type peer struct {
	t testing.TB
	*net.TCPConn
	r *bufio.Reader
}

func connect(t testing.TB, server *netreactor.Server) *peer {
	t.Helper()
	conn, err := net.Dial("tcp", server.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	return &peer{t, conn.(*net.TCPConn), bufio.NewReader(conn)}
}

// framed returns the messages as they are sent.
func framed(messages ...string) []byte {
	var b []byte
	for _, m := range messages {
		b = binary.BigEndian.AppendUint32(b, uint32(len(m)))
		b = append(b, m...)
	}
	return b
}

func (p *peer) send(messages ...string) {
	p.t.Helper()
	_, err := p.Write(framed(messages...))
	require.NoError(p.t, err)
}

// receive reads one message.
func (p *peer) receive() string {
	p.t.Helper()
	m, err := p.next()
	require.NoError(p.t, err)
	return m
}

func (p *peer) next() (string, error) {
	var size [4]byte
	if _, err := io.ReadFull(p.r, size[:]); err != nil {
		return "", err
	}
	b := make([]byte, binary.BigEndian.Uint32(size[:]))
	_, err := io.ReadFull(p.r, b)
	return string(b), err
}

// ended waits for the end of what the server sends.
func (p *peer) ended() {
	p.t.Helper()
	n, err := io.Copy(io.Discard, p.r)
	require.Zero(p.t, n)
	if err != nil {
		require.NotErrorIs(p.t, err, context.DeadlineExceeded)
		var timeout net.Error
		require.False(p.t, asTimeout(err, &timeout), "no end: %v", err)
	}
}

func asTimeout(err error, _ *net.Error) bool {
	ne, ok := err.(net.Error)
	return ok && ne.Timeout()
}

// until waits for what a goroutine that nobody can wait for brings about.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); {
		if time.Now().After(end) {
			require.FailNow(t, "never: "+what)
		}
		runtime.Gosched()
		time.Sleep(100 * time.Microsecond)
	}
}

// receiveFrom takes from a channel.
func take[T any](t testing.TB, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}

// probe subscribes by hand.
type probe struct {
	up    chan reactor.Subscription
	items chan string
	end   chan error
}

func newProbe() *probe {
	return &probe{make(chan reactor.Subscription, 1), make(chan string, 10_000), make(chan error, 1)}
}

func (p *probe) OnSubscribe(up reactor.Subscription) { p.up <- up }
func (p *probe) OnNext(b []byte)                     { p.items <- string(b) }
func (p *probe) OnError(err error)                   { p.end <- err }
func (p *probe) OnComplete()                         { p.end <- nil }

// accepting returns a handler that tells of its connections and sends nothing.
func accepting() (handler func(*bytesConn) reactor.Publisher[[]byte], conns chan *bytesConn) {
	conns = make(chan *bytesConn, 10_000)
	return func(c *bytesConn) reactor.Publisher[[]byte] {
		conns <- c
		return flux.Never[[]byte]()
	}, conns
}

func reasonOf(c *bytesConn) netreactor.Reason {
	e, ok := context.Cause(c.Context()).(*netreactor.CloseError)
	if !ok {
		return 0
	}
	return e.Reason
}

// pause gives the network and other goroutines time for what must not come of it.
func pause() { time.Sleep(5 * time.Millisecond) }

func bufioReader(conn net.Conn) *bufio.Reader { return bufio.NewReader(conn) }

// echoed returns a peer of a server that sends back what comes, and the server's side of the connection.
func echoed(t *testing.T, codec netreactor.Codec[string, string], opts []netreactor.BindOption) (*peer, <-chan *netreactor.Conn[string, string]) {
	conns := make(chan *netreactor.Conn[string, string], 1)
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", codec, func(c *netreactor.Conn[string, string]) flux.Flux[string] {
		conns <- c
		return c.Inbound()
	}, append(slices.Clone(opts), quiet)...)
	require.NoError(t, err)
	t.Cleanup(func() { server.Close() })
	return connect(t, server), conns
}
