// Command chat is a room where everybody hears what one says:
//
//	go run ./examples/chat -serve        # and in other windows: nc 127.0.0.1 7000
//	go run ./examples/chat               # a server, many clients, and a report while they talk
//
// The first line that a client sends, if it is not empty, is its name. Whoever reads too slowly misses lines and is
// told how many; it holds up nobody and costs no more memory than its buffers have. Some of
// the clients of the second form never read, which the report shows.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/goreactor/reactor/netreactor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "chat:", err)
		os.Exit(1)
	}
}

// small buffers of the kernel let it show soon who does not read.
const small = 64 << 10

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("chat", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:7000", "where to listen")
	serve := flags.Bool("serve", false, "serve until Ctrl-C, without clients")
	duration := flags.Duration("for", 10*time.Second, "how long the clients talk")
	clients := flags.Int("clients", 200, "how many clients listen")
	slow := flags.Int("slow", 5, "how many more connect and never read")
	rate := flags.Int("rate", 500, "lines that are said each second, by all together, if the machine is fast enough")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	if *duration <= 0 || *clients < 1 || *slow < 0 || *rate < 1 {
		return fmt.Errorf("-for %v, -clients %d, -slow %d, -rate %d: all but -slow must be positive", *duration, *clients, *slow, *rate)
	}

	r := newRoom()
	open := ctx
	if !*serve {
		open = context.WithoutCancel(ctx) // until all have heard what was said when it ends
	}
	server, err := netreactor.Bind(open, *addr, lines, r.join,
		netreactor.Name("chat"), netreactor.MaxPerClient(0), netreactor.FirstFrameTimeout(0),
		netreactor.SocketBuffers(small, small))
	if err != nil {
		return err
	}
	if *serve {
		fmt.Fprintf(out, "serving on %v\n", server.Addr())
		<-server.Stopped()
		return nil
	}
	c, err := invite(ctx, server.Addr().String(), *clients, *slow)
	if err == nil {
		err = await(ctx, func() bool { return r.people.Load() == int64(*clients+*slow) })
	}
	if err != nil && ctx.Err() != nil {
		err = nil // it was interrupted before anything was said
	} else if err == nil {
		fmt.Fprintf(out, "%d clients listen and %d do not; at most %d lines are said each second, for %v\n\n", *clients, *slow, *rate, *duration)
		said := c.talk(ctx, *duration, *rate, report(out, r, server))
		err = c.check(context.WithoutCancel(ctx), out, said)
	}
	c.leave()
	return errors.Join(err, server.Close())
}

// report returns what prints a line of figures.
func report(out io.Writer, r *room, server *netreactor.Server) func() {
	fmt.Fprintf(out, "%6s %8s %12s %14s %10s %10s %8s\n", "second", "people", "lines said", "lines heard", "missed", "unsent KB", "heap MB")
	began := time.Now()
	return func() {
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		s := server.Stats()
		fmt.Fprintf(out, "%6.0f %8d %12d %14d %10d %10d %8.1f\n", time.Since(began).Seconds(), r.people.Load(),
			r.lines.Load(), s.FramesOut, r.missed.Load(), s.Unsent>>10, float64(mem.HeapAlloc)/(1<<20))
	}
}
