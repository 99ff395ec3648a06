// Command bench-net runs the same handlers on several network engines, with clients that
// others have written, and compares. Server and client have a processor each; rounds are
// interleaved, and within a round the engines take turns of a fraction of a second, so that what
// the machine does meanwhile meets all of them; figures are medians over all turns, and the processor time of the server is what the kernel
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
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
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
	match         *regexp.Regexp // of what is measured, nil for all
	seconds       float64
	budget        time.Duration
	to            string
}

func main() {
	all := strings.Join(engine.Names(engine.Engines), ",") + ",redis-server"
	rounds := flag.Int("rounds", 5, "how often everything is measured")
	only := flag.String("only", strings.Join(kinds, ","), "what to measure")
	match := flag.String("match", "", "regular expression that names of what is measured have to match")
	engines := flag.String("engines", all, "what to compare")
	seconds := flag.Float64("seconds", 1.2, "about how long an engine is measured for each workload in each round, in turns with the others")
	budget := flag.Duration("budget", 25*time.Minute, "no round is begun that would probably end later")
	to := flag.String("o", "", "file to write the tables to, besides the output")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := plan{
		rounds: *rounds, only: strings.Split(*only, ","), engines: strings.Split(*engines, ","), seconds: *seconds, budget: *budget, to: *to,
	}
	var err error
	if *match != "" {
		p.match, err = regexp.Compile(*match)
	}
	if err = cmp.Or(err, p.check()); err == nil {
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
	if p.match != nil {
		return false
	}
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

// workloads returns what is to be measured.
func (p *plan) workloads(b *bench) []workload {
	return slices.DeleteFunc(b.workloads(p.only), func(w workload) bool { return p.match != nil && !p.match.MatchString(w.name) })
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
		for _, w := range p.workloads(b) {
			if w.rounds > 0 && done >= w.rounds {
				continue
			}
			if err := b.round(done+1, w, p.engines); err != nil {
				return done, err
			}
			b.calibrate(w)
		}
		done++
		longest = max(longest, time.Since(start))
	}
	return done, nil
}

// round measures a workload on the engines that fit: each on a server of its own, or, in turns,
// while the servers of all of them are up.
func (b *bench) round(round int, w workload, engines []string) error {
	engines = slices.DeleteFunc(slices.Clone(engines), func(name string) bool { return !w.fits(name) })
	servers := map[string]*server{}
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	turns, seconds := max(w.turns, 1), b.seconds
	if w.turns > 1 {
		seconds /= float64(w.turns)
	}
	for turn := range turns {
		for i := range engines {
			if err := b.ctx.Err(); err != nil {
				return err
			}
			name := engines[(i+round+turn)%len(engines)] // another one begins each time
			s, err := servers[name], error(nil)
			if s == nil {
				if s, err = b.start(name, w.protocol); err == nil {
					servers[name] = s
					if w.turns > 1 {
						_, err = w.measure(s, seconds/2) // to warm up
					}
				}
			}
			b.one(round, w, name, s, seconds, err)
			if w.turns == 0 && s != nil {
				s.stop()
				delete(servers, name)
			}
		}
	}
	b.say(round, w, engines, turns)
	return nil
}

// one measures a workload on an engine, whose server could be started unless err says why not.
func (b *bench) one(round int, w workload, name string, s *server, seconds float64, err error) {
	var f figures
	if err == nil {
		f, err = w.measure(s, seconds)
	}
	if err != nil {
		f.failed = err.Error()
		fmt.Fprintf(os.Stderr, "round %d, %s, %s: %v\n", round, w.name, name, err)
	}
	b.keep(w.name, name, f)
}

// say prints what the last turns have given.
func (b *bench) say(round int, w workload, engines []string, turns int) {
	for _, name := range engines {
		list := b.kept[w.name][name]
		last := list[len(list)-turns:]
		get := func(which func(figures) float64) float64 { return median(of(last, which)) }
		if len(of(last, rate)) > 0 {
			fmt.Fprintf(os.Stderr, "round %d, %s, %s: %s\n", round, w.name, name,
				w.show(figures{rate: get(rate), cpu: get(cpu), p99: get(p99), mega: get(mega), growth: get(growth), peers: get(peers), each: get(each), held: get(held)}))
		}
	}
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
