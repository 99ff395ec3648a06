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
// Nothing is read that nobody has asked for. A handler that asks for nothing lets the buffers
// of the kernel fill and the window of TCP close: the peer has to wait, and the server holds
// nothing for it but what one read has brought beyond the demand ([ReadChunk]). Likewise a
// handler is asked for nothing while more waits to be written than the high-water mark
// ([WaterMarks]). So a proxy, inbound to outbound, is as fast as its slower side, and as small.
//
// # Codecs
//
// A [Codec] makes messages of bytes. [Lines], [Delimited], [FixedLength], [LengthPrefixed] and
// [Raw] find where one ends; [Bytes], [Strings] and [Framed] put messages into that. A
// protocol with a grammar of its own is a Codec of two methods; many messages that have come
// with one read are decoded one after the other as there is demand, and what handlers answer
// meanwhile is written at once.
//
// # Who runs what
//
// One acceptor accepts connections and deals them in turn to M selectors ([Selectors]). These
// wait for events, and hand a connection with one to N workers ([Workers]), which read, decode,
// run what handlers do with each message, encode and write; with N = 0 the selectors do that.
// A connection is with one of them at a time, so its messages are in order. Handlers that may
// block get K goroutines of their own ([Business]), or any scheduler ([BusinessOn]). The expirer
// ends connections that take too long.
//
// That is the engine Epoll. With Net, which is the one for TLS, for listeners from elsewhere
// and for systems other than Linux, each connection has a goroutine that does what a worker
// does; selectors are a way to count. On Linux that goroutine ends when nothing has come for one to
// two seconds, and there is a new one when something does.
//
// # The end
//
// A connection ends when its handler's publisher does and all is written; when the peer has
// closed and the handler is done with what came; or for a reason of its own. A handler whose
// publisher goes on for ever ends it with the inbound: TakeUntilOther(c.Inbound()…Then()). A handler that answers
// by [Conn.Send] alone returns Never. The
// reason is a [Reason], found in the [CloseError] that is the cause of the end of
// [Conn.Context] and that the inbound fails with.
//
// That a peer has closed is read, as its messages are: a handler that asks for none does not hear of it. One that only
// sends ends with the inbound all the same, or it goes on until a write fails.
//
// Two limits are on unless options say otherwise: a peer has 10 seconds for its first message
// ([FirstFrameTimeout]), so those that only listen need FirstFrameTimeout(0), and there are 60
// connections from one address at most ([MaxPerClient]).
//
// Either side may end alone: [Conn.CloseWrite] tells the peer that this was all, and what that sends still comes.
//
// [Server.Shutdown] lets what was accepted be answered and says what it had to cut.
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
