package netreactor_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/netreactor"
)

// parkingLot is a server whose connections are parked early, and how to connect to it.
type parkingLot struct {
	*netreactor.Server
	dial func() net.Conn
}

// parked waits until n connections are.
func (l *parkingLot) parked(t testing.TB, n int) {
	t.Helper()
	until(t, fmt.Sprintf("%d are parked", n), func() bool { return l.Stats().Parked == n })
}

// onParkingLots runs a test over TCP, over unix sockets and with TLS. At the end no goroutine and no descriptor
// is left.
func onParkingLots(t *testing.T, test func(t *testing.T, bind func(handler func(*bytesConn) reactor.Publisher[[]byte], opts ...netreactor.BindOption) *parkingLot)) {
	if !netreactor.CanPark {
		t.Skip("not on this system")
	}
	cert, pool := certificate(t)
	config := &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}
	for _, network := range []string{"tcp", "unix", "tls"} {
		t.Run(network, func(t *testing.T) {
			routines, files := runtime.NumGoroutine(), descriptors()
			t.Cleanup(func() {
				until(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= routines })
				until(t, "no descriptor is left", func() bool { return descriptors() <= files })
			})
			test(t, func(handler func(*bytesConn) reactor.Publisher[[]byte], opts ...netreactor.BindOption) *parkingLot {
				addr := "127.0.0.1:0"
				all := []netreactor.BindOption{quiet, netreactor.UseEngine(netreactor.Net), netreactor.MaxPerClient(0), netreactor.FirstFrameTimeout(0), netreactor.ParkEarly()}
				switch network {
				case "unix":
					addr, all = filepath.Join(t.TempDir(), "socket"), append(all, netreactor.Network("unix"))
				case "tls":
					all = append(all, netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
				}
				server, err := netreactor.Bind(t.Context(), addr, frames, handler, append(all, opts...)...)
				require.NoError(t, err)
				t.Cleanup(func() {
					server.Close()
					assert.Zero(t, server.Stats().Parked)
				})
				return &parkingLot{server, func() net.Conn {
					if network == "tls" {
						conn, err := tls.Dial("tcp", server.Addr().String(), config)
						require.NoError(t, err)
						return conn
					}
					conn, err := net.Dial(network, server.Addr().String())
					require.NoError(t, err)
					return conn
				}}
			})
		})
	}
}

// say sends a message over any connection, and waits for the answer.
func say(t testing.TB, conn net.Conn, message string) {
	t.Helper()
	_, err := conn.Write(framed(message))
	require.NoError(t, err)
	got := make([]byte, 4+len(message))
	_, err = io.ReadFull(conn, got)
	require.NoError(t, err)
	require.Equal(t, message, string(got[4:]))
}

// TestParkedConnections does to parked connections whatever can be done to one.
func TestParkedConnections(t *testing.T) {
	onParkingLots(t, func(t *testing.T, bind func(func(*bytesConn) reactor.Publisher[[]byte], ...netreactor.BindOption) *parkingLot) {
		conns := make(chan *bytesConn, 1)
		handler := func(c *bytesConn) reactor.Publisher[[]byte] {
			conns <- c
			return c.Inbound()
		}
		for name, do := range map[string]func(t *testing.T, lot *parkingLot, c *bytesConn, conn net.Conn) netreactor.Reason{
			"messages": func(t *testing.T, lot *parkingLot, c *bytesConn, conn net.Conn) netreactor.Reason {
				for i := range 20 {
					say(t, conn, strings.Repeat("m", i*i*i))
					lot.parked(t, 1)
				}
				return 0
			},
			"half a message": func(t *testing.T, lot *parkingLot, c *bytesConn, conn net.Conn) netreactor.Reason {
				for i, b := range framed("message") {
					_, err := conn.Write([]byte{b})
					require.NoError(t, err)
					until(t, "it is read", func() bool { return c.Stats().BytesIn == uint64(i+1) })
					lot.parked(t, 1)
				}
				_, err := io.ReadFull(conn, make([]byte, 11))
				require.NoError(t, err)
				return 0
			},
			"the end of the peer": func(t *testing.T, lot *parkingLot, c *bytesConn, conn net.Conn) netreactor.Reason {
				require.NoError(t, conn.Close())
				return netreactor.ReasonPeerClosed
			},
			"half of the end of the peer": func(t *testing.T, lot *parkingLot, c *bytesConn, conn net.Conn) netreactor.Reason {
				require.NoError(t, conn.(interface{ CloseWrite() error }).CloseWrite())
				_, err := conn.Read(make([]byte, 1))
				require.ErrorIs(t, err, io.EOF)
				return netreactor.ReasonPeerClosed
			},
			"a reset": func(t *testing.T, lot *parkingLot, c *bytesConn, conn net.Conn) netreactor.Reason {
				if secure, ok := conn.(*tls.Conn); ok {
					conn = secure.NetConn()
				}
				tcp, ok := conn.(*net.TCPConn)
				if !ok {
					t.Skip("a unix socket has none")
				}
				require.NoError(t, tcp.SetLinger(0))
				require.NoError(t, tcp.Close())
				return netreactor.ReasonPeerReset
			},
			"what is sent": func(t *testing.T, lot *parkingLot, c *bytesConn, conn net.Conn) netreactor.Reason {
				for range 3 {
					require.NoError(t, c.Send([]byte("x")))
					got := make([]byte, 5)
					_, err := io.ReadFull(conn, got)
					require.NoError(t, err)
					require.Equal(t, framed("x"), got)
					require.Equal(t, 1, lot.Stats().Parked, "it need not be resumed for that")
				}
				return 0
			},
			"Close": func(t *testing.T, lot *parkingLot, c *bytesConn, conn net.Conn) netreactor.Reason {
				c.Close()
				return netreactor.ReasonClosed
			},
			"Abort": func(t *testing.T, lot *parkingLot, c *bytesConn, conn net.Conn) netreactor.Reason {
				c.Abort()
				return netreactor.ReasonClosed
			},
			"Shutdown": func(t *testing.T, lot *parkingLot, c *bytesConn, conn net.Conn) netreactor.Reason {
				go func() { <-c.Context().Done(); conn.Close() }()
				report, err := lot.Shutdown(t.Context())
				require.NoError(t, err)
				require.Equal(t, netreactor.ShutdownReport{Drained: 1}, report)
				return netreactor.ReasonShutdown
			},
			"nothing for too long": func(t *testing.T, lot *parkingLot, c *bytesConn, conn net.Conn) netreactor.Reason {
				return netreactor.ReasonIdleTimeout
			},
		} {
			t.Run(name, func(t *testing.T) {
				lot := bind(handler, netreactor.IdleTimeout(map[bool]time.Duration{true: 100 * time.Millisecond}[name == "nothing for too long"]))
				var conn net.Conn
				var c *bytesConn
				until(t, "it is parked", func() bool {
					dialled := lot.dial()
					t.Cleanup(func() { dialled.Close() })
					dialled.SetDeadline(time.Now().Add(patience))
					conn, c = dialled, take(t, conns)
					until(t, "it is parked, or over on a machine that stands still", func() bool { return lot.Stats().Parked == 1 || c.Context().Err() != nil })
					return c.Context().Err() == nil || name != "nothing for too long"
				})
				if want := do(t, lot, c, conn); want != 0 {
					<-c.Context().Done()
					assert.Equal(t, want, reasonOf(c))
					lot.parked(t, 0)
				}
			})
		}
	})
}

// TestParkedWithoutDemand: what nobody wants does not resume a connection, and is not read.
func TestParkedWithoutDemand(t *testing.T) {
	onParkingLots(t, func(t *testing.T, bind func(func(*bytesConn) reactor.Publisher[[]byte], ...netreactor.BindOption) *parkingLot) {
		handler, conns := accepting()
		lot := bind(handler)
		conn := lot.dial()
		defer conn.Close()
		c := take(t, conns)
		lot.parked(t, 1)
		s := newProbe()
		c.Inbound().Subscribe(t.Context(), s)
		up := take(t, s.up)
		lot.parked(t, 1)
		for i := range 20 {
			_, err := conn.Write(framed(fmt.Sprint(i)))
			require.NoError(t, err)
			pause()
			if i > 0 { // before that it may be resumed because of the subscriber
				require.Equal(t, 1, lot.Stats().Parked)
			}
			require.EqualValues(t, i, c.Stats().FramesIn)
			up.Request(1)
			require.Equal(t, fmt.Sprint(i), take(t, s.items))
			lot.parked(t, 1)
		}
		require.NoError(t, conn.Close())
		pause()
		assert.Empty(t, s.end, "nobody reads")
		up.Request(1)
		require.NoError(t, take(t, s.end))
		c.Close()
	})
}

// TestParkedInAnyOrder has many connections parked and resumed, by what comes and by what is sent.
func TestParkedInAnyOrder(t *testing.T) {
	onParkingLots(t, func(t *testing.T, bind func(func(*bytesConn) reactor.Publisher[[]byte], ...netreactor.BindOption) *parkingLot) {
		const conns = 200
		lot := bind(echoBytes)
		var all []net.Conn
		for range conns {
			conn := lot.dial()
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(patience))
			all = append(all, conn)
		}
		lot.parked(t, conns)
		for round := range racetest.Steps(20) {
			rand.Shuffle(conns, func(i, j int) { all[i], all[j] = all[j], all[i] })
			awake := all[:rand.IntN(conns)+1]
			for i, conn := range awake {
				_, err := conn.Write(framed(fmt.Sprint(round, " ", i)))
				require.NoError(t, err)
			}
			for i, conn := range awake {
				want := framed(fmt.Sprint(round, " ", i))
				got := make([]byte, len(want))
				_, err := io.ReadFull(conn, got)
				require.NoError(t, err)
				require.Equal(t, string(want), string(got))
			}
			lot.parked(t, conns)
		}
	})
}

// TestParkedStorm has descriptors used again and again while connections are parked and resumed: none is
// resumed in the place of another, or not at all.
func TestParkedStorm(t *testing.T) {
	onParkingLots(t, func(t *testing.T, bind func(func(*bytesConn) reactor.Publisher[[]byte], ...netreactor.BindOption) *parkingLot) {
		lot := bind(echoBytes)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for i := range racetest.Steps(60) {
					conn := lot.dial()
					conn.SetDeadline(time.Now().Add(patience))
					for range rand.IntN(4) {
						if rand.IntN(2) == 0 {
							time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond)
						}
						message := strings.Repeat("s", i)
						_, err := conn.Write(framed(message))
						if !assert.NoError(t, err) {
							return
						}
						got := make([]byte, 4+len(message))
						if _, err = io.ReadFull(conn, got); !assert.NoError(t, err) {
							return
						}
					}
					if tcp, ok := conn.(*net.TCPConn); ok && rand.IntN(2) == 0 {
						tcp.SetLinger(0)
					}
					conn.Close()
				}
			})
		}
		all.Wait()
		until(t, "none is left", func() bool { return lot.Stats().Connections == 0 })
		lot.parked(t, 0)
	})
}

// slowly is a socket that sends few bytes at a time and waits in between.
type slowly struct {
	net.Conn
	size int
	wait func()
}

func (s *slowly) Write(b []byte) (n int, err error) {
	for piece := range bytesOf(b, s.size) {
		s.wait()
		m, err := s.Conn.Write(piece)
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

// bytesOf returns the pieces of b.
func bytesOf(b []byte, size int) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			n := min(size, len(b))
			if !yield(b[:n]) {
				return
			}
			b = b[n:]
		}
	}
}

// TestParkedWithinARecord: TLS has a part of a record when its connection is parked.
func TestParkedWithinARecord(t *testing.T) {
	if !netreactor.CanPark {
		t.Skip("not on this system")
	}
	cert, pool := certificate(t)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, echoBytes, quiet, netreactor.ParkEarly(),
			netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}, MaxVersion: version}))
		require.NoError(t, err)
		defer server.Close()
		raw, err := net.Dial("tcp", server.Addr().String())
		require.NoError(t, err)
		defer raw.Close()
		raw.SetDeadline(time.Now().Add(patience))
		slow := &slowly{Conn: raw, size: 1 << 20, wait: func() {}}
		conn := tls.Client(slow, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"})
		require.NoError(t, conn.Handshake())
		lot := &parkingLot{Server: server}
		slow.wait = func() { lot.parked(t, 1) }
		for _, size := range []int{1, 2, 3, 7, 40, 1 << 20} {
			slow.size = size
			message := strings.Repeat("r", 20*size%60_000)
			say(t, conn, message)
		}
		// Two records with one segment, and a half with the next.
		var both bytes.Buffer
		slow.Conn = &buffered{raw, &both}
		for range 3 {
			_, err = conn.Write(framed("record"))
			require.NoError(t, err)
		}
		for piece := range bytesOf(both.Bytes(), both.Len()*5/6) {
			lot.parked(t, 1)
			_, err := raw.Write(piece)
			require.NoError(t, err)
		}
		got := make([]byte, 30)
		_, err = io.ReadFull(conn, got)
		require.NoError(t, err)
		require.Equal(t, framed("record", "record", "record"), got)
	}
}

// buffered is a socket that keeps what is written.
type buffered struct {
	net.Conn
	*bytes.Buffer
}

func (b *buffered) Read(p []byte) (int, error)  { return b.Conn.Read(p) }
func (b *buffered) Write(p []byte) (int, error) { return b.Buffer.Write(p) }

// TestParkedBehindTheHandshake: what has come together with the end of the handshake is with TLS, no event tells
// of it.
func TestParkedBehindTheHandshake(t *testing.T) {
	if !netreactor.CanPark {
		t.Skip("not on this system")
	}
	cert, pool := certificate(t)
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, echoBytes, quiet, netreactor.ParkEarly(),
		netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
	require.NoError(t, err)
	defer server.Close()
	for range racetest.Steps(20) {
		raw, err := net.Dial("tcp", server.Addr().String())
		require.NoError(t, err)
		raw.SetDeadline(time.Now().Add(patience))
		var kept bytes.Buffer
		conn := tls.Client(&firstOnly{Conn: raw, kept: &kept}, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"})
		require.NoError(t, conn.Handshake())
		_, err = conn.Write(framed("early"))
		require.NoError(t, err)
		_, err = raw.Write(kept.Bytes())
		require.NoError(t, err)
		got := make([]byte, 9)
		_, err = io.ReadFull(conn, got)
		require.NoError(t, err)
		require.Equal(t, framed("early"), got)
		raw.Close()
	}
}

// firstOnly is a socket that keeps all that is written but for the first time.
type firstOnly struct {
	net.Conn
	kept  *bytes.Buffer
	begun bool
}

func (f *firstOnly) Write(b []byte) (int, error) {
	if f.begun {
		return f.kept.Write(b)
	}
	f.begun = true
	return f.Conn.Write(b)
}

// TestParkedDialled: connections that were dialled share a waiter, which ends with the last of them.
func TestParkedDialled(t *testing.T) {
	if !netreactor.CanPark {
		t.Skip("not on this system")
	}
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", lines, echo, quiet)
	require.NoError(t, err)
	defer server.Close()
	for range 2 {
		routines, files := runtime.NumGoroutine(), descriptors()
		lot := netreactor.NewLot(time.Millisecond, 1)
		var all []*netreactor.Conn[string, string]
		probes := make(chan string, 100)
		for range 10 {
			c, err := netreactor.Dial(t.Context(), server.Addr().String(), lines, lot.Use(), quiet)
			require.NoError(t, err)
			c.Inbound().OnErrorComplete().SubscribeFunc(t.Context(), func(s string) { probes <- s })
			all = append(all, c)
		}
		for i := range 50 {
			until(t, "all are parked", func() bool { return lot.Parked() == len(all) })
			require.NoError(t, all[i%len(all)].Send(fmt.Sprint(i)))
			require.Equal(t, fmt.Sprint(i), take(t, probes))
		}
		for _, c := range all {
			c.Close()
		}
		for _, c := range all {
			<-c.Context().Done()
		}
		until(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= routines })
		until(t, "no descriptor is left", func() bool { return descriptors() <= files })
		assert.Zero(t, lot.Parked())
	}
}

// TestParkedByDefault: a connection is parked after one to two seconds, and many at once.
func TestParkedByDefault(t *testing.T) {
	if !netreactor.CanPark || testing.Short() {
		t.Skip("it takes two seconds, where there is parking")
	}
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, echoBytes, quiet, netreactor.UseEngine(netreactor.Net))
	require.NoError(t, err)
	defer server.Close()
	p := connect(t, server)
	begun := time.Now()
	p.send("x")
	p.receive()
	until(t, "it is parked", func() bool { return server.Stats().Parked == 1 })
	assert.GreaterOrEqual(t, time.Since(begun), time.Second)
	begun = time.Now()
	p.send("x")
	p.receive()
	if server.Stats().Parked != 0 { // again, on a machine that stood still
		assert.GreaterOrEqual(t, time.Since(begun), time.Second)
	}
}

// TestParkedWhenThereAreMany: one connection too many has no goroutine as long as nothing comes.
func TestParkedWhenThereAreMany(t *testing.T) {
	if !netreactor.CanPark {
		t.Skip("not on this system")
	}
	lot := netreactor.NewLot(time.Hour, 2)
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", frames, echoBytes, quiet, netreactor.UseEngine(netreactor.Net), lot.Use())
	require.NoError(t, err)
	defer server.Close()
	var all []*peer
	for i := range 5 {
		all = append(all, connect(t, server))
		// It counts as a connection before its goroutine does.
		until(t, "it is there", func() bool { return lot.Newcomers() == min(i+1, 2) && server.Stats().Parked == max(0, i-1) })
	}
	for i, p := range all {
		p.send("x")
		p.receive()
		assert.Equal(t, max(0, 3-max(0, i-1)), server.Stats().Parked)
	}
}

// wrapping is a listener whose connections keep bytes that no socket tells of.
type wrapping struct{ net.Listener }

func (w wrapping) Accept() (net.Conn, error) {
	conn, err := w.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &wrapped{TCPConn: conn.(*net.TCPConn), kept: framed("kept")}, nil
}

type wrapped struct {
	*net.TCPConn
	kept []byte
}

func (w *wrapped) Read(b []byte) (int, error) {
	if len(w.kept) > 0 {
		n := copy(b, w.kept)
		w.kept = w.kept[n:]
		return n, nil
	}
	return w.TCPConn.Read(b)
}

// TestNeverParked: sockets that others have wrapped keep their goroutines.
func TestNeverParked(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server, err := netreactor.BindListener(t.Context(), wrapping{listener}, frames, echoBytes, quiet, netreactor.ParkEarly())
	require.NoError(t, err)
	defer server.Close()
	p := connect(t, server)
	assert.Equal(t, "kept", p.receive())
	for range 5 {
		pause()
		assert.Zero(t, server.Stats().Parked)
		p.send("x")
		assert.Equal(t, "x", p.receive())
	}
}

// keeping is a listener that keeps its connections.
type keeping struct {
	net.Listener
	kept chan net.Conn
}

func (k keeping) Accept() (net.Conn, error) {
	conn, err := k.Listener.Accept()
	if err == nil {
		k.kept <- conn
	}
	return conn, err
}

// TestParkedAndClosedByOthers: who has made the listener closes a connection, which is no event.
func TestParkedAndClosedByOthers(t *testing.T) {
	if !netreactor.CanPark {
		t.Skip("not on this system")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	kept := make(chan net.Conn, 1)
	conns := make(chan *bytesConn, 1)
	server, err := netreactor.BindListener(t.Context(), keeping{listener, kept}, frames, func(c *bytesConn) flux.Flux[[]byte] {
		conns <- c
		return c.Inbound()
	}, quiet, netreactor.ParkEarly())
	require.NoError(t, err)
	defer server.Close()
	for range 3 {
		p := connect(t, server)
		c := take(t, conns)
		until(t, "it is parked", func() bool { return server.Stats().Parked == 1 })
		take(t, kept).Close()
		<-c.Context().Done()
		assert.Equal(t, netreactor.ReasonReadFailed, reasonOf(c))
		assert.ErrorIs(t, context.Cause(c.Context()), net.ErrClosed)
		p.Close()
	}
}
