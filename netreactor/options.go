package netreactor

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/schedulers"
)

// settings are what the options set.
type settings struct {
	Config
	name         string
	network      string
	engine       Engine
	reusePort    bool
	high, low    int
	firstFrame   time.Duration
	read         time.Duration
	write        time.Duration
	pausing      time.Duration
	outstanding  int
	noDelay      bool
	keepAlive    time.Duration
	receive      int
	send         int
	cancelCloses bool
	tls          *tls.Config
	business     schedulers.Scheduler
	stopBusiness func()
	log          *slog.Logger
	handler      any // a handlerOf, or nil for a connection that was dialled

	shortest time.Duration // the shortest one of the time-outs that are set, 0 if none is
	parking  *parking      // where connections are parked, set by tests; if nil, a server has one of its own, and Dial uses dialled
}

// Engine is a way to move bytes.
type Engine uint8

// The engines.
const (
	// Auto is Epoll where Epoll is possible: on Linux, without TLS, for sockets that
	// this package opens. Otherwise it is Net.
	Auto Engine = iota
	// Epoll has selectors, each of which waits for all of its connections at once. Idle
	// connections cost next to nothing.
	Epoll
	// Net is portable: each connection has a goroutine and uses package net. On Linux an
	// idle connection has no goroutine.
	Net
)

// String returns for example "epoll".
func (e Engine) String() string {
	switch e {
	case Auto:
		return "auto"
	case Epoll:
		return "epoll"
	case Net:
		return "net"
	}
	return fmt.Sprintf("engine %d", uint8(e))
}

// BindOption adjusts a server. [ServerOption] and [ConnOption] are both BindOptions.
type BindOption interface{ bind(*settings) error }

// DialOption adjusts a connection that is dialled. See [ConnOption].
type DialOption interface{ dial(*settings) error }

// ServerOption adjusts what a server is: roles, limits, address.
type ServerOption func(*settings) error

func (o ServerOption) bind(s *settings) error { return o(s) }

// ConnOption adjusts connections, both those that a server accepts and those that are
// dialled.
type ConnOption func(*settings) error

func (o ConnOption) bind(s *settings) error { return o(s) }
func (o ConnOption) dial(s *settings) error { return o(s) }

// illegal is the error of an option.
func illegal(option, format string, args ...any) error {
	return fmt.Errorf("netreactor: %s: %s: %w", option, fmt.Sprintf(format, args...), reactor.ErrIllegalArgument)
}

// atLeast is the error of an option whose value is below a limit.
func atLeast[N int | time.Duration](option string, least, v N) error {
	if v < least {
		return illegal(option, "at least %v required but it was %v", least, v)
	}
	return nil
}

// within is atLeast with an upper bound.
func within[N int | time.Duration](option string, least, most, v N) error {
	if v > most {
		return illegal(option, "at most %v allowed but it was %v", most, v)
	}
	return atLeast(option, least, v)
}

// Whoever sets more than this has made a mistake.
const (
	mostGoroutines = 1 << 16
	mostChunk      = 64 << 20
)

// Name names the server, in logs and pprof labels. By default it is the address.
func Name(name string) ServerOption {
	return func(s *settings) error { s.name = name; return nil }
}

// Network says which network the address belongs to: "tcp", the default, "tcp4", "tcp6" or
// "unix", whose addresses are paths.
func Network(network string) ConnOption {
	return func(s *settings) error {
		switch network {
		case "tcp", "tcp4", "tcp6", "unix":
			s.network = network
			return nil
		}
		return illegal("Network", "unknown network %q, it may be tcp, tcp4, tcp6 or unix", network)
	}
}

// UseEngine chooses the engine; by default [Auto]. If Epoll is chosen where it is not
// possible, Bind fails.
func UseEngine(engine Engine) ServerOption {
	return func(s *settings) error {
		s.engine = engine
		if engine > Net {
			return illegal("UseEngine", "unknown %v", engine)
		}
		return nil
	}
}

// Selectors sets how many goroutines wait for events of connections; connections are dealt
// to them in turn. By default it is the square root of half of the number of processors, at
// least 1.
func Selectors(n int) ServerOption {
	return func(s *settings) error { s.Selectors = n; return within("Selectors", 1, mostGoroutines, n) }
}

// Workers sets how many goroutines do the I/O of the epoll engine, and run what handlers do
// on the way; by default 2 for each processor. With 0 the selectors do that, which is
// faster for handlers that never block: a handler that blocks holds up all connections of
// its selector. With the Net engine each connection has a goroutine of its own.
func Workers(n int) ServerOption {
	return func(s *settings) error { s.Workers = n; return within("Workers", 0, mostGoroutines, n) }
}

// Business makes k goroutines, beside those that do the I/O, deliver messages; these goroutines may
// block. Messages of a connection are in order, but the connection is not bound to one of the
// goroutines. A function that blocks on a message holds up no other connection as long as another
// goroutine is free. With 0, the default, messages are delivered on the goroutine that reads them.
// Even with Business, the goroutine that does the I/O calls the handler itself.
func Business(k int) ServerOption {
	return func(s *settings) error { s.Business = k; return within("Business", 0, mostGoroutines, k) }
}

// BusinessOn is [Business] on workers of scheduler, one worker for each connection. The
// server does not dispose scheduler.
func BusinessOn(scheduler schedulers.Scheduler) ServerOption {
	return func(s *settings) error {
		if scheduler == nil {
			return illegal("BusinessOn", "the scheduler is nil")
		}
		s.business = foreign.Scheduler(scheduler)
		return nil
	}
}

// MaxConns sets how many connections may be open at a time. A connection beyond that is
// closed at once by a reset. 0, the default, is no limit.
func MaxConns(n int) ServerOption {
	return func(s *settings) error { s.MaxConns = n; return atLeast("MaxConns", 0, n) }
}

// MaxPerClient is [MaxConns] for connections from the same IP address; by default 60. 0
// is no limit. Peers on unix sockets can't be told apart and are not limited.
func MaxPerClient(n int) ServerOption {
	return func(s *settings) error { s.MaxPerClient = n; return atLeast("MaxPerClient", 0, n) }
}

// OutstandingLimit sets how many messages of all connections together the handlers may have
// and not have answered. Beyond that limit no connection is read; but each connection may
// always have one such message. It is for protocols that answer each message with one
// message. 0, the default, is no limit.
func OutstandingLimit(n int) ServerOption {
	return func(s *settings) error { s.outstanding = n; return atLeast("OutstandingLimit", 0, n) }
}

// ReusePort lets several servers listen on the same address: the kernel deals the connections
// to them. On systems that can't do that Bind fails.
func ReusePort() ServerOption {
	return func(s *settings) error { s.reusePort = true; return nil }
}

// ShutdownTimeout sets how long the server takes to shut down when the context of Bind ends;
// by default 5 seconds.
func ShutdownTimeout(d time.Duration) ServerOption {
	return func(s *settings) error { s.ShutdownTimeout = d; return atLeast("ShutdownTimeout", 0, d) }
}

// WithTLS secures the connections. A server needs a certificate in config, or a function there that
// finds one; without these Bind fails. A client needs the name of the server, by default the one in
// the address, or InsecureSkipVerify. Both use the Net engine.
func WithTLS(config *tls.Config) ConnOption {
	return func(s *settings) error {
		s.tls = config
		if config == nil {
			return illegal("WithTLS", "the config is nil")
		}
		return nil
	}
}

// WithLogger sets the logger for what happens to the server and its connections; by default
// slog.Default.
func WithLogger(log *slog.Logger) ConnOption {
	return func(s *settings) error {
		s.log = log
		if log == nil {
			return illegal("WithLogger", "the logger is nil")
		}
		return nil
	}
}

// MaxFrame sets how many bytes a message may have, without its frame; by default 1 MiB - 1. A
// longer message ends the connection with [ReasonTooLarge]. For a [Codec] that is not made of a
// [Framing], the frame counts as four bytes.
func MaxFrame(bytes int) ConnOption {
	return func(s *settings) error { s.MaxFrame = bytes; return atLeast("MaxFrame", 1, bytes) }
}

// ReadChunk sets how much is read at a time, from 512 bytes to 64 MiB; by default 64 KiB. A
// connection holds at most that much beyond the demand.
func ReadChunk(bytes int) ConnOption {
	return func(s *settings) error { s.ReadChunk = bytes; return within("ReadChunk", 512, mostChunk, bytes) }
}

// WaterMarks sets how many bytes may wait to be written. When high bytes wait, nothing more is
// requested of the outbound until fewer than low bytes wait; by default these are 64 KiB and 32
// KiB. A message that is then on its way is taken in addition. A handler that answers within the
// delivery of a message gets no further message meanwhile; of a handler that answers elsewhere up
// to 128 messages may have been requested.
func WaterMarks(low, high int) ConnOption {
	return func(s *settings) error {
		s.low, s.high = low, high
		if low < 1 || high < low {
			return illegal("WaterMarks", "1 ≤ low ≤ high required but they were %d and %d", low, high)
		}
		return nil
	}
}

// FirstFrameTimeout sets how long an accepted connection may take for its first message, the TLS
// handshake included; by default 10 seconds. If the time runs out within the handshake, the reason
// is [ReasonHandshakeFailed]. 0 is no limit: use it for protocols where the server speaks first.
func FirstFrameTimeout(d time.Duration) ServerOption {
	return func(s *settings) error { s.firstFrame = d; return atLeast("FirstFrameTimeout", 0, d) }
}

// IdleTimeout sets how long a connection may neither send nor receive. 0, the default, is no limit.
// Like the other time-outs it never comes too early. It may come late by up to three quarters of the
// shortest one that is set, most often by less than a quarter.
// Bytes that the kernel has taken count as sent when the peer acknowledges them, as far as that can
// be seen, see [WriteTimeout]; a peer that acknowledges none of them may take twice as long. The
// time begins when the connection opens. The bytes of a TLS handshake do not count: a connection
// whose handshake takes longer is idle.
func IdleTimeout(d time.Duration) ConnOption {
	return func(s *settings) error { s.IdleTimeout = d; return atLeast("IdleTimeout", 0, d) }
}

// ReadTimeout sets how long a message may take from its first byte to its last one, while
// there is demand for it. 0, the default, is no limit. A codec that takes a message in
// pieces calls [Input.Within] while it is within one.
func ReadTimeout(d time.Duration) ConnOption {
	return func(s *settings) error { s.read = d; return atLeast("ReadTimeout", 0, d) }
}

// WriteTimeout sets how long the peer may take none of the bytes that wait to be written. 0, the
// default, is no limit. On Linux the kernel says what the peer has acknowledged. On other systems,
// and for connections that a listener from elsewhere has wrapped, the package sees only that the
// kernel's buffer has room again, which takes a third of the buffer to be free. There the limit
// must be longer than a slow peer takes for that much, or the buffer must be small
// ([SocketBuffers]).
func WriteTimeout(d time.Duration) ConnOption {
	return func(s *settings) error { s.write = d; return atLeast("WriteTimeout", 0, d) }
}

// PausedTimeout sets how long a handler may request nothing, counted from its call. A peer that
// closes during a pause can't be told from one that waits; the epoll engine sees a peer that resets
// the connection, unless something is unread. Time in which [OutstandingLimit] holds messages back,
// or in which the server shuts down, is no pause. 0, the default, is no limit.
func PausedTimeout(d time.Duration) ConnOption {
	return func(s *settings) error { s.pausing = d; return atLeast("PausedTimeout", 0, d) }
}

// CancelCloses ends a connection whose handler cancels the inbound, when everything is
// written. By default what comes after the cancellation is ignored.
func CancelCloses() ConnOption {
	return func(s *settings) error { s.cancelCloses = true; return nil }
}

// NoDelay sets whether small segments are sent at once; by default they are.
func NoDelay(on bool) ConnOption {
	return func(s *settings) error { s.noDelay = on; return nil }
}

// KeepAlive sets after how long a silent peer is probed, and how often, in whole seconds; by
// default 15 seconds. 0 means never. More than 32,767 seconds, the most that Linux knows, count as
// that many.
func KeepAlive(d time.Duration) ConnOption {
	return func(s *settings) error { s.keepAlive = min(d, 32767*time.Second); return atLeast("KeepAlive", 0, d) }
}

// SocketBuffers sets the sizes of the kernel's buffers, which limit what is on its way beyond what
// this package holds. 0, the default, leaves them to the system. With a receive buffer of a few
// kilobytes, a connection may stand still while it waits for room to write: Linux drops segments of
// the peer that find no room, and with them the acknowledgements of what the peer has got.
func SocketBuffers(receive, send int) ConnOption {
	return func(s *settings) error {
		s.receive, s.send = min(receive, math.MaxInt32), min(send, math.MaxInt32) // the kernel's number has 32 bits
		if receive < 0 || send < 0 {
			return illegal("SocketBuffers", "sizes ≥ 0 required but they were %d and %d", receive, send)
		}
		return nil
	}
}

// newSettings starts with what the environment says.
func newSettings() *settings {
	return &settings{
		Config: Defaults(), network: "tcp", high: 64 << 10, low: 32 << 10,
		firstFrame: 10 * time.Second, noDelay: true, keepAlive: 15 * time.Second,
	}
}

// complete computes what follows from the options.
func (s *settings) complete() {
	for _, d := range []time.Duration{s.firstFrame, s.IdleTimeout, s.read, s.write, s.pausing} {
		if d > 0 && (s.shortest == 0 || d < s.shortest) {
			s.shortest = d
		}
	}
	if s.log == nil {
		s.log = slog.Default()
	}
}

// renegotiates reports whether a peer may have TLS shake hands again, which an interruption would end.
func (s *settings) renegotiates() bool {
	return s.tls != nil && s.tls.Renegotiation != tls.RenegotiateNever
}

func bindSettings(op string, opts []BindOption) (*settings, error) {
	s := newSettings()
	var errs []error
	for _, o := range opts {
		if o == nil {
			errs = append(errs, illegal(op, "an option is nil"))
			continue
		}
		errs = append(errs, o.bind(s))
	}
	if s.tls != nil && len(s.tls.Certificates) == 0 && s.tls.GetCertificate == nil && s.tls.GetConfigForClient == nil {
		errs = append(errs, illegal("WithTLS", "a server needs a certificate, in Certificates or by GetCertificate or GetConfigForClient"))
	}
	s.complete()
	return s, errors.Join(errs...)
}

func dialSettings(opts []DialOption) (*settings, error) {
	s := newSettings()
	s.firstFrame, s.Selectors, s.Workers, s.MaxConns, s.MaxPerClient = 0, 1, 0, 0, 0
	var errs []error
	for _, o := range opts {
		if o == nil {
			errs = append(errs, illegal("Dial", "an option is nil"))
			continue
		}
		errs = append(errs, o.dial(s))
	}
	s.complete()
	return s, errors.Join(errs...)
}
