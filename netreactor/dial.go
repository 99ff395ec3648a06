package netreactor

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/goreactor/reactor/internal/live"
)

// Dial connects to addr. [Conn.Inbound] has the messages that come; [Conn.Send] and
// [Conn.SendAll] send messages.
//
// The end of ctx ends an attempt to connect; the error says why it ended. The connection gets the
// values of ctx, but not its end: [Conn.Close] ends the connection, or the peer when everything
// that was sent before was written. The connection uses the Net engine: it has a goroutine of its
// own or, on Linux while it is idle, none.
func Dial[In, Out any](ctx context.Context, addr string, codec Codec[In, Out], opts ...DialOption) (*Conn[In, Out], error) {
	if codec == nil {
		panic("netreactor: Dial: the codec is nil")
	}
	set, err := dialSettings(opts)
	if err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, illegal("Dial", "the context is nil")
	}
	dialer := net.Dialer{KeepAlive: -1}
	socket, err := dialer.DialContext(ctx, set.network, addr)
	if err != nil {
		return nil, fmt.Errorf("netreactor: %w", because(ctx, err))
	}
	there := false
	defer func() { // also if code of the user's panics or ends the goroutine: functions of the config for TLS, the codec
		if !there {
			socket.Close()
		}
	}()
	tune(socket, set)
	conn := socket
	if set.tls != nil {
		if conn, err = handshake(ctx, socket, set, addr); err != nil {
			return nil, err
		}
	}
	eng := newEngine(context.WithoutCancel(ctx), set)
	eng.driver = &netDriver{parking: cmp.Or(set.parking, dialled)}
	c := newConn(codec)
	c.ownCodec()
	eng.loops[0].prepare(&c.core)
	eng.limits.reserve(netip.Addr{})
	t := newNetTransport(&c.core, conn)
	eng.loops[0].add(&c.core)
	there = true
	go t.loop()
	return c, nil
}

// handshake has a client shake hands. It names the server by addr unless the config does, also where the name is not verified, or not by
// package tls: a server may have certificates for several names.
func handshake(ctx context.Context, socket net.Conn, set *settings, addr string) (net.Conn, error) {
	config := set.tls
	if config.ServerName == "" && set.network != "unix" {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			host = addr
		}
		config = config.Clone()
		config.ServerName = host
	}
	conn := tls.Client(socket, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, &CloseError{ReasonHandshakeFailed, because(ctx, err)}
	}
	return conn, nil
}

// patience is how long because waits for the end of a context whose deadline is over. A context that others have made may end late.
const patience = time.Second

// because returns err, of a call that ctx may have ended, with the cause of the end of ctx if there is one.
func because(ctx context.Context, err error) error {
	if deadline, ok := ctx.Deadline(); ok && errors.Is(err, os.ErrDeadlineExceeded) && !time.Now().Before(deadline) {
		// The socket has the deadline of ctx as well, with a timer of its own, which may fire some microseconds before ctx ends.
		over := make(chan struct{})
		defer live.After(patience, func() { close(over) })()
		select {
		case <-ctx.Done():
		case <-over:
		}
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", err, cause)
	}
	return err
}
