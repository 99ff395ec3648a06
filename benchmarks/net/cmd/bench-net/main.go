// Command bench-net runs the same handlers on several network engines, with clients that
// others have written, and compares. Server and client have a processor each; rounds are
// interleaved; figures are medians, and the processor time of the server is what the kernel
// says.
//
//	go run ./cmd/bench-net [-rounds 5] [-only resp,http,frame,block,flood,idle] [-engines …] [-o RESULTS.md]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/goreactor/reactor/benchmarks/net/engine"
)

func main() {
	rounds := flag.Int("rounds", 5, "how often everything is measured")
	only := flag.String("only", "resp,http,frame,block,flood,idle", "what to measure")
	engines := flag.String("engines", strings.Join(engine.Names(engine.Engines), ",")+",redis-server", "what to compare")
	seconds := flag.Float64("seconds", 1, "about how long each measurement takes")
	to := flag.String("o", "", "file to write the tables to, besides the output")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *rounds, strings.Split(*only, ","), strings.Split(*engines, ","), *seconds, *to); err != nil {
		fmt.Fprintln(os.Stderr, "bench-net:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, only, engines []string, seconds float64, to string) error {
	if rounds < 1 || seconds <= 0 {
		return fmt.Errorf("-rounds %d and -seconds %v must be positive", rounds, seconds)
	}
	for _, name := range engines {
		if _, ok := engine.Engines[name]; !ok && name != "redis-server" {
			return fmt.Errorf("-engines: %q is not one of %v, redis-server", name, engine.Names(engine.Engines))
		}
	}
	kinds := []string{"resp", "http", "frame", "block", "flood", "idle"}
	for _, kind := range only {
		if !slices.Contains(kinds, kind) {
			return fmt.Errorf("-only: %q is not one of %v", kind, kinds)
		}
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return err
	}
	b, err := newBench(ctx, seconds, int(min(files.Cur, 1<<30)))
	if err != nil {
		return err
	}
	defer b.close()
	fmt.Fprintf(os.Stderr, "%d rounds, %s/%s, %s, %d processors, %d descriptors\n", rounds, runtime.GOOS, runtime.GOARCH, runtime.Version(), runtime.NumCPU(), files.Cur)
	for round := range rounds {
		for _, w := range b.workloads(only) {
			for i := range engines {
				name := engines[(i+round)%len(engines)] // another one begins each time
				if !w.fits(name) {
					continue
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				began := time.Now()
				f, err := w.measure(name)
				if err != nil {
					f.failed = err.Error()
					fmt.Fprintf(os.Stderr, "round %d, %s, %s: %v\n", round+1, w.name, name, err)
				} else {
					fmt.Fprintf(os.Stderr, "round %d, %s, %s: %s (%.1f s)\n", round+1, w.name, name, w.show(f), time.Since(began).Seconds())
				}
				b.keep(w.name, name, f)
			}
		}
	}
	var out io.Writer = os.Stdout
	if to != "" {
		file, err := os.Create(to)
		if err != nil {
			return err
		}
		defer file.Close()
		out = io.MultiWriter(os.Stdout, file)
	}
	b.tables(out, b.workloads(only), engines, rounds)
	return nil
}
