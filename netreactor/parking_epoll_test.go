//go:build linux && (amd64 || arm64)

package netreactor

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/netreactor/internal/epoll"
)

// TestWhatEntersBeforeAConnectionIsParked: who enters it while its goroutine is about to end finds it busy, and leaves to that goroutine what is to be done.
func TestWhatEntersBeforeAConnectionIsParked(t *testing.T) {
	set, err := dialSettings(nil)
	require.NoError(t, err)
	eng := newEngine(context.Background(), set)
	p := newParking(time.Hour, 0)
	defer p.stop()
	eng.driver = &netDriver{parking: p}
	here, there := net.Pipe()
	defer there.Close()
	defer here.Close()
	c := &connection{ses: &paper{t: t}}
	eng.loops[0].prepare(c)
	tr := &netTransport{c: c, conn: here}
	c.tr = tr
	c.enter(workRequest)
	assert.False(t, tr.park())
	assert.EqualValues(t, modeBusy, tr.mode.Load())
	assert.Zero(t, p.members())
}

// TestParkingLosesNothing: whatever enters a connection while it is being parked is done.
func TestParkingLosesNothing(t *testing.T) {
	set, err := dialSettings(nil)
	require.NoError(t, err)
	eng := newEngine(context.Background(), set)
	p := newParking(time.Hour, 0)
	eng.driver = &netDriver{parking: p}
	racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
		here, there := net.Pipe()
		defer there.Close()
		c := &connection{ses: &paper{t: t}}
		eng.loops[0].prepare(c)
		tr := &netTransport{c: c, conn: here, parks: true}
		c.tr = tr
		eng.loops[0].add(c)
		go tr.loop()
		race(
			tr.askToPark,
			func() { c.enter(workRequest) },
			tr.askToPark,
			func() { c.enter(workMore) },
		)
		for end := time.Now().Add(time.Minute); c.state.Load() != 0; time.Sleep(10 * time.Microsecond) {
			if time.Now().After(end) {
				t.Fatalf("left to do: %b, mode %d", c.state.Load(), tr.mode.Load())
			}
		}
		c.end(ReasonClosed, nil, true)
		<-c.context().Done()
		for end := time.Now().Add(time.Minute); p.members() != 0; time.Sleep(10 * time.Microsecond) {
			if time.Now().After(end) {
				t.Fatalf("it does not leave, mode %d", tr.mode.Load())
			}
		}
	})
	p.stop()
}

// members returns how many connections there are.
func (p *parking) members() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.parked + len(p.awake)
}

// parkedEcho serves an echo whose connections are parked in p.
func parkedEcho(t *testing.T, p *parking, opts ...BindOption) *Server {
	all := []BindOption{UseEngine(Net), WithLogger(slog.New(slog.DiscardHandler)), ConnOption(func(s *settings) error { s.parking = p; return nil })}
	server, err := Bind(t.Context(), "127.0.0.1:0", Strings(Lines()), func(c *Conn[string, string]) flux.Flux[string] { return c.Inbound() },
		append(all, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { server.Close() })
	return server
}

func dialLines(t *testing.T, server *Server) net.Conn {
	conn, err := net.Dial("tcp", server.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	return conn
}

func sayLine(t *testing.T, conn net.Conn) {
	_, err := io.WriteString(conn, "line\n")
	require.NoError(t, err)
	_, err = io.ReadFull(conn, make([]byte, len("line\n")))
	require.NoError(t, err)
}

func parkedSoon(t *testing.T, p *parking, n int) {
	require.Eventually(t, func() bool { return p.count() == n }, time.Minute, 100*time.Microsecond)
}

// TestAnEventOfBefore is not one of who has the slot now.
func TestAnEventOfBefore(t *testing.T) {
	p := newParking(time.Millisecond, 0)
	server := parkedEcho(t, p)
	conn := dialLines(t, server)
	parkedSoon(t, p, 1)
	p.mu.Lock()
	w := p.waiter
	before := epoll.Event{Events: epoll.In, Fd: 0, Pad: p.watched.at(0).generation}
	p.mu.Unlock()
	sayLine(t, conn)
	parkedSoon(t, p, 1)
	w.told([]epoll.Event{before})
	assert.Equal(t, 1, p.count())
	p.mu.Lock()
	assert.EqualValues(t, modeParked, p.watched.at(0).of.mode.Load())
	now := epoll.Event{Events: epoll.In, Fd: 0, Pad: p.watched.at(0).generation}
	p.mu.Unlock()
	w.told([]epoll.Event{now, now})
	require.Eventually(t, func() bool { p.mu.Lock(); defer p.mu.Unlock(); return p.watched.at(0).generation != now.Pad }, time.Minute, 100*time.Microsecond)
	parkedSoon(t, p, 1) // nothing came
	sayLine(t, conn)
}

// breakWaiter is breakWait for the one who waits for those that are parked, who may need the lock before it lets go.
func breakWaiter(t *testing.T, p *parking) {
	p.mu.Lock()
	poller := p.waiter.poller
	p.mu.Unlock()
	breakWait(t, poller)
}

// TestAWaiterThatFails: those that are parked go on, with a goroutine each from then on.
func TestAWaiterThatFails(t *testing.T) {
	p := newParking(time.Millisecond, 0)
	server := parkedEcho(t, p)
	conns := []net.Conn{dialLines(t, server), dialLines(t, server)}
	gone := dialLines(t, server)
	parkedSoon(t, p, 3)
	gone.Close() // which leaves its slot empty
	require.Eventually(t, func() bool { return p.members() == 2 }, time.Minute, 100*time.Microsecond)
	parkedSoon(t, p, 2)
	breakWaiter(t, p)
	parkedSoon(t, p, 0)
	for range 3 {
		for _, conn := range conns {
			sayLine(t, conn)
		}
		time.Sleep(5 * time.Millisecond)
		assert.Zero(t, p.count())
	}
}

// TestAWaiterWhoseLogFails lets go of its descriptors.
func TestAWaiterWhoseLogFails(t *testing.T) {
	p := newParking(time.Millisecond, 0)
	server := parkedEcho(t, p, WithLogger(slog.New(unloggable{slog.DiscardHandler})))
	conn := dialLines(t, server)
	parkedSoon(t, p, 1)
	p.mu.Lock()
	event := reflect.ValueOf(p.waiter.poller).Elem().FieldByName("event").Int()
	p.mu.Unlock()
	at := fmt.Sprintf("/proc/self/fd/%d", event)
	is, err := os.Readlink(at)
	require.NoError(t, err)
	require.Contains(t, is, "eventfd")
	breakWaiter(t, p)
	p.waiters.Wait()
	is, _ = os.Readlink(at)
	assert.NotContains(t, is, "eventfd")
	sayLine(t, conn)
}

// asking is a log that asks for the figures of a server.
type asking struct {
	slog.Handler
	figures func() Stats
	asked   chan Stats
}

func (a *asking) Enabled(context.Context, slog.Level) bool { return true }

func (a *asking) Handle(_ context.Context, r slog.Record) error {
	if r.Level == slog.LevelError {
		a.asked <- a.figures()
	}
	return nil
}

// TestALogThatAsks for figures when a waiter fails gets them.
func TestALogThatAsks(t *testing.T) {
	p := newParking(time.Millisecond, 0)
	log := &asking{asked: make(chan Stats, 1)}
	server := parkedEcho(t, p, WithLogger(slog.New(log)))
	log.figures = server.Stats
	conn := dialLines(t, server)
	parkedSoon(t, p, 1)
	breakWaiter(t, p)
	select {
	case st := <-log.asked:
		assert.Equal(t, 1, st.Connections)
	case <-time.After(time.Minute):
		require.FailNow(t, "it waits for ever")
	}
	sayLine(t, conn)
}

// TestNewcomers: a connection is none any more when it has sent something or has gone.
func TestNewcomers(t *testing.T) {
	const crowd = 3
	p := newParking(10*time.Millisecond, crowd)
	server := parkedEcho(t, p)
	newcomers := func() int { p.mu.Lock(); defer p.mu.Unlock(); return p.newcomers }
	soon := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool { return newcomers() == n }, time.Minute, 100*time.Microsecond)
	}
	for range 5 * crowd {
		conn := dialLines(t, server)
		sayLine(t, conn)
		soon(0)
	}
	for range 5 * crowd {
		dialLines(t, server).Close()
		soon(0)
	}
	for n := range crowd {
		dialLines(t, server)
		require.Eventually(t, func() bool { return p.members() >= n }, time.Minute, 100*time.Microsecond)
	}
	parkedSoon(t, p, 6*crowd) // and the others
	soon(0)
}

// TestASocketThatCantBeWatched, because somebody else has closed it, leaves its slot to the next one.
func TestASocketThatCantBeWatched(t *testing.T) {
	p := newParking(time.Hour, 0)
	defer p.stop()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	conn, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	tr := &netTransport{c: &connection{eng: engineFor(t)}, conn: conn, parks: true, wants: true}
	for range 3 {
		assert.False(t, p.park(tr))
	}
	assert.EqualValues(t, 1, p.watched.made)
	assert.Len(t, p.watched.free, 1)
	assert.Zero(t, p.count())
}
