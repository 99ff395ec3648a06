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
	"io"
	"time"

	"github.com/goreactor/reactor/examples/internal/service"
	"github.com/goreactor/reactor/examples/web/http1"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

func main() { service.Main("web", run) }

// run serves until ctx ends. ready, if not nil, is told the addresses.
func run(ctx context.Context, args []string, out io.Writer, ready func(data, admin string)) error {
	s := service.New("web", "127.0.0.1:8080", "127.0.0.1:8081")
	cert := s.Flags.String("cert", "", "file with the certificate, for TLS")
	key := s.Flags.String("key", "", "file with its key")
	if ok, err := s.Parse(args); !ok {
		return err
	}
	opts := s.Options(netreactor.ReadTimeout(10*time.Second), netreactor.IdleTimeout(time.Minute), netreactor.WriteTimeout(10*time.Second))
	if (*cert == "") != (*key == "") {
		return errors.New("-cert and -key go together")
	}
	if *cert != "" {
		pair, err := tls.LoadX509KeyPair(*cert, *key)
		if err != nil {
			return err
		}
		opts = append(opts, netreactor.WithTLS(&tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}))
	}

	pages := &site{}
	server, err := netreactor.Bind(ctx, s.Addr(), http1.Codec(),
		func(c *netreactor.Conn[http1.Request, http1.Response]) flux.Flux[http1.Response] {
			return c.Inbound().Map(pages.answer).TakeUntil(http1.Response.IsLast)
		}, opts...)
	if err != nil {
		return err
	}
	pages.server.Store(server)
	return s.Serve(ctx, server, "requests", out, ready)
}
