// Command bench-net runs the same handlers on several network engines, with clients that
// others have written, and compares. Server and client have a processor each; rounds are
// interleaved; figures are medians, and the processor time of the server is what the kernel
// says.
//
//	go run ./cmd/bench-net [-rounds 5] [-only resp,http,frame,…] [-engines …] [-budget 25m] [-o RESULTS.md]
//
// It begins no round that the budget has no time for, and writes the file only at the end, if
// everything was measured: a run that is interrupted, or is of some kinds or engines only, leaves
// the file as it is and prints.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/goreactor/reactor/benchmarks/net/engine"
)

// kinds are what can be measured.
var kinds = []string{"resp", "http", "frame", "slow", "block", "client", "held", "flood", "idle"}

// plan is what a run is asked for.
type plan struct {
	rounds        int
	only, engines []string
	seconds       float64
	budget        time.Duration
	to            string
}

func main() {
	all := strings.Join(engine.Names(engine.Engines), ",") + ",redis-server"
	rounds := flag.Int("rounds", 5, "how often everything is measured")
	only := flag.String("only", strings.Join(kinds, ","), "what to measure")
	engines := flag.String("engines", all, "what to compare")
	seconds := flag.Float64("seconds", 1.2, "about how long each measurement takes")
	budget := flag.Duration("budget", 25*time.Minute, "no round is begun that would probably end later")
	to := flag.String("o", "", "file to write the tables to, besides the output")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := plan{*rounds, strings.Split(*only, ","), strings.Split(*engines, ","), *seconds, *budget, *to}
	if err := p.check(); err == nil {
		err = p.run(ctx)
		if err == nil {
			return
		}
		fmt.Fprintln(os.Stderr, "bench-net:", err)
	} else {
		fmt.Fprintf(os.Stderr, "bench-net: %v\n", err)
	}
	os.Exit(1)
}

// check reports what is wrong with the plan.
func (p *plan) check() error {
	if p.rounds < 1 || p.seconds <= 0 || p.budget <= 0 {
		return fmt.Errorf("-rounds %d, -seconds %v and -budget %v must be positive", p.rounds, p.seconds, p.budget)
	}
	for _, name := range p.engines {
		if _, ok := engine.Engines[name]; !ok && name != "redis-server" {
			return fmt.Errorf("-engines: %q is not one of %v, redis-server", name, engine.Names(engine.Engines))
		}
	}
	for _, kind := range p.only {
		if !slices.Contains(kinds, kind) {
			return fmt.Errorf("-only: %q is not one of %v", kind, kinds)
		}
	}
	return nil
}

// whole reports whether everything there is is to be measured.
func (p *plan) whole() bool {
	for _, kind := range kinds {
		if !slices.Contains(p.only, kind) {
			return false
		}
	}
	for _, name := range engine.Names(engine.Engines) {
		if !slices.Contains(p.engines, name) {
			return false
		}
	}
	return slices.Contains(p.engines, "redis-server")
}

func (p *plan) run(ctx context.Context) error {
	if err := prerequisites(p); err != nil {
		return err
	}
	began := time.Now()
	m := inspect(ctx)
	fmt.Fprintf(os.Stderr, "%d rounds, %s\n", p.rounds, m)
	b, err := newBench(ctx, p.seconds)
	if err != nil {
		return err
	}
	defer b.close()
	done, err := p.measure(b, began)
	var report bytes.Buffer
	m.finish(done, time.Since(began))
	b.report(&report, m, p)
	_, _ = os.Stdout.Write(report.Bytes())
	switch {
	case err != nil:
		return fmt.Errorf("%w after %d whole rounds, nothing is written to a file", err, done)
	case p.to == "":
		return nil
	case !p.whole():
		fmt.Fprintf(os.Stderr, "%s is left as it is: not everything was measured\n", p.to)
		return nil
	}
	return replace(p.to, report.Bytes())
}

// measure makes the rounds and returns how many.
func (p *plan) measure(b *bench, began time.Time) (done int, err error) {
	var longest time.Duration
	for done < p.rounds {
		if left := p.budget - time.Since(began); done > 0 && longest > left {
			fmt.Fprintf(os.Stderr, "no round %d: one takes %.0f s, %.0f s are left\n", done+1, longest.Seconds(), left.Seconds())
			return done, nil
		}
		start := time.Now()
		for _, w := range b.workloads(p.only) {
			if w.rounds > 0 && done >= w.rounds {
				continue
			}
			for i := range p.engines {
				name := p.engines[(i+done)%len(p.engines)] // another one begins each time
				if !w.fits(name) {
					continue
				}
				if err := b.ctx.Err(); err != nil {
					return done, err
				}
				b.one(done+1, w, name)
			}
			b.calibrate(w)
		}
		done++
		longest = max(longest, time.Since(start))
	}
	return done, nil
}

// one measures a workload on an engine.
func (b *bench) one(round int, w workload, name string) {
	began := time.Now()
	f, err := w.measure(name)
	if err != nil {
		f.failed = err.Error()
		fmt.Fprintf(os.Stderr, "round %d, %s, %s: %v\n", round, w.name, name, err)
	} else {
		fmt.Fprintf(os.Stderr, "round %d, %s, %s: %s (%.1f s)\n", round, w.name, name, w.show(f), time.Since(began).Seconds())
	}
	b.keep(w.name, name, f)
}

// replace writes a file as a whole or not at all.
func replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".results-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone, if all went well
	if _, err = f.Write(text); err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
