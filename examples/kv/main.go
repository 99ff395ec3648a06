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
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/goreactor/reactor/examples/internal/admin"
	"github.com/goreactor/reactor/examples/kv/resp"
	"github.com/goreactor/reactor/examples/kv/store"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, nil); err != nil {
		fmt.Fprintln(os.Stderr, "kv:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. ready, if not nil, is told the addresses.
func run(ctx context.Context, args []string, out io.Writer, ready func(data, admin string)) error {
	flags := flag.NewFlagSet("kv", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:6380", "where to listen")
	adminAddr := flags.String("admin", "127.0.0.1:6381", "where to answer four-letter words")
	clients := flags.Int("clients", 0, "how many clients there may be; 0 is no limit")
	selectors := flags.Int("selectors", netreactor.Defaults().Selectors, "goroutines that wait for clients")
	workers := flags.Int("workers", 0, "goroutines that read, answer and write; 0 leaves that to the selectors")
	engine := flags.String("engine", "auto", "what moves the bytes: auto, epoll or net")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	engines := map[string]netreactor.Engine{"auto": netreactor.Auto, "epoll": netreactor.Epoll, "net": netreactor.Net}
	chosen, ok := engines[*engine]
	if !ok {
		return fmt.Errorf("-engine is auto, epoll or net, not %q", *engine)
	}

	db := store.New(nil)
	server, err := netreactor.Bind(ctx, *addr, resp.Codec(),
		func(c *netreactor.Conn[resp.Command, resp.Reply]) flux.Flux[resp.Reply] {
			return c.Inbound().Map(db.Do).TakeUntil(resp.Reply.IsLast)
		},
		netreactor.Name("kv"), netreactor.UseEngine(chosen), netreactor.MaxConns(*clients), netreactor.MaxPerClient(0),
		netreactor.Selectors(*selectors), netreactor.Workers(*workers), netreactor.FirstFrameTimeout(0))
	if err != nil {
		return err
	}
	// The words are answered until the last client has gone.
	words, err := admin.Bind(context.WithoutCancel(ctx), *adminAddr, "kv", func() *netreactor.Server { return server })
	if err != nil {
		return errors.Join(err, server.Close())
	}
	sweeps := flux.Interval(time.Second).SubscribeFunc(context.WithoutCancel(ctx), func(int64) { db.Sweep() })
	defer sweeps.Dispose()
	fmt.Fprintf(out, "serving on %v (%v), four-letter words on %v\n", server.Addr(), server.Engine(), words.Addr())
	if ready != nil {
		ready(server.Addr().String(), words.Addr().String())
	}

	<-server.Stopped()
	s := server.Stats()
	fmt.Fprintf(out, "served %d commands of %d clients\n", s.FramesIn, s.Acceptor.Accepted)
	return words.Close()
}
