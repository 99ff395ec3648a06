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

// epollSource accepts on a duplicate of the listener's descriptor, for which it waits in Go's poller.
type epollSource struct {
	eng      *engine
	driver   *epollDriver
	listener net.Listener // keeps the address, and the file of a unix socket
	file     *os.File
	conn     syscall.RawConn
	onRead   func(fd uintptr) bool // made once
	closed   atomic.Bool           // written before file is closed

	// What follows belongs to the goroutine of the acceptor, which is done with a socket before it accepts the next one.
	next   epollAccepted
	failed error
}

func openEpoll(eng *engine, listener net.Listener) (source, driver, error) {
	s := &epollSource{eng: eng, listener: listener}
	eng.local = listener.Addr()
	err := s.duplicate()
	if err == nil {
		s.driver, err = newEpollDriver(eng)
	}
	if err != nil {
		if s.file != nil {
			s.file.Close()
		}
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
	var fd uintptr
	var errno syscall.Errno
	if err := raw.Control(func(from uintptr) {
		fd, _, errno = syscall.RawSyscall(syscall.SYS_FCNTL, from, syscall.F_DUPFD_CLOEXEC, 0)
	}); err != nil {
		return err
	}
	if errno != 0 {
		return os.NewSyscallError("dup", errno)
	}
	s.file = os.NewFile(fd, "listener") // it is non-blocking, as the original is
	s.conn, err = s.file.SyscallConn()
	s.onRead = s.read
	return err
}

func (s *epollSource) addr() net.Addr { return s.listener.Addr() }

func (s *epollSource) close() {
	s.closed.Store(true)
	s.file.Close()
	s.listener.Close()
}

func (s *epollSource) accept() (accepted, error) {
	s.next = epollAccepted{source: s}
	if err := s.conn.Read(s.onRead); err != nil {
		if s.closed.Load() {
			err = net.ErrClosed // a file has an error of its own for that, which can't be told from others
		}
		return nil, err
	}
	if s.failed != nil {
		return nil, os.NewSyscallError("accept4", s.failed)
	}
	return &s.next, nil
}

// read is called on the goroutine of the acceptor, when somebody may have connected. It reports whether the wait is over.
func (s *epollSource) read(fd uintptr) bool {
	s.next.fd, s.next.remote, s.failed = epoll.Accept(int(fd))
	return s.failed != errAgain
}

// epollAccepted is a socket that was accepted, and that no selector waits for yet. There is one for all: see epollSource.next.
type epollAccepted struct {
	source *epollSource
	fd     int
	remote netip.AddrPort
	t      *epollTransport
}

func (a *epollAccepted) client() netip.Addr { return a.remote.Addr() }

func (a *epollAccepted) refuse() {
	if a.t != nil {
		a.t.sel.vacate(a.t)
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
