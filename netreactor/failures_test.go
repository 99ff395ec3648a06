//go:build linux && (amd64 || arm64)

package netreactor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/netreactor/internal/epoll"
)

// failing is a descriptor that can't be waited for.
type failing struct {
	syscall.RawConn
	err error
}

func (f failing) Read(func(uintptr) bool) error { return f.err }

// TestWhyAnAcceptFails: that the poller can't wait is told as it is, and is no reason to end; that the
// listener was closed is net.ErrClosed, whatever the poller says then.
func TestWhyAnAcceptFails(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &epollSource{listener: listener}
	require.NoError(t, s.duplicate())
	good := s.conn
	s.conn = failing{good, os.ErrDeadlineExceeded}
	_, err = s.accept()
	assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
	assert.NotErrorIs(t, err, net.ErrClosed)

	s.conn = good
	waits := make(chan error)
	go func() {
		_, err := s.accept()
		waits <- err
	}()
	s.close()
	assert.ErrorIs(t, <-waits, net.ErrClosed)
	_, err = s.accept()
	assert.ErrorIs(t, err, net.ErrClosed)
	s.conn = failing{good, errors.New("something else")}
	_, err = s.accept()
	assert.ErrorIs(t, err, net.ErrClosed)
}

// breakWait takes away what a selector waits for, or a waiter.
func breakWait(t *testing.T, p *epoll.Poller) {
	file := reflect.ValueOf(p).Elem().FieldByName("file")
	assert.NoError(t, (*(**os.File)(unsafe.Pointer(file.UnsafeAddr()))).Close())
}

// breakLook makes something else of what a selector looks at. It is called by its goroutine: nobody
// would wake it afterwards.
func breakLook(t *testing.T, s *selector) {
	null, err := os.Open(os.DevNull)
	if !assert.NoError(t, err) {
		return
	}
	defer null.Close()
	fd := reflect.ValueOf(s.poller).Elem().FieldByName("fd").Int()
	assert.NoError(t, syscall.Dup3(int(null.Fd()), int(fd), syscall.O_CLOEXEC))
}

// records are the lines of a log.
type records struct {
	mu sync.Mutex
	bytes.Buffer
}

func (r *records) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Buffer.Write(p)
}

// TestASelectorThatFails: one of two selectors can't wait any more. The server ends, the connections of
// both with it although they have messages to answer, and all that can be asked says why.
func TestASelectorThatFails(t *testing.T) {
	for _, how := range []struct {
		name    string
		workers int
		inside  bool // a handler breaks it
		says    string
	}{
		{"selectors wait", 0, false, "use of closed file"},
		{"workers", 2, false, "use of closed file"},
		{"selectors look", 0, true, "invalid argument"},
	} {
		t.Run(how.name, func(t *testing.T) {
			const conns = 4
			second := make(chan *selector, 1)
			ends, messages := make(chan error, 2*conns), make(chan string, 2*conns+1)
			log := &records{}
			server, err := Bind(t.Context(), "127.0.0.1:0", Strings(Lines()), func(c *Conn[string, string]) flux.Flux[string] {
				context.AfterFunc(c.Context(), func() { ends <- context.Cause(c.Context()) })
				return c.Inbound().DoOnTerminate(func() { ends <- nil }).FlatMap(func(m string) mono.Mono[string] {
					messages <- m
					switch m {
					case "break":
						breakLook(t, <-second)
						fallthrough
					case "echo":
						return mono.Just(m)
					}
					return mono.Never[string]()
				})
			}, UseEngine(Epoll), Selectors(2), Workers(how.workers), WithLogger(slog.New(slog.NewTextHandler(log, nil))), Name("fragile"))
			require.NoError(t, err)
			defer server.Close()
			var peers []net.Conn
			for range conns {
				p, err := net.Dial("tcp", server.Addr().String())
				require.NoError(t, err)
				defer p.Close()
				require.NoError(t, p.SetDeadline(time.Now().Add(time.Minute)))
				_, err = io.WriteString(p, "echo\nno answer\n")
				require.NoError(t, err)
				_, err = io.ReadFull(p, make([]byte, len("echo\n")))
				require.NoError(t, err)
				for _, m := range []string{"echo", "no answer"} {
					assert.Equal(t, m, <-messages)
				}
				peers = append(peers, p)
			}
			require.Equal(t, conns, server.Stats().Connections)

			if s := server.eng.driver.(*epollDriver).selectors[1]; how.inside {
				second <- s
				_, err = io.WriteString(peers[1], "break\n")
				require.NoError(t, err)
				_, err = io.ReadFull(peers[1], make([]byte, len("break\n")))
				require.NoError(t, err)
			} else {
				breakWait(t, s.poller)
			}
			select {
			case <-server.Stopped():
			case <-time.After(20 * time.Second):
				require.FailNow(t, "it goes on")
			}
			for _, p := range peers {
				n, err := io.Copy(io.Discard, p)
				assert.Zero(t, n)
				assert.ErrorIs(t, err, syscall.ECONNRESET, "the answers that may have been on their way are lost")
			}
			told := 0
			for range 2 * conns {
				cause := <-ends
				if cause == nil {
					continue // the end of an inbound
				}
				told++
				var closed *CloseError
				require.ErrorAs(t, cause, &closed)
				assert.Equal(t, ReasonCut, closed.Reason)
				assert.ErrorContains(t, closed.Err, how.says)
			}
			assert.Equal(t, conns, told)
			_, err = net.Dial("tcp", server.Addr().String())
			assert.ErrorIs(t, err, syscall.ECONNREFUSED)

			st := server.Stats()
			assert.Zero(t, st.Connections)
			assert.Equal(t, map[Reason]uint64{ReasonCut: conns}, st.Closed)
			assert.EqualValues(t, conns, st.Acceptor.Accepted)
			assert.Zero(t, st.Acceptor.Errors)
			report, err := server.Shutdown(t.Context())
			assert.ErrorContains(t, err, how.says)
			assert.Equal(t, ShutdownReport{Cut: conns, Unanswered: conns}, report)
			assert.Equal(t, err, server.Close())
			lines := strings.Split(log.String(), "\n")
			failed := 0
			for _, line := range lines {
				if strings.Contains(line, "level=ERROR") {
					failed++
					assert.Contains(t, line, "selector failed")
					assert.Contains(t, line, "server=fragile")
				}
			}
			assert.Equal(t, 1, failed, lines)
		})
	}
}

// TestASelectorWhoseLogFails has the server stop nevertheless.
func TestASelectorWhoseLogFails(t *testing.T) {
	server, err := Bind(t.Context(), "127.0.0.1:0", Strings(Lines()), func(c *Conn[string, string]) flux.Flux[string] { return c.Inbound() },
		UseEngine(Epoll), Workers(0), WithLogger(slog.New(unloggable{slog.DiscardHandler})))
	require.NoError(t, err)
	breakWait(t, server.eng.driver.(*epollDriver).selectors[0].poller)
	select {
	case <-server.Stopped():
	case <-time.After(20 * time.Second):
		require.FailNow(t, "it goes on")
	}
	_, err = server.Shutdown(t.Context())
	assert.ErrorContains(t, err, "use of closed file")
}

// stopping is a log that shuts the server down when a selector has failed.
type stopping struct {
	slog.Handler
	server chan *Server
	got    chan error
}

func (s *stopping) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "netreactor: selector failed" {
		_, err := (<-s.server).Shutdown(context.Background())
		s.got <- err
	}
	return nil
}

func (s *stopping) Enabled(context.Context, slog.Level) bool { return true }

// TestASelectorWhoseLogShutsDown does not wait for itself.
func TestASelectorWhoseLogShutsDown(t *testing.T) {
	log := &stopping{slog.DiscardHandler, make(chan *Server, 1), make(chan error, 1)}
	server, err := Bind(t.Context(), "127.0.0.1:0", Strings(Lines()), func(c *Conn[string, string]) flux.Flux[string] { return c.Inbound() },
		UseEngine(Epoll), Workers(0), Selectors(1), WithLogger(slog.New(log)))
	require.NoError(t, err)
	log.server <- server
	breakWait(t, server.eng.driver.(*epollDriver).selectors[0].poller)
	select {
	case <-server.Stopped():
	case <-time.After(time.Minute):
		require.FailNow(t, "it goes on")
	}
	assert.ErrorIs(t, <-log.got, reactor.ErrIllegalState)
}
