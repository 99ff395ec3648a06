// Package netreactor serves and dials connections as streams of messages: what comes in is a
// Flux, what a handler returns is sent, and demand reaches the window of TCP.
//
//	server, err := netreactor.Bind(ctx, ":7000", netreactor.Strings(netreactor.Lines()),
//		func(c *netreactor.Conn[string, string]) flux.Flux[string] {
//			return c.Inbound().Map(answer)
//		})
//
// # Demand
//
// Nothing is read without demand. While a handler requests nothing, the buffers of the kernel fill
// and the window of TCP closes: the peer has to wait, and the server holds for the connection only
// what one read has brought beyond the demand ([ReadChunk]). Likewise nothing is requested of a
// handler while more bytes than the high-water mark wait to be written ([WaterMarks]). So a proxy,
// inbound to outbound, is as fast as its slower side, and holds little.
//
// # Codecs
//
// A [Codec] makes messages of bytes. [Lines], [Delimited], [FixedLength], [LengthPrefixed] and
// [Raw] find where a message ends; [Bytes], [Strings] and [Framed] make codecs of them. For a
// protocol with a grammar of its own, write a Codec, which has two methods. Messages that have come
// with one read are decoded one after the other, as there is demand, and what handlers answer
// meanwhile is written at once.
//
// # Who runs what
//
// One acceptor accepts connections and deals them in turn to M selectors ([Selectors]). The
// selectors wait for events, and hand a connection that has an event to one of N workers
// ([Workers]). The workers read, decode, run what handlers do with each message, encode and write;
// with N = 0 the selectors do that. One worker at a time has a connection, so its messages are in
// order. Handlers that may block get K goroutines of their own ([Business]), or any scheduler
// ([BusinessOn]). The expirer ends connections that take too long.
//
// That is the engine Epoll. The engine Net is for TLS, for listeners from elsewhere and for systems
// other than Linux. With Net each connection has a goroutine that does what a worker does;
// selectors only count connections. On Linux that goroutine ends when nothing has come for one to
// two seconds, and a new one starts when something comes.
//
// # The end
//
// A connection ends when its handler's publisher has ended and everything is written; when the peer
// has closed and the handler is done with what came; or for another [Reason]. A handler whose
// publisher would go on for ever lets it end with the inbound: TakeUntilOther(c.Inbound()…Then()).
// A handler that answers only by [Conn.Send] returns Never. The Reason is in the [CloseError] that
// is the cause of the end of [Conn.Context] and the error of the inbound.
//
// That the peer has closed is read from the socket, as its messages are: a handler that requests no
// messages does not learn of it. So let also a handler that only sends end with the inbound;
// otherwise it goes on until a write fails.
//
// Two limits are on unless options say otherwise: a peer has 10 seconds for its first message
// ([FirstFrameTimeout]), so a server whose peers only listen needs FirstFrameTimeout(0); and at
// most 60 connections may come from one address ([MaxPerClient]).
//
// Either side may end alone: [Conn.CloseWrite] tells the peer that nothing more will be sent, and
// what the peer sends still comes.
//
// [Server.Shutdown] lets handlers answer what was accepted, and reports what it had to cut.
//
// # Settings
//
// The defaults of options are read from the environment once: see [LoadConfig].
//
//	REACTOR_NET_SELECTORS         M; √(GOMAXPROCS/2), at least 1
//	REACTOR_NET_WORKERS           N; 2 × GOMAXPROCS
//	REACTOR_NET_BUSINESS          K; 0
//	REACTOR_NET_MAX_CONNS         connections at a time; 0 for no limit
//	REACTOR_NET_MAX_PER_CLIENT    of these, from one address; 60
//	REACTOR_NET_READ_CHUNK        bytes read at a time; 65536
//	REACTOR_NET_MAX_FRAME         bytes of a message; 1048575
//	REACTOR_NET_IDLE_TIMEOUT      how long nothing may come or go; 0 for no limit
//	REACTOR_NET_SHUTDOWN_TIMEOUT  how long the end of Bind's context waits; 5s
package netreactor
