// Command serve runs one engine with one protocol, for cmd/bench-net and for those who look
// closer:
//
//	go run ./cmd/serve -engine gnet -protocol resp -addr 127.0.0.1:6390
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	_ "net/http/pprof"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/goreactor/reactor/benchmarks/net/engine"
)

func main() {
	name := flag.String("engine", "epoll-0", "one of "+strings.Join(engine.Names(engine.Engines), ", "))
	protocol := flag.String("protocol", "resp", "one of "+strings.Join(engine.Names(engine.Protocols), ", ")+", sink")
	addr := flag.String("addr", "127.0.0.1:6390", "where to listen")
	profile := flag.String("pprof", "", "where to serve profiles, if anywhere")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *profile != "" {
		go func() { fmt.Fprintln(os.Stderr, http.ListenAndServe(*profile, nil)) }()
	}
	if err := engine.Serve(ctx, *name, *addr, *protocol, func() { fmt.Println("ready") }); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}
