package netreactor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
)

// Conn is a connection, with messages of type In that come in and of type Out that go out.
// All methods may be called by any goroutine.
type Conn[In, Out any] struct {
	//lint:ignore U1000 the types that a connection is converted to, inbound and outbound, need it; in front, where it takes no room
	op
	//lint:ignore U1000 likewise
	inner
	core  connection
	codec Codec[In, Out]
	in    inState[In]
	out   outflow
}

// The marks that both sides of a connection obey the rules of the protocol. They are embedded by these names so that they are no
// exported fields.
type (
	//lint:ignore U1000 embedded above
	op = protocol.Op
	//lint:ignore U1000 embedded above
	inner = protocol.Inner
)

func (c *Conn[In, Out]) inbound() *inbound[In, Out]   { return (*inbound[In, Out])(c) }
func (c *Conn[In, Out]) outbound() *outbound[In, Out] { return (*outbound[In, Out])(c) }

// String returns for example "connection of 127.0.0.1:4711", with the address of the peer.
func (c *Conn[In, Out]) String() string { return c.core.context().String() }

// Inbound returns the messages that the peer sends. Demand reaches the socket: without demand
// nothing is read, the window of TCP closes and the peer can't send.
//
// Inbound serves one subscriber; another one fails with [reactor.ErrIllegalState]. Messages
// come on the goroutine that does the connection's I/O, or on a business worker with
// [Business], and in their order. The Flux completes when the peer has closed, or the server
// shuts down, and all messages were delivered. Any other end of the connection fails the Flux
// with a [*CloseError]. If the Flux is cancelled, what the peer sends from then on is
// ignored, unless [CancelCloses] is set.
func (c *Conn[In, Out]) Inbound() flux.Flux[In] {
	in := flux.From[In](c.inbound())
	if s := c.core.eng.set.business; s != nil {
		return in.PublishOn(s, flux.Prefetch(businessPrefetch))
	}
	return in
}

// businessPrefetch is how many messages wait for a business worker.
const businessPrefetch = 64

// Send encodes msg; its bytes are written after what was sent before. Send does not wait. If as
// many bytes as the high-water mark wait to be written, it refuses with [ErrFull]; after the end of
// the connection it refuses with the [*CloseError] that says what ended the connection. An error of
// the codec is returned, and the connection goes on. A message that Send accepts is written, unless
// the connection ends first. To wait for room instead, return a sink with a capacity from the
// handler, or give one to SendAll, and emit with EmitNextWait.
func (c *Conn[In, Out]) Send(msg Out) error {
	if err := c.core.err(); err != nil {
		return err
	}
	if c.core.mute.Load() {
		return errMute("send")
	}
	if n := c.core.waiting(); n >= int64(c.core.eng.set.high) {
		return fmt.Errorf("netreactor: send: %w: %d bytes, the high-water mark is %d", ErrFull, n, c.core.eng.set.high)
	}
	dst := takeBuffer(0)
	b, err := c.codec.Encode(dst, msg)
	if err != nil {
		giveBuffer(dst) // b may be anything
		return fmt.Errorf("netreactor: send: %w", err)
	}
	if !c.core.send(b) {
		if err := c.core.err(); err != nil {
			return err
		}
		return errMute("send")
	}
	return nil
}

// errMute is the error of a message that is sent after CloseWrite.
func errMute(what string) error {
	return fmt.Errorf("netreactor: %s: CloseWrite was called: %w", what, ErrClosed)
}

// SendAll subscribes to source and sends the messages that source emits, with demand for as many as
// there is room for. It is for dialled connections, where no handler returns a source, and may be
// called once: a call on another connection, and a further call, return [reactor.ErrIllegalState].
// When source completes, the connection stays open until the peer closes it; the peer does not
// learn of the completion, see CloseWrite. When source fails, the connection ends with
// [ReasonHandlerFailed] once everything is written. The end of the connection cancels source.
func (c *Conn[In, Out]) SendAll(source reactor.Publisher[Out]) error {
	argument.NotNil("netreactor.SendAll", "source", source)
	if c.core.mute.Load() {
		return errMute("send all")
	}
	if c.core.eng.set.handler != nil || !c.out.claim() {
		return reactor.Failure("netreactor.SendAll", reactor.ErrIllegalState, "the connection has an outbound, this is another one")
	}
	protocol.Trust("netreactor.SendAll", source).Subscribe(c.core.context(), c.outbound())
	return nil
}

// CloseWrite tells the peer, when everything that was sent is written, that nothing more will come.
// What the peer sends comes as before: some peers answer when they have learnt of the end, and a
// proxy passes on the end of each side separately.
//
// The source of SendAll, or the publisher that the handler returned, is cancelled, and its end no
// longer ends the connection; Send fails with [ErrClosed]. Where that publisher is made of the
// inbound, the inbound is cancelled, too: then what the peer sends is ignored. The connection ends
// when the peer has closed, too, and everything that came is delivered; or by Close.
//
// CloseWrite does not wait, and may be called again. If the connection has ended, it returns the
// error that says why. If the connection is from a listener from elsewhere and can't be closed on
// one side, it returns errors.ErrUnsupported, and the connection goes on as before.
func (c *Conn[In, Out]) CloseWrite() error {
	if err := c.core.err(); err != nil {
		return err
	}
	if !c.core.tr.finishes() {
		return fmt.Errorf("netreactor: close write: %w", errors.ErrUnsupported)
	}
	c.out.phase.Store(outboundEnded) // before mute: who sees that may tell the peer, and room looks at the phase alone within a pass
	chaos.Yield()
	c.core.mu.Lock()
	c.core.mute.Store(true)
	c.core.mu.Unlock()
	c.core.giveAllBack()
	c.core.look()
	c.out.up.Cancel()
	return nil
}

// Close ends the connection with [ReasonClosed] when everything that was sent is written; nothing
// more is requested of the source. Close does not wait for that end: [Conn.Context] ends then.
// Close is idempotent.
func (c *Conn[In, Out]) Close() { c.core.end(ReasonClosed, nil, false) }

// Abort ends the connection at once, by a reset, so that the peer does not take the part that it
// has received for the whole. Bytes that wait to be written are dropped. In a protocol where the
// end of the connection marks the end of an answer, a handler whose source fails in the middle of
// an answer tells the peer so with DoOnError and Abort: after an error alone, the peer sees an end
// like any other.
func (c *Conn[In, Out]) Abort() { c.core.end(ReasonClosed, nil, true) }

// Context returns the context of the connection, which has the values of the one given to
// Bind or Dial. It ends when the connection is closed; its cause is a [*CloseError].
func (c *Conn[In, Out]) Context() context.Context { return c.core.context() }

// ID returns a number that no other connection of the process has.
func (c *Conn[In, Out]) ID() uint64 { return c.core.id }

// LocalAddr returns the address on this side. When the epoll engine has closed the socket, it
// returns the address of the listener.
func (c *Conn[In, Out]) LocalAddr() net.Addr { return c.core.tr.localAddr() }

// RemoteAddr returns the address of the peer. The epoll engine keeps neither the zone of an IPv6 address nor the name
// of a unix socket that a client has bound.
func (c *Conn[In, Out]) RemoteAddr() net.Addr { return c.core.tr.remoteAddr() }

// TLS returns the state of TLS, with the negotiated protocol and the certificates of the
// peer; ok reports whether the connection uses TLS.
func (c *Conn[In, Out]) TLS() (state tls.ConnectionState, ok bool) {
	if t, is := c.core.tr.(*netTransport); is {
		if conn, is := t.conn.(*tls.Conn); is {
			return conn.ConnectionState(), true
		}
	}
	return state, false
}

// Stats returns the figures of the connection.
func (c *Conn[In, Out]) Stats() ConnStats { return c.core.stats() }

// start implements session.
func (c *Conn[In, Out]) start() {
	handler, ok := c.core.eng.set.handler.(handlerOf[In, Out])
	if !ok {
		return // it was dialled
	}
	c.ownCodec()
	source := handler(c)
	if source == nil {
		panic("the handler has returned nil")
	}
	c.out.claim()
	protocol.Trust("netreactor.Handler", source).Subscribe(c.core.context(), c.outbound())
}

// deliver implements session.
func (c *Conn[In, Out]) deliver() bool { return c.inbound().deliver() }

// leave implements session.
func (c *Conn[In, Out]) leave() { c.inbound().leave() }

// wants implements session.
func (c *Conn[In, Out]) wants() bool { return c.inbound().wants() }

// paused implements session.
func (c *Conn[In, Out]) paused() bool { return c.inbound().paused() }

// idle implements session.
func (c *Conn[In, Out]) idle() bool { return c.in.over }

// drained implements session.
func (c *Conn[In, Out]) drained() bool { return c.in.drained }

// done implements session.
func (c *Conn[In, Out]) done() bool { return c.in.over && (c.core.mute.Load() || !c.out.keepsOpen()) }

// silent implements session.
func (c *Conn[In, Out]) silent() bool { return c.out.isSilent() }

// replenish implements session.
func (c *Conn[In, Out]) replenish() bool { return c.out.replenish(&c.core) }

// end implements session.
func (c *Conn[In, Out]) end(why *CloseError) { c.inbound().end(why) }

// close implements session.
func (c *Conn[In, Out]) close() { c.out.up.Cancel() }

// crashed implements session. If a stage behind the inbound has failed with a message, the inbound fails, as any
// other source would, and what the stages make of the error is sent. After any other failure the connection
// ends.
func (c *Conn[In, Out]) crashed(err error) {
	p := c.inbound()
	dealt := !p.failing()
	defer func() {
		if !dealt { // a subscriber or hook that was told has ended the goroutine: nobody else ends the connection
			c.core.fail(ReasonHandlerFailed, err)
		}
	}()
	if dealt {
		c.core.fail(ReasonHandlerFailed, err)
	}
	p.crashed(err)
	dealt = true
}
