// Command rpc answers calls, some of which block, and shows what becomes of the others
// meanwhile:
//
//	go run ./examples/rpc                     # a server in three forms, callers, and a report
//	go run ./examples/rpc -serve -for 1h      # the server alone
//
// Each connection has several calls under way, and answers find their call by its id. One
// connection sends calls that block for a while; the report is about those of the others.
// The server runs its handlers, in turn,
//
//   - on the goroutines that do the I/O: while one blocks there is one less of them;
//   - on business workers of its own: a connection is bound to none of them;
//   - on workers of a bounded elastic scheduler: a connection stays with the one it was given,
//     and waits behind whoever blocks there.
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

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
	"github.com/goreactor/reactor/schedulers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "rpc:", err)
		os.Exit(1)
	}
}

// settings are what the arguments say.
type settings struct {
	addr               string
	callers, calls, of int // connections, calls under way on each, handlers at a time
	block              time.Duration
	duration           time.Duration
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("rpc", flag.ContinueOnError)
	flags.StringVar(&s.addr, "addr", "127.0.0.1:7001", "where to listen")
	flags.IntVar(&s.callers, "callers", 16, "connections")
	flags.IntVar(&s.calls, "calls", 8, "calls under way on each connection")
	flags.IntVar(&s.of, "handlers", 4, "handlers that run at a time")
	flags.DurationVar(&s.block, "block", 100*time.Millisecond, "how long the calls of the first connection block; 0 for not at all")
	flags.DurationVar(&s.duration, "for", 3*time.Second, "how long each form of the server is called")
	serve := flags.Bool("serve", false, "serve, with business workers, and call nobody")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	if s.callers < 2 || s.calls < 1 || s.of < 1 || s.block < 0 || s.duration <= 0 {
		return fmt.Errorf("-callers %d, -calls %d, -handlers %d, -block %v, -for %v: two callers at least, and the others positive", s.callers, s.calls, s.of, s.block, s.duration)
	}
	if *serve {
		ctx, cancel := context.WithTimeout(ctx, s.duration)
		defer cancel()
		bound, err := bind(ctx, s.addr, netreactor.Business(s.of))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "serving on %v for %v\n", bound.Addr(), s.duration)
		<-bound.Stopped()
		return nil
	}
	return compare(ctx, s, out)
}

// compare calls the server in each of its forms.
func compare(ctx context.Context, s settings, out io.Writer) error {
	elastic, err := schedulers.NewBoundedElastic(s.of, 100_000, "rpc")
	if err != nil {
		return err
	}
	defer elastic.Dispose()
	fmt.Fprintf(out, "%d connections with %d calls each; those of the first block for %v; %d handlers at a time\n\n", s.callers, s.calls, s.block, s.of)
	fmt.Fprintf(out, "%-26s %12s %10s %10s %10s   %s\n", "handlers run on", "calls/s", "p50", "p99", "worst", "connections that stood still")
	for _, form := range []struct {
		name string
		opt  netreactor.BindOption
	}{
		{"I/O workers", netreactor.Workers(s.of)},
		{"business workers", netreactor.Business(s.of)},
		{"bounded elastic scheduler", netreactor.BusinessOn(elastic)},
	} {
		// Its end would be an error for the calls under way: it ends when these have been given up.
		server, err := bind(context.WithoutCancel(ctx), s.addr, form.opt)
		if err != nil {
			return err
		}
		f, err := load(ctx, server.Addr().String(), s)
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return server.Close() // it was interrupted before there was something to report
		}
		if err = errors.Join(err, server.Close()); err != nil {
			return err
		}
		fmt.Fprintf(out, "%-26s %12.0f %10v %10v %10v   %d of %d\n", form.name, f.rate, round(f.p50), round(f.p99), round(f.worst), f.still, s.callers-1)
		if ctx.Err() != nil {
			return nil
		}
	}
	return nil
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// bind starts the server.
func bind(ctx context.Context, addr string, opt netreactor.BindOption) (*netreactor.Server, error) {
	return netreactor.Bind(ctx, addr, server,
		func(c *netreactor.Conn[call, answer]) flux.Flux[answer] { return c.Inbound().Map(handle) },
		netreactor.Name("rpc"), netreactor.MaxPerClient(0), opt)
}

// handle is the business of the server. It may block.
func handle(c call) answer {
	if c.work < 0 {
		return answer{id: c.id, err: fmt.Sprintf("can't work for %v", c.work)}
	}
	if c.work > 0 {
		time.Sleep(c.work)
	}
	return answer{id: c.id, text: c.text}
}
