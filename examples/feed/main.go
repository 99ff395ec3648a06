// Command feed serves a stream of measurements as server-sent events, to any number of
// browsers and programs, with a page that shows it live.
//
//	go run ./examples/feed [-addr 127.0.0.1:8080] [-every 200ms] [-slow buffer]
//
// There is one source, which runs whether somebody looks or not. Who connects gets its last ten
// events, and who connects again those that it has missed, as far as they are among the last
// ten. What becomes of events for a client that reads too slowly is chosen by -slow, or by the
// query of its address, /events?slow=…:
//
//	buffer      32 wait, then the oldest go
//	latest      the newest waits
//	drop        none waits
//	disconnect  32 wait, then the client goes; it may connect again
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "feed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("feed", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "where to listen")
	every := flags.Duration("every", 200*time.Millisecond, "how often there is an event")
	slow := flags.String("slow", "buffer", "what becomes of events for slow clients: buffer, latest, drop, disconnect")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	if *every <= 0 {
		return fmt.Errorf("-every must be positive, got %v", *every)
	}
	f, err := newFeed(measurements(*every), *slow)
	if err != nil {
		return err
	}
	running := f.start(ctx)
	defer running.Dispose()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "http://%s/\n", l.Addr())
	server := &http.Server{
		Handler: f.handler(), ReadHeaderTimeout: 5 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }, // which ends the streams
	}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
