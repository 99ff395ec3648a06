package netreactor

import (
	"crypto/tls"
	"net"
	"net/netip"
	"sync"
)

// netSource accepts from a listener of package net.
type netSource struct {
	eng      *engine
	driver   *netDriver
	listener net.Listener

	mu     sync.Mutex
	asked  net.Conn // a connection of others that is being asked for the address of its peer, and may wait to know it, or nil; mu
	closed bool     // mu
}

func (s *netSource) addr() net.Addr { return s.listener.Addr() }

func (s *netSource) close() {
	s.eng.foreign(func() { s.listener.Close() })
	s.mu.Lock()
	s.closed = true
	asked := s.asked
	s.mu.Unlock()
	if asked != nil {
		s.eng.foreign(func() { asked.Close() })
	}
}

func (s *netSource) accept() (accepted, error) {
	conn, err := s.listener.Accept()
	if err != nil {
		return nil, err
	}
	known := false
	defer func() {
		if !known { // the source was closed; or the connection is one of others, and the call of it has ended the goroutine
			s.ask(nil)
			reset(conn)
		}
	}()
	from, ok := s.client(conn)
	if !ok {
		return nil, net.ErrClosed
	}
	known = true
	return &netAccepted{source: s, conn: conn, from: from}, nil
}

// client returns the address that limits per client count by, or false if the source was closed before a connection of others knew it.
func (s *netSource) client(conn net.Conn) (from netip.Addr, ok bool) {
	if socketOf(conn) != nil {
		return clientOf(conn), true
	}
	if !s.ask(conn) {
		return from, false
	}
	from = clientOf(conn)
	return from, s.ask(nil)
}

// ask notes which connection is being asked, nil for none, and reports whether the source is open: else close may have missed conn.
func (s *netSource) ask(conn net.Conn) (open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = conn
	return !s.closed
}

// netAccepted is a connection of package net.
type netAccepted struct {
	source *netSource
	conn   net.Conn
	from   netip.Addr
	t      *netTransport
}

func (a *netAccepted) client() netip.Addr { return a.from }

// clientOf returns the address that limits per client count by.
func clientOf(conn net.Conn) netip.Addr {
	if tcp, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

func (a *netAccepted) refuse() { reset(a.conn) }

func (a *netAccepted) open(c *connection) {
	s := a.source.eng.set
	tune(a.conn, s)
	if s.tls != nil {
		a.conn = tls.Server(a.conn, s.tls)
	}
	a.t = newNetTransport(c, a.conn)
	a.t.from = a.from
}

func (a *netAccepted) start() { a.source.driver.open(a.t) }

// reset closes a connection by a reset. With TLS it closes the socket below: TLS would tell the peer that this was all.
func reset(conn net.Conn) {
	conn = below(conn)
	if tcp, ok := conn.(interface{ SetLinger(int) error }); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}

// below returns what conn writes to, if it is one of TLS, or conn.
func below(conn net.Conn) net.Conn {
	if secure, ok := conn.(*tls.Conn); ok {
		return secure.NetConn()
	}
	return conn
}

// tune sets the options of a socket. What can't be set, on a connection that has gone
// meanwhile for example, is left.
func tune(conn net.Conn, s *settings) {
	if tcp, ok := socketOf(conn).(*net.TCPConn); ok {
		tcp.SetNoDelay(s.noDelay)
		if s.keepAlive > 0 {
			tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: s.keepAlive, Interval: s.keepAlive, Count: 9})
		} else {
			tcp.SetKeepAlive(false) // the listener may be one that sets it
		}
	}
	if b, ok := below(conn).(interface {
		SetReadBuffer(int) error
		SetWriteBuffer(int) error
	}); ok {
		if s.receive > 0 {
			b.SetReadBuffer(s.receive)
		}
		if s.send > 0 {
			b.SetWriteBuffer(s.send)
		}
	}
}
