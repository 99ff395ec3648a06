//go:build linux && (amd64 || arm64)

package netreactor

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/goreactor/reactor/netreactor/internal/epoll"
)

// epollSource accepts on a duplicate of the listener's descriptor. It is among what the selectors
// wait for, one of which wakes the acceptor. An acceptor that waited in a call of the kernel itself,
// or in Go's own poller, would be late where there is one processor only: whoever waits for the
// kernel takes it along, until Go's monitor asks for it, after 10 ms where the process is calm.
type epollSource struct {
	eng      *engine
	driver   *epollDriver
	listener net.Listener // keeps the address, and the file of a unix socket
	fd       int
	ready    chan struct{} // somebody may have connected, or closed is set; has room for one
	closed   atomic.Bool

	next epollAccepted // the acceptor, which is done with a socket before it accepts the next one
}

func openEpoll(eng *engine, listener net.Listener) (source, driver, error) {
	s := &epollSource{eng: eng, listener: listener, fd: -1, ready: newWake()}
	err := s.duplicate()
	if err == nil {
		s.driver, err = newEpollDriver(eng)
	}
	if err == nil {
		if err = s.driver.listen(s.fd, s.ready); err != nil {
			s.driver.close()
		}
	}
	if err != nil {
		s.release()
		listener.Close()
		return nil, nil, err
	}
	s.driver.start()
	return s, s.driver, nil
}

func (s *epollSource) duplicate() error {
	l, ok := s.listener.(syscall.Conn)
	if !ok {
		return fmt.Errorf("%T has no descriptor", s.listener)
	}
	raw, err := l.SyscallConn()
	if err != nil {
		return err
	}
	var errno syscall.Errno
	if err := raw.Control(func(from uintptr) {
		var fd uintptr
		if fd, _, errno = syscall.RawSyscall(syscall.SYS_FCNTL, from, syscall.F_DUPFD_CLOEXEC, 0); errno == 0 {
			s.fd = int(fd) // it is non-blocking, as the original is
		}
	}); err != nil {
		return err
	}
	if errno != 0 {
		return os.NewSyscallError("dup", errno)
	}
	return nil
}

func (s *epollSource) addr() net.Addr { return s.listener.Addr() }

func (s *epollSource) close() {
	s.closed.Store(true)
	signal(s.ready)
	s.listener.Close()
}

func (s *epollSource) release() {
	if s.fd >= 0 {
		syscall.Close(s.fd)
	}
}

func (s *epollSource) accept() (accepted, error) {
	for !s.closed.Load() {
		fd, remote, err := epoll.Accept(s.fd)
		switch err {
		case nil:
			s.next = epollAccepted{source: s, fd: fd, remote: remote}
			return &s.next, nil
		case errAgain:
			<-s.ready // it is told once when somebody connects
		default:
			return nil, os.NewSyscallError("accept4", err)
		}
	}
	return nil, net.ErrClosed
}

// epollAccepted is a socket that nobody waits for.
type epollAccepted struct {
	source *epollSource
	fd     int
	remote netip.AddrPort
	t      *epollTransport
}

func (a *epollAccepted) client() netip.Addr { return a.remote.Addr() }

func (a *epollAccepted) refuse() {
	if a.t != nil {
		a.t.sel.forget(a.t)
	}
	epoll.Close(a.fd, true)
}

func (a *epollAccepted) open(c *connection) {
	s := a.source.eng.set
	epoll.Tune(a.fd, epoll.Options{TCP: a.remote.IsValid(), NoDelay: s.noDelay, KeepAlive: s.keepAlive, Receive: s.receive, Send: s.send})
	a.t = &epollTransport{c: c, sel: a.source.driver.selectors[c.loop.id], fd: int32(a.fd), remote: newPeerAddr(a.remote)}
	a.t.sel.register(a.t)
	c.tr = a.t
	c.state.Store(queued)
}

func (a *epollAccepted) start() { a.t.submit() }
