//go:build unix

package netreactor_test

import (
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/netreactor"
)

// settled returns what n is once it does not change any more.
func settled(n func() uint64) uint64 {
	last := n()
	for quietFor := 0; quietFor < 20; quietFor++ {
		pause()
		if now := n(); now != last {
			last, quietFor = now, 0
		}
	}
	return last
}

// writeNow writes without waiting.
func writeNow(fd uintptr, b []byte) int {
	n, _ := syscall.Write(int(fd), b)
	return n
}

// flood sends until the peer takes nothing any more, and returns how much it took.
func flood(t testing.TB, p *peer, message []byte) (sent int64) {
	t.Helper()
	raw, err := p.SyscallConn()
	require.NoError(t, err)
	quietFor := 0
	for quietFor < 20 {
		n := 0
		require.NoError(t, raw.Write(func(fd uintptr) bool {
			n = writeNow(fd, message)
			return true
		}))
		if n <= 0 {
			quietFor++
			runtime.Gosched()
			pause()
			continue
		}
		quietFor = 0
		sent += int64(n)
		if n < len(message) {
			message = append(message[n:len(message):len(message)], message[:n]...) // where it stopped
		}
	}
	return sent
}

func TestNoDemandNoReading(t *testing.T) {
	everywhere(t, func(t *testing.T, bind binder) {
		handler, conns := accepting()
		server := bind(handler, netreactor.SocketBuffers(64<<10, 64<<10), netreactor.FirstFrameTimeout(0))
		p := connect(t, server)
		p.SetWriteBuffer(64 << 10)
		c := take(t, conns)
		sent := flood(t, p, framed(strings.Repeat("x", 100)))
		assert.Less(t, sent, int64(1<<20), "the window closes")
		assert.Zero(t, server.Stats().BytesIn, "nothing is read")

		s := newProbe()
		c.Inbound().Subscribe(t.Context(), s)
		up := take(t, s.up)
		assert.Zero(t, settled(func() uint64 { return server.Stats().BytesIn }))
		for i := range 3 {
			up.Request(1)
			assert.Len(t, take(t, s.items), 100)
			until(t, "delivery is counted", func() bool { return c.Stats().FramesIn == uint64(i+1) })
			assert.Empty(t, s.items, "one was asked for")
		}
		assert.LessOrEqual(t, server.Stats().BytesIn, uint64(64<<10), "one chunk")
		until(t, "the pause is seen", func() bool { return server.Stats().Paused == 1 })
		assert.Positive(t, c.Stats().PausedFor)

		up.Request(reactor.Unbounded)
		want := sent / 104
		for range want - 3 {
			assert.Len(t, take(t, s.items), 100)
		}
	})
}
