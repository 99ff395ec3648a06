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

// epollSource accepts on a duplicate of the listener's descriptor. The acceptor waits in a poller of its
// own, and not in Go's: what that tells has to wait for a processor, which a selector takes along
// when it waits for the kernel, where there is one only, and is asked for after 10 ms.
type epollSource struct {
	eng      *engine
	driver   *epollDriver
	listener net.Listener // keeps the address, and the file of a unix socket
	poller   *epoll.Poller
	fd       int
	closed   atomic.Bool

	next  epollAccepted  // the acceptor, which is done with a socket before it accepts the next one
	event [1]epoll.Event // the acceptor
}

func openEpoll(eng *engine, listener net.Listener) (source, driver, error) {
	s := &epollSource{eng: eng, listener: listener, fd: -1}
	err := s.duplicate()
	if err == nil {
		s.driver, err = newEpollDriver(eng)
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
	if s.poller, err = epoll.New(); err != nil {
		return err
	}
	return s.poller.Add(s.fd, 0, 0, epoll.In)
}

func (s *epollSource) addr() net.Addr { return s.listener.Addr() }

func (s *epollSource) close() {
	s.closed.Store(true)
	s.poller.Wake()
	s.listener.Close()
}

func (s *epollSource) release() {
	if s.poller != nil {
		s.poller.Close()
	}
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
			if _, _, err := s.poller.Wait(s.event[:], true); err != nil {
				return nil, err
			}
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
