package netreactor

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// bookkept returns a connection of eng without a socket.
func bookkept(t *testing.T, eng *engine) *connection {
	p := &paper{t: t, submitted: make(chan struct{}, 100)}
	p.c = &connection{eng: eng, loop: eng.loops[0], tr: p, ses: p}
	return p.c
}

func engineFor(t *testing.T, opts ...BindOption) *engine {
	set, err := bindSettings("Bind", opts)
	require.NoError(t, err)
	return newEngine(context.Background(), set)
}

// TestConnectionsOfALoop: in whatever order they end, the others are left.
func TestConnectionsOfALoop(t *testing.T) {
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for _, order := range orders {
		eng := engineFor(t)
		l := eng.loops[0]
		var all []*connection
		for range 3 {
			c := bookkept(t, eng)
			require.True(t, l.add(c))
			all = append(all, c)
		}
		left := slices.Clone(all)
		for _, i := range order {
			l.remove(all[i])
			left = slices.DeleteFunc(left, func(c *connection) bool { return c == all[i] })
			var listed []*connection
			eng.each(func(c *connection) { listed = append(listed, c) })
			assert.ElementsMatch(t, left, listed)
			eng.expirer.remove(all[i])
		}
	}
}

// TestAConnectionForADrain is refused, and not waited for.
func TestAConnectionForADrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := engineFor(t)
		eng.draining.Store(true)
		assert.False(t, eng.loops[0].add(bookkept(t, eng)))
		eng.live.Wait()
	})
}

// TestPlacesOfClients: who has gone leaves nothing.
func TestPlacesOfClients(t *testing.T) {
	l := &limits{perClient: 2, clients: map[netip.Addr]int{}}
	client := netip.MustParseAddr("192.0.2.1")
	assert.True(t, l.reserve(client))
	assert.True(t, l.reserve(client))
	assert.False(t, l.reserve(client))
	l.release(client)
	assert.True(t, l.reserve(client))
	l.release(client)
	l.release(client)
	assert.Empty(t, l.clients)
	assert.Zero(t, l.all)
}

// scripted is a source of connections, or of errors.
type scripted struct {
	next  []func() (accepted, error)
	start time.Time
	at    []time.Duration
}

func (s *scripted) addr() net.Addr { return nil }
func (s *scripted) close()         {}

func (s *scripted) accept() (accepted, error) {
	s.at = append(s.at, time.Since(s.start))
	if len(s.next) == 0 {
		return nil, net.ErrClosed
	}
	fn := s.next[0]
	s.next = s.next[1:]
	return fn()
}

// arrival is a connection that nobody has looked at.
type arrival struct{ refused int }

func (a *arrival) client() netip.Addr { return netip.Addr{} }
func (a *arrival) open(*connection)   {}
func (a *arrival) start()             {}
func (a *arrival) refuse()            { a.refused++ }

// TestPausesOfAnAcceptor: they double while it fails, and begin anew when it has not. A peer that was gone before is no failure.
func TestPausesOfAnAcceptor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := func() (accepted, error) { return nil, errors.New("no descriptors") }
		gone := func() (accepted, error) { return nil, syscall.ECONNABORTED }
		late := &arrival{}
		comes := func() (accepted, error) { return late, nil }
		s := &scripted{start: time.Now(), next: []func() (accepted, error){fails, fails, fails, gone, comes, fails, gone}}
		eng := engineFor(t, WithLogger(slog.New(slog.DiscardHandler)))
		eng.draining.Store(true)
		a := &acceptor{eng: eng, source: s, stopAt: newSignal(), wake: newWake(), make: func() *connection { return bookkept(t, eng) }}
		a.loop()
		ms := time.Millisecond
		assert.Equal(t, []time.Duration{0, 10 * ms, 30 * ms, 70 * ms, 70 * ms, 70 * ms, 80 * ms, 80 * ms}, s.at)
		st := a.stats()
		assert.Equal(t, []uint64{4, 4, 1}, []uint64{st.Errors, st.Pauses, st.RejectedClose})
		assert.Equal(t, 1, late.refused, "the server drains")
		assert.Zero(t, eng.limits.all)
	})
}

// TestAPauseEndsWithAPlace that is free again: there may be a descriptor.
func TestAPauseEndsWithAPlace(t *testing.T) {
	set, err := bindSettings("Bind", []BindOption{UseEngine(Net)})
	require.NoError(t, err)
	eng := newEngine(context.Background(), set)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	a, err := newAcceptor(eng, "", listener, nil)
	require.NoError(t, err)
	eng.freed()
	assert.Empty(t, a.wake)
	a.paused.Store(true)
	eng.freed()
	assert.Len(t, a.wake, 1)
}

// TestAPauseCanBeSeen, and ends at once when a connection has gone.
func TestAPauseCanBeSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := engineFor(t, UseEngine(Net), WithLogger(slog.New(slog.DiscardHandler)))
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		listener.Close()
		a, err := newAcceptor(eng, "", listener, nil)
		require.NoError(t, err)
		fails := func() (accepted, error) { return nil, errors.New("no descriptors") }
		s := &scripted{start: time.Now(), next: []func() (accepted, error){fails}}
		a.source = s
		assert.False(t, a.stats().Paused)
		a.start()
		synctest.Wait()
		assert.True(t, a.stats().Paused)
		eng.freed()
		a.done.Wait()
		assert.Equal(t, []time.Duration{0, 0}, s.at)
		assert.False(t, a.stats().Paused)
	})
}

// TestRefusalsInALog: one line for a second's worth of them.
func TestRefusalsInALog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		eng := engineFor(t, WithLogger(slog.New(slog.NewTextHandler(&out, nil))))
		for range 3 {
			eng.refusals.log(eng, "a limit is reached", netip.Addr{})
		}
		time.Sleep(time.Second)
		eng.refusals.log(eng, "a limit is reached", netip.Addr{})
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		require.Len(t, lines, 2)
		assert.Contains(t, lines[0], "unlogged=0")
		assert.Contains(t, lines[1], "unlogged=2")
	})
}

// TestAServerLetsGoOfItsContext, which may live for longer.
func TestAServerLetsGoOfItsContext(t *testing.T) {
	ctx := &watchedContext{Context: context.Background(), done: make(chan struct{})}
	set, err := bindSettings("Bind", []BindOption{WithLogger(slog.New(slog.DiscardHandler))})
	require.NoError(t, err)
	s, err := bind("Bind", ctx, set, "127.0.0.1:0", nil, nil)
	require.NoError(t, err)
	assert.Positive(t, ctx.watched.Load())
	require.NoError(t, s.Close())
	assert.Zero(t, ctx.watched.Load())
}

// watchedContext counts who waits for its end, which doesn't come.
type watchedContext struct {
	context.Context
	done    chan struct{}
	watched atomic.Int64
}

func (c *watchedContext) Done() <-chan struct{} { return c.done }

// AfterFunc is what package context looks for in contexts that are not its own.
func (c *watchedContext) AfterFunc(func()) (stop func() bool) {
	c.watched.Add(1)
	return func() bool { c.watched.Add(-1); return true }
}

// TestInputSays what is there, and what was seen of it.
func TestInputSays(t *testing.T) {
	in := &Input{data: []byte("0123456789"), seen: 5}
	in.Advance(3)
	assert.Equal(t, 2, in.Seen())
	assert.Equal(t, "3456789", string(in.Bytes()))
	assert.True(t, in.ready())
	in.Need(8)
	assert.False(t, in.ready())
	in.Need(7)
	assert.True(t, in.ready())
	in.Advance(7)
	assert.Zero(t, in.Seen())
	assert.False(t, in.ready())
}

// asked is a socket that says how it was asked who its peer is.
type asked struct {
	*paper
	remote func() net.Addr
}

func (a *asked) remoteAddr() net.Addr { return a.remote() }

// TestFiguresOfALoop are taken without a word of the connections' own, which may be those of a listener from elsewhere.
func TestFiguresOfALoop(t *testing.T) {
	eng := engineFor(t)
	l := eng.loops[0]
	c := bookkept(t, eng)
	held := 0
	c.tr = &asked{c.tr.(*paper), func() net.Addr {
		if !l.mu.TryLock() {
			held++
			return nil
		}
		l.mu.Unlock()
		return &net.UnixAddr{Name: "somebody"}
	}}
	require.True(t, l.add(c))
	defer eng.expirer.remove(c)
	assert.Equal(t, 1, l.stats().Connections)
	assert.Zero(t, held, "asked under the lock")
	assert.Equal(t, "somebody", c.stats().RemoteAddr.String())
}

// unloggable is a log that ends who has something to complain about.
type unloggable struct{ slog.Handler }

func (unloggable) Enabled(_ context.Context, level slog.Level) bool {
	if level >= slog.LevelWarn {
		runtime.Goexit()
	}
	return false
}

// TestAnAcceptorWhoseLogFails pauses and goes on all the same.
func TestAnAcceptorWhoseLogFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := func() (accepted, error) { return nil, errors.New("no descriptors") }
		s := &scripted{start: time.Now(), next: []func() (accepted, error){fails, fails}}
		a := &acceptor{eng: engineFor(t, WithLogger(slog.New(unloggable{slog.DiscardHandler}))), source: s, stopAt: newSignal(), wake: newWake()}
		racetest.Aside(a.loop)
		ms := time.Millisecond
		assert.Equal(t, []time.Duration{0, 10 * ms, 30 * ms}, s.at)
	})
}
