// Command web is a server for HTTP/1.1 on a codec of its own:
//
//	go run ./examples/web
//	curl http://127.0.0.1:8080/
//	wrk -c 64 -d 5 http://127.0.0.1:8080/hello
//	echo mntr | nc 127.0.0.1 8081
//
// It shows what codecs can do: keep-alive, pipelining, bodies in chunks, limits, leave to
// send a body, TLS. It is no replacement of package net/http, which knows much more of the
// protocol. Ctrl-C answers what was asked and ends it.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/goreactor/reactor/examples/internal/admin"
	"github.com/goreactor/reactor/examples/web/http1"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, nil); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. ready, if not nil, is told the addresses.
func run(ctx context.Context, args []string, out io.Writer, ready func(data, admin string)) error {
	flags := flag.NewFlagSet("web", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "where to listen")
	adminAddr := flags.String("admin", "127.0.0.1:8081", "where to answer four-letter words")
	clients := flags.Int("clients", 0, "how many connections there may be; 0 is no limit")
	selectors := flags.Int("selectors", netreactor.Defaults().Selectors, "goroutines that wait for clients")
	workers := flags.Int("workers", 0, "goroutines that read, answer and write; 0 leaves that to the selectors")
	cert := flags.String("cert", "", "file with the certificate, for TLS")
	key := flags.String("key", "", "file with its key")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	opts := []netreactor.BindOption{
		netreactor.Name("web"), netreactor.MaxConns(*clients), netreactor.MaxPerClient(0),
		netreactor.Selectors(*selectors), netreactor.Workers(*workers),
		netreactor.ReadTimeout(10 * time.Second), netreactor.IdleTimeout(time.Minute), netreactor.WriteTimeout(10 * time.Second),
	}
	if *cert != "" || *key != "" {
		pair, err := tls.LoadX509KeyPair(*cert, *key)
		if err != nil {
			return err
		}
		opts = append(opts, netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}))
	}

	pages := &site{}
	server, err := netreactor.Bind(ctx, *addr, http1.Codec(),
		func(c *netreactor.Conn[http1.Request, http1.Response]) flux.Flux[http1.Response] {
			return c.Inbound().Map(pages.answer).TakeUntil(http1.Response.IsLast)
		}, opts...)
	if err != nil {
		return err
	}
	pages.server.Store(server)
	// The words are answered until the last client has gone.
	words, err := admin.Bind(context.WithoutCancel(ctx), *adminAddr, "web", func() *netreactor.Server { return server })
	if err != nil {
		return errors.Join(err, server.Close())
	}
	fmt.Fprintf(out, "serving on %v (%v), four-letter words on %v\n", server.Addr(), server.Engine(), words.Addr())
	if ready != nil {
		ready(server.Addr().String(), words.Addr().String())
	}

	<-server.Stopped()
	s := server.Stats()
	fmt.Fprintf(out, "served %d requests of %d clients\n", s.FramesIn, s.Acceptor.Accepted)
	return words.Close()
}
