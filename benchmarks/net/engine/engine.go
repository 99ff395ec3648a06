// Package engine serves the same handlers on several network engines: what differs between
// two runs is the engine.
package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/goreactor/reactor/examples/kv/resp"
	"github.com/goreactor/reactor/examples/kv/store"
	"github.com/goreactor/reactor/examples/web/http1"
)

// Limit is the longest message, for all engines.
const Limit = 1<<20 - 1

// Handler answers what one connection sends.
type Handler interface {
	// Serve takes the whole messages at the beginning of in, appends the answers to
	// out, and returns how much of in it has taken. last says that the connection
	// ends when out is written.
	Serve(in, out []byte) (n int, answers []byte, last bool)
}

// Protocols are what can be served, by name: how a connection's handler is made.
var Protocols = map[string]func() func() Handler{
	"resp": func() func() Handler {
		db := store.New(nil)
		return func() Handler { return &respHandler{db: db} }
	},
	"http":  func() func() Handler { return func() Handler { return &httpHandler{} } },
	"frame": func() func() Handler { return func() Handler { return frameHandler{} } },
}

// Engines are the servers, by name. Each serves until ctx ends, or the process is killed, and
// calls ready when it listens.
var Engines = map[string]func(ctx context.Context, addr, protocol string, ready func()) error{
	"epoll-0":  ours("epoll-0"),
	"epoll-N":  ours("epoll-N"),
	"net-ours": ours("net-ours"),
	"net":      serveNet,
	"gnet":     serveGnet,
	"netpoll":  serveNetpoll,
	"evio":     serveEvio,
	"net/http": serveHTTP,
}

// Names returns the names of m in order.
func Names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Serve runs an engine.
func Serve(ctx context.Context, engine, addr, protocol string, ready func()) error {
	serve, ok := Engines[engine]
	if !ok {
		return fmt.Errorf("engine %q is not one of %v", engine, Names(Engines))
	}
	if _, ok := Protocols[protocol]; !ok && protocol != "sink" {
		return fmt.Errorf("protocol %q is not one of %v, sink", protocol, Names(Protocols))
	}
	return serve(ctx, addr, protocol, ready)
}

type respHandler struct {
	db *store.Store
	d  resp.Decoder
}

func (h *respHandler) Serve(in, out []byte) (int, []byte, bool) {
	taken := 0
	for {
		n, _, err := h.d.Parse(in[taken:], Limit)
		if err != nil {
			return len(in), h.db.Do(resp.Command{Err: &resp.Malformed{Err: err}}).Append(out), true
		}
		if n == 0 {
			return taken, out, false
		}
		if args := h.d.Args(in[taken:]); len(args) > 0 {
			reply := h.db.Do(resp.Command{Args: args})
			if out = reply.Append(out); reply.IsLast() {
				return taken + n, out, true
			}
		}
		taken += n
	}
}

type httpHandler struct{ d http1.Decoder }

var hello = http1.Text(200, "hello\n")

func answer(q http1.Request) http1.Response {
	if q.Status != 0 {
		return http1.Text(q.Status, q.Reason).To(q)
	}
	return hello.To(q)
}

func (h *httpHandler) Serve(in, out []byte) (int, []byte, bool) {
	taken := 0
	for {
		n, _, q, ok := h.d.Parse(in[taken:], Limit)
		taken += n
		if ok {
			r := answer(q)
			if out = r.Append(out); r.IsLast() {
				return taken, out, true
			}
		} else if n == 0 {
			return taken, out, false
		}
	}
}

// frameHandler sends frames back. One that begins with 'B' blocks for 100 ms.
type frameHandler struct{}

const prefix = 4

func block(frame []byte) {
	if len(frame) > 0 && frame[0] == 'B' {
		time.Sleep(100 * time.Millisecond)
	}
}

func (frameHandler) Serve(in, out []byte) (int, []byte, bool) {
	taken := 0
	for {
		rest := in[taken:]
		if len(rest) < prefix {
			return taken, out, false
		}
		size := int(int32(binary.BigEndian.Uint32(rest)))
		if size < 0 || size > Limit {
			return len(in), out, true
		}
		if len(rest) < prefix+size {
			return taken, out, false
		}
		block(rest[prefix : prefix+size])
		out = append(out, rest[:prefix+size]...)
		taken += prefix + size
	}
}
