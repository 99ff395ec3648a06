package engine

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/cloudwego/netpoll"
	"github.com/panjf2000/gnet/v2"
	"github.com/tidwall/evio"
)

const chunk = 64 << 10

// serveNet is a goroutine for each connection, with one write for all that was read at once.
func serveNet(ctx context.Context, addr, protocol string, ready func()) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	ready()
	made := handlers(protocol)
	for {
		c, err := listener.Accept()
		if err != nil {
			return nil
		}
		go func() {
			defer c.Close()
			if protocol == "sink" {
				<-ctx.Done()
				return
			}
			serveConn(c, made())
		}()
	}
}

func serveConn(c net.Conn, h Handler) {
	in, out := make([]byte, 0, 4<<10), []byte(nil)
	for {
		if len(in) == cap(in) {
			in = append(make([]byte, 0, min(2*cap(in), Limit+chunk)), in...)
		}
		n, err := c.Read(in[len(in):cap(in)])
		if err != nil {
			return
		}
		in = in[:len(in)+n]
		full := len(in) == cap(in)
		taken, answers, last := h.Serve(in, out[:0])
		out = answers
		if in = in[:copy(in, in[taken:])]; full && cap(in) < chunk {
			in = append(make([]byte, 0, 2*cap(in)), in...)
		}
		if len(out) > 0 {
			if _, err := c.Write(out); err != nil {
				return
			}
		}
		if last {
			return
		}
	}
}

func handlers(protocol string) func() Handler {
	if make, ok := Protocols[protocol]; ok {
		return make()
	}
	return func() Handler { return nil }
}

// serveHTTP is package net/http.
func serveHTTP(ctx context.Context, addr, _ string, ready func()) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "hello\n")
	})}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	ready()
	_ = server.Serve(listener)
	return nil
}

type gnetServer struct {
	gnet.BuiltinEventEngine
	made  func() Handler
	sink  bool
	ready func()
}

type gnetConn struct {
	h   Handler
	out []byte
}

func (s *gnetServer) OnBoot(gnet.Engine) gnet.Action { s.ready(); return gnet.None }

func (s *gnetServer) OnOpen(c gnet.Conn) ([]byte, gnet.Action) {
	c.SetContext(&gnetConn{h: s.made()})
	return nil, gnet.None
}

func (s *gnetServer) OnTraffic(c gnet.Conn) gnet.Action {
	if s.sink {
		return gnet.None // taken by nobody
	}
	state := c.Context().(*gnetConn)
	in, err := c.Peek(-1)
	if err != nil {
		return gnet.Close
	}
	n, out, last := state.h.Serve(in, state.out[:0])
	state.out = out
	if len(out) > 0 {
		if _, err := c.Write(out); err != nil {
			return gnet.Close
		}
	}
	if _, err := c.Discard(n); err != nil || last {
		return gnet.Close
	}
	return gnet.None
}

func serveGnet(ctx context.Context, addr, protocol string, ready func()) error {
	s := &gnetServer{made: handlers(protocol), sink: protocol == "sink", ready: ready}
	return gnet.Run(s, "tcp://"+addr, gnet.WithMulticore(true))
}

func serveNetpoll(ctx context.Context, addr, protocol string, ready func()) error {
	listener, err := netpoll.CreateListener("tcp", addr)
	if err != nil {
		return err
	}
	made := handlers(protocol)
	type key struct{}
	loop, err := netpoll.NewEventLoop(func(ctx context.Context, c netpoll.Connection) error {
		if protocol == "sink" {
			time.Sleep(time.Hour)
			return nil
		}
		h := ctx.Value(key{}).(Handler)
		r, w := c.Reader(), c.Writer()
		in, err := r.Peek(r.Len())
		if err != nil {
			return err
		}
		n, out, last := h.Serve(in, nil)
		if err := r.Skip(n); err != nil {
			return err
		}
		_ = r.Release()
		if len(out) > 0 {
			if _, err := w.WriteBinary(out); err != nil {
				return err
			}
			if err := w.Flush(); err != nil {
				return err
			}
		}
		if last {
			return c.Close()
		}
		if n == 0 { // no whole message: it is called again at once otherwise
			_, err := r.Peek(r.Len() + 1)
			return err
		}
		return nil
	}, netpoll.WithOnConnect(func(ctx context.Context, _ netpoll.Connection) context.Context {
		return context.WithValue(ctx, key{}, made())
	}))
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = loop.Shutdown(context.Background()) })()
	ready()
	return loop.Serve(listener)
}

func serveEvio(_ context.Context, addr, protocol string, ready func()) error {
	made := handlers(protocol)
	type state struct {
		h    Handler
		rest evio.InputStream
	}
	var events evio.Events
	events.NumLoops = -1
	events.Serving = func(evio.Server) evio.Action { ready(); return evio.None }
	events.Opened = func(c evio.Conn) ([]byte, evio.Options, evio.Action) {
		c.SetContext(&state{h: made()})
		return nil, evio.Options{}, evio.None
	}
	events.Data = func(c evio.Conn, data []byte) ([]byte, evio.Action) {
		s := c.Context().(*state)
		if protocol == "sink" || data == nil {
			return nil, evio.None
		}
		in := s.rest.Begin(data)
		n, out, last := s.h.Serve(in, nil)
		s.rest.End(in[n:])
		if last {
			return out, evio.Close
		}
		return out, evio.None
	}
	return evio.Serve(events, "tcp://"+addr)
}
