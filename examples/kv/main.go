// Command kv is a server for strings that speaks the protocol of Redis, for any client of
// that:
//
//	go run ./examples/kv
//	redis-cli -p 6380 set greeting hello
//	redis-benchmark -p 6380 -t ping,set,get,incr -P 16
//	echo stat | nc 127.0.0.1 6381
//
// It is all in memory, and on one stream for each connection: commands come as they are
// asked for, so that a client which does not read its replies is not read either. Ctrl-C
// answers what was asked and ends it.
package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/goreactor/reactor/examples/internal/service"
	"github.com/goreactor/reactor/examples/kv/resp"
	"github.com/goreactor/reactor/examples/kv/store"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

func main() { service.Main("kv", run) }

// run serves until ctx ends. ready, if not nil, is told the addresses.
func run(ctx context.Context, args []string, out io.Writer, ready func(data, admin string)) error {
	s := service.New("kv", "127.0.0.1:6380", "127.0.0.1:6381")
	engine := s.Flags.String("engine", "auto", "what moves the bytes: auto, epoll or net")
	if ok, err := s.Parse(args); !ok {
		return err
	}
	engines := map[string]netreactor.Engine{"auto": netreactor.Auto, "epoll": netreactor.Epoll, "net": netreactor.Net}
	chosen, ok := engines[*engine]
	if !ok {
		return fmt.Errorf("-engine is auto, epoll or net, not %q", *engine)
	}

	db := store.New(nil)
	do := db.Do // one function for all connections
	server, err := netreactor.Bind(ctx, s.Addr(), resp.Codec(),
		func(c *netreactor.Conn[resp.Command, resp.Reply]) flux.Flux[resp.Reply] {
			return c.Inbound().Map(do).TakeUntil(resp.Reply.IsLast)
		},
		s.Options(netreactor.UseEngine(chosen), netreactor.FirstFrameTimeout(0))...)
	if err != nil {
		return err
	}
	sweeps := flux.Interval(time.Second).SubscribeFunc(context.WithoutCancel(ctx), func(int64) { db.Sweep() })
	defer sweeps.Dispose()
	return s.Serve(ctx, server, "commands", out, ready)
}
