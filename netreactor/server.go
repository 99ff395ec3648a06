package netreactor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/schedulers"
)

// Server accepts connections until it is shut down.
type Server struct {
	eng      *engine
	set      *settings
	acceptor *acceptor
	addr     net.Addr
	unwatch  func() bool   // written before bound is closed, read after
	bound    chan struct{} // closed when unwatch is set: a shutdown, by the end of ctx or a failure, may begin before

	failure atomic.Pointer[error] // why the server stops by itself, nil if it does not

	once    sync.Once     // of the shutdown
	stopped chan struct{} // closed when everything has ended
	cut     chan struct{} // closed by hurry: the shutdown waits for no connection any more
	cutOnce sync.Once
}

// Bind listens on addr and calls handler for each connection that is accepted.
//
// The messages of the publisher that handler returns are sent. The connection ends when that
// publisher has completed and everything is written, or when it has failed. handler must not block:
// the goroutine that does the I/O calls it, and requests from its publisher. The stages that get
// its messages must not block either, unless there is a [Business] option. A handler that has to
// wait for something first, such as a connection to another server, returns a publisher that waits
// on a scheduler. A handler may subscribe to [Conn.Inbound], once, or make it part of the publisher
// that it returns:
//
//	netreactor.Bind(ctx, ":7000", netreactor.Strings(netreactor.Lines()),
//		func(c *netreactor.Conn[string, string]) flux.Flux[string] {
//			return c.Inbound().Map(answer)
//		})
//
// The address is one of package net, "host:port", with port 0 for any port, or the path of a unix
// socket (see [Network]). The end of ctx shuts the server down within [ShutdownTimeout]; handlers
// see its values.
func Bind[In, Out any, P reactor.Publisher[Out]](
	ctx context.Context, addr string, codec Codec[In, Out], handler func(*Conn[In, Out]) P, opts ...BindOption,
) (*Server, error) {
	set, err := bindSettings("Bind", opts)
	if err != nil {
		return nil, err
	}
	return bind("Bind", ctx, set, addr, nil, factory("Bind", set, codec, handler))
}

// BindListener is [Bind] for a listener that was made elsewhere. It uses the Net engine. The server
// closes the listener; if BindListener fails, the listener is left as it is.
//
// The connections of the listener should have deadlines, as net.Conn says: if a deadline can't be
// set, the wait for bytes can't be interrupted, and the connection learns of its end only when the
// next bytes come. The acceptor asks each connection for its RemoteAddr at once, for
// [MaxPerClient]: a connection that waits for bytes to know its address, as some do behind a proxy,
// keeps the connections behind it waiting, until a shutdown closes it.
func BindListener[In, Out any, P reactor.Publisher[Out]](
	ctx context.Context, listener net.Listener, codec Codec[In, Out], handler func(*Conn[In, Out]) P, opts ...BindOption,
) (*Server, error) {
	const op = "BindListener"
	set, err := bindSettings(op, opts)
	if err != nil {
		return nil, err
	}
	if listener == nil {
		return nil, illegal(op, "the listener is nil")
	}
	return bind(op, ctx, set, listener.Addr().String(), listener, factory(op, set, codec, handler))
}

// handlerOf is what a server calls for each of its connections.
type handlerOf[In, Out any] func(*Conn[In, Out]) reactor.Publisher[Out]

// factory notes the handler and returns what makes connections of its type.
func factory[In, Out any, P reactor.Publisher[Out]](
	op string, set *settings, codec Codec[In, Out], handler func(*Conn[In, Out]) P,
) func() *connection {
	if codec == nil {
		panic("netreactor: " + op + ": the codec is nil")
	}
	if handler == nil {
		panic("netreactor: " + op + ": the handler is nil")
	}
	set.handler = handlerOf[In, Out](func(c *Conn[In, Out]) reactor.Publisher[Out] { return handler(c) })
	return func() *connection { return &newConn(codec).core }
}

// newConn returns a connection without a socket. Its codec is the one of all connections, until ownCodec is called.
func newConn[In, Out any](codec Codec[In, Out]) *Conn[In, Out] {
	c := &Conn[In, Out]{codec: codec}
	c.core.ses = c
	return c
}

// ownCodec asks the codec for one of the connection's own, if it is a PerConnection. That is code of the user's.
func (c *Conn[In, Out]) ownCodec() {
	if p, ok := c.codec.(PerConnection[In, Out]); ok {
		c.codec = p.ForConnection()
	}
}

func bind(op string, ctx context.Context, set *settings, addr string, listener net.Listener, make func() *connection) (*Server, error) {
	if ctx == nil {
		return nil, illegal(op, "the context is nil")
	}
	if set.name == "" {
		set.name = addr
	}
	s := &Server{set: set, bound: newSignal(), stopped: newSignal(), cut: newSignal()}
	s.eng = newEngine(context.WithoutCancel(ctx), set)
	if err := set.startBusiness(&s.eng.within); err != nil {
		return nil, err
	}
	s.eng.broken = func(err error) {
		s.failure.CompareAndSwap(nil, &err)
		go s.Close()
	}
	var err error
	if s.acceptor, err = newAcceptor(s.eng, addr, listener, make); err != nil {
		set.stopBusiness()
		if errors.Is(err, reactor.ErrIllegalArgument) {
			return nil, err
		}
		return nil, fmt.Errorf("netreactor: %w", err)
	}
	s.addr = s.acceptor.addr()
	s.acceptor.start()
	s.unwatch = live.AfterContext(ctx, live.Func(func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), set.ShutdownTimeout)
		defer cancel()
		s.Shutdown(end)
	}))
	close(s.bound)
	s.eng.say(slog.LevelInfo, "netreactor: listening", "addr", s.addr.String(), "engine", s.eng.driver.name().String())
	return s, nil
}

func newSignal() chan struct{} { return make(chan struct{}) }

// startBusiness makes the workers of Business, whose goroutines join within.
func (s *settings) startBusiness(within *goroutines) error {
	s.stopBusiness = func() {}
	if s.Business == 0 || s.business != nil {
		return nil
	}
	pool, err := executors.NewThreadPool(s.Business, s.Business, time.Minute, executors.Unbounded(), executors.WithName("business "+s.name),
		executors.WithSpawn(func(_ string, run func()) error {
			go func() {
				defer within.join()()
				run()
			}()
			return nil
		}))
	if err != nil {
		return fmt.Errorf("netreactor: Business: %w", err)
	}
	s.business = schedulers.FromExecutor(pool, schedulers.Trampoline(), schedulers.Named("business "+s.name))
	s.stopBusiness = func() {
		pool.Shutdown() // tasks that wait are run, for by such a task a subscriber hears of the end
		pool.AwaitTermination(context.Background())
	}
	return nil
}

// Addr returns the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.addr }

// String returns for example "server at 127.0.0.1:7000".
func (s *Server) String() string { return "server at " + s.addr.String() }

// Engine returns the engine that moves the bytes, Epoll or Net.
func (s *Server) Engine() Engine { return s.eng.driver.name() }

// Stopped returns a channel that is closed when the server has stopped and all of its
// goroutines have ended, those of [Business] included.
func (s *Server) Stopped() <-chan struct{} { return s.stopped }

// Stats returns the figures of the server.
func (s *Server) Stats() Stats {
	st := Stats{Engine: s.Engine(), Acceptor: s.acceptor.stats(), Closed: map[Reason]uint64{}}
	for _, l := range s.eng.loops {
		sel := l.stats()
		st.Totals.plus(sel.Totals)
		st.Selectors = append(st.Selectors, sel)
		l.mu.Lock()
		for r, n := range l.past.reasons {
			if n > 0 {
				st.Closed[Reason(r)] += n
			}
		}
		l.mu.Unlock()
	}
	s.eng.driver.stats(&st)
	return st
}

// Connections returns the figures of each open connection, in no order.
func (s *Server) Connections() []ConnStats {
	var list []ConnStats
	s.eng.each(func(c *connection) {
		if st := c.stats(); st.Connections > 0 { // it does not linger
			list = append(list, st)
		}
	})
	return list
}

// Shutdown stops accepting and reading. Messages that were read are delivered as far as there is
// demand, then inbounds complete; connections end with [ReasonShutdown] when their handlers are
// done and everything is written, and at once if they have nothing left to do. Shutdown waits for
// that until ctx ends: then the connections that are left are cut, with a reset and [ReasonCut],
// and Shutdown waits only for goroutines. The report says what was cut; if anything was cut and ctx
// has ended, the error is the cause of that. What [Server.Close] has cut, or another call of
// Shutdown, is in the report alone. A nil ctx is refused, and then nothing is shut down.
//
// A handler is done when the publisher that it returned ends: a publisher made of the inbound ends
// after the last answer. Shutdown waits for a publisher that goes on after the inbound has
// completed, because what it sends comes from elsewhere: let it end with the inbound, see the
// example of [Conn.Inbound]. A handler that has returned Never answers by [Conn.Send]: it is done
// when as many messages were sent as delivered. A connection also has something left to do if a
// message was read and not delivered, or if its handler has not subscribed to the inbound.
//
// A server that can't wait for its connections any more cuts them and stops by itself: then the
// error says why, whenever Shutdown is called.
//
// A handler that blocks can't be stopped: Shutdown returns when that handler returns. So a handler
// can't wait for Shutdown: called by a handler on a goroutine of the server, those of [Business]
// included, Shutdown begins the end, for as long as ctx lasts, and returns
// [reactor.ErrIllegalState] at once.
func (s *Server) Shutdown(ctx context.Context) (ShutdownReport, error) {
	if ctx == nil {
		return ShutdownReport{}, illegal("Shutdown", "the context is nil")
	}
	if ctx.Err() != nil {
		s.hurry() // before it begins: no connection is drained by chance
	}
	s.once.Do(func() { go s.stop() })
	if s.isWithin() {
		go s.await(ctx)
		return ShutdownReport{}, errWithin
	}
	s.await(ctx)
	err := context.Cause(ctx) // also if ctx has ended only after the server had stopped
	r := &s.eng.report
	r.mu.Lock()
	defer r.mu.Unlock()
	if failure := s.failure.Load(); failure != nil {
		err = *failure
	} else if r.Cut == 0 {
		err = nil
	}
	return r.ShutdownReport, err
}

// errWithin is the error of a shutdown by a handler.
var errWithin = reactor.Failure("netreactor.Shutdown", reactor.ErrIllegalState,
	"called by a handler, for which it would have to wait: the server goes on to shut down")

// isWithin reports whether the caller is a handler that a shutdown waits for.
func (s *Server) isWithin() bool {
	me, within := token(), s.eng.within.has(goid.Current())
	s.eng.each(func(c *connection) { within = within || c.maker() == me })
	return within
}

// await waits until the server has stopped, with patience until ctx ends.
func (s *Server) await(ctx context.Context) {
	select {
	case <-s.stopped:
	case <-ctx.Done():
		s.hurry()
		<-s.stopped
	}
}

// Close stops the server at once. It is Shutdown that does not wait: connections with nothing left
// to do end as with Shutdown, the others are cut. A handler has no time to say that it is done: a
// handler that has sent as many messages as were delivered counts as done. Close does not wait for
// a peer either: of what was written the peer gets what the system delivers. That is everything,
// unless the peer sends meanwhile, because then the system resets the connection. Called by a
// handler, Close does not wait for the end.
func (s *Server) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.Shutdown(ctx)
	if err == context.Canceled || err == errWithin {
		err = nil
	}
	return err
}

// hurry has the connections cut that are not drained yet: from now on the shutdown, also one that is still to begin, has no patience.
func (s *Server) hurry() {
	s.cutOnce.Do(func() {
		cut := &CloseError{Reason: ReasonCut}
		if failure := s.failure.Load(); failure != nil {
			cut.Err = *failure
		}
		s.eng.cutting.Store(cut)
		close(s.cut)
	})
}

// stop is the shutdown, on a goroutine of its own.
func (s *Server) stop() {
	<-s.bound
	s.unwatch()
	s.acceptor.stop()
	s.eng.waited = s.eng.cutting.Load() == nil
	s.eng.draining.Store(true)
	s.eng.each((*connection).look)
	drained := newSignal()
	go func() {
		s.eng.live.Wait()
		close(drained)
	}()
	select {
	case <-drained:
	case <-s.cut:
		s.eng.each((*connection).look)
		<-drained
	}
	s.eng.driver.stop()
	s.set.stopBusiness()
	s.eng.say(slog.LevelInfo, "netreactor: stopped", "drained", s.eng.report.Drained, "cut", s.eng.report.Cut)
	close(s.stopped)
}
