//go:build linux && (amd64 || arm64)

package netreactor

import (
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is pushed while a selector goes to sleep is pushed by somebody who sees it awake, and does not call it.
func TestASelectorDoesNotSleepOnWork(t *testing.T) {
	s := &selector{}
	assert.True(t, s.sleep())
	assert.True(t, s.asleep.Load())
	s.queued.Store(1)
	assert.False(t, s.sleep())
	assert.False(t, s.asleep.Load(), "whoever pushes something need not call it")
	s.queued.Store(0)
	s.stopping.Store(true)
	assert.False(t, s.sleep())
}

// What a selector asks the kernel about is a socket of its own: the number of one that is closed may be that of another by then.
func TestASelectorAsksAboutItsOwn(t *testing.T) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	defer syscall.Close(fds[0])
	defer syscall.Close(fds[1])
	s := &selector{}
	tr := &epollTransport{sel: s, fd: int32(fds[0])}
	s.register(tr)
	_, ok := tr.unacked()
	assert.True(t, ok)
	s.vacate(tr)
	_, ok = tr.unacked()
	assert.False(t, ok)
}

// A connection has the address that its peer has found, as long as it is open, though the listener has more of them.
func TestTheAddressOfAConnection(t *testing.T) {
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	require.NoError(t, err)
	defer listener.Close()
	there, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", portOf(listener)))
	require.NoError(t, err)
	defer there.Close()
	here, err := listener.Accept()
	require.NoError(t, err)
	defer here.Close()
	raw, err := here.(*net.TCPConn).SyscallConn()
	require.NoError(t, err)
	c := bookkept(t, engineFor(t))
	c.eng.local = listener.Addr()
	s := &selector{}
	require.NoError(t, raw.Control(func(fd uintptr) {
		tr := &epollTransport{c: c, sel: s, fd: int32(fd)}
		s.register(tr)
		assert.Equal(t, there.RemoteAddr().String(), tr.localAddr().String())
		s.vacate(tr)
		assert.Equal(t, listener.Addr(), tr.localAddr())
	}))
}

// The figures of a selector say who waits for it.
func TestFiguresOfASelector(t *testing.T) {
	s := &selector{}
	s.queued.Store(1)
	s.waits.Store(2)
	s.told.Store(3)
	s.wakes.Store(4)
	var st SelectorStats
	s.stats(&st)
	assert.Equal(t, SelectorStats{Queued: 1, Waits: 2, Events: 3, Wakes: 4}, st)
}

func portOf(l net.Listener) string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
