package main

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// workload is one thing to measure.
type workload struct {
	name     string
	kind     string
	not      []string // engines that can't
	yes      []string // the only engines, if there are some
	rounds   int      // in how many rounds it is measured, 0 for all
	protocol string   // what the servers speak
	// turns is how many turns the engines take within a round, while the servers of all are up: the
	// machine changes from second to second, so what is compared has to be near in time. 0 is for
	// what needs a server of its own each time.
	turns   int
	measure func(s *server, seconds float64) (figures, error)
}

const (
	shortTurns = 8
	longTurns  = 2
)

func (w workload) fits(engine string) bool {
	return !slices.Contains(w.not, engine) && (w.yes == nil || slices.Contains(w.yes, engine))
}

func (w workload) show(f figures) string {
	switch w.kind {
	case "flood":
		return fmt.Sprintf("%.1f MB taken, memory grew by %.1f MB, and before by %.1f for the peers", f.mega, f.growth, f.peers)
	case "idle":
		return fmt.Sprintf("%.0f bytes for each connection", f.each)
	case "held":
		return fmt.Sprintf("%.0f idle connections answered afterwards, %.0f/s, p99 %.0f µs", f.held, f.rate, f.p99)
	}
	return fmt.Sprintf("%.0f/s, %.2f µs, p99 %.0f µs", f.rate, f.cpu, f.p99)
}

// workloads returns those of the kinds that are wanted.
func (b *bench) workloads(kinds []string) (all []workload) {
	only := func(kind string) bool { return slices.Contains(kinds, kind) }
	if only("resp") {
		for _, pipeline := range []int{1, 16} {
			for _, conns := range []int{1, 50, 1000} {
				all = append(all, b.redis(pipeline, conns))
			}
		}
	}
	if only("http") {
		for _, conns := range []int{64, 512} {
			all = append(all, b.wrk(conns))
		}
	}
	if only("frame") {
		for _, size := range []int{64, 1024} {
			for _, pipeline := range []int{1, 16} {
				all = append(all, b.frames(size, pipeline))
			}
		}
	}
	if only("slow") {
		all = append(all, b.slow(""), b.slow("-H"), b.slow("-B"))
	}
	if only("block") {
		all = append(all, b.blocking(false), b.blocking(true))
	}
	if only("client") {
		all = append(all, b.clients()...)
	}
	if only("held") {
		all = append(all, b.held(idleConns))
	}
	if only("flood") {
		all = append(all, b.flood(1), b.flood(1000))
	}
	if only("idle") {
		all = append(all, b.idle(idleConns, "resp"), b.idle(idleConns, "frame"))
	}
	return all
}

// A line of redis-benchmark --csv: the command, its rate, and five times in milliseconds, of which
// the last is the 99th percentile.
var csvLine = regexp.MustCompile(`(?m)^"([A-Z_]+)[^"]*","([0-9.]+)","[0-9.]+","[0-9.]+","[0-9.]+","[0-9.]+","([0-9.]+)"`)

// redis is redis-benchmark. Its rate is that of all the commands together.
func (b *bench) redis(pipeline, conns int) workload {
	name := fmt.Sprintf("redis-benchmark ping,set,get,incr, pipeline %d, %d clients", pipeline, conns)
	guess := 50_000.0 // requests per second
	switch {
	case pipeline > 1 && conns == 1:
		guess = 160_000
	case pipeline > 1:
		guess = 700_000
	case conns == 1:
		guess = 10_000
	}
	turns, factor := shortTurns, 1.0
	if conns > 500 {
		// It connects anew for each command, which has to stay a small part.
		turns, factor = longTurns, 2
	}
	return workload{
		name: name, kind: "resp", not: []string{"net/http"}, protocol: "resp", turns: turns,
		measure: func(s *server, seconds float64) (figures, error) {
			n := max(100, int(b.expected(name, guess)*seconds*factor/4))
			return b.redisBenchmark(s, n, 4, "-t", "ping,set,get,incr", "-P", strconv.Itoa(pipeline), "-c", strconv.Itoa(conns))
		},
	}
}

// redisBenchmark runs redis-benchmark with n requests for each of its tests, at least so many
// of them.
func (b *bench) redisBenchmark(s *server, n, tests int, args ...string) (f figures, err error) {
	before := s.cpu()
	out, err := b.client("redis-benchmark", append([]string{"-p", s.port, "--csv", "-n", strconv.Itoa(n)}, args...)...)
	if err != nil {
		return f, err
	}
	used := s.cpu() - before
	total, seconds := 0.0, 0.0
	for _, found := range csvLine.FindAllStringSubmatch(out, -1) {
		rate, _ := strconv.ParseFloat(found[2], 64)
		p99, _ := strconv.ParseFloat(found[3], 64)
		if rate <= 0 {
			return f, fmt.Errorf("%s: rate %s", found[1], found[2])
		}
		total += float64(n)
		seconds += float64(n) / rate
		f.p99 = max(f.p99, 1e3*p99)
	}
	if total < float64(tests*n) {
		return f, fmt.Errorf("redis-benchmark said %q", out)
	}
	f.rate, f.cpu = total/seconds, float64(used.Nanoseconds())/1e3/total
	return f, nil
}

// clients lets redis-benchmark and this module's own client do the same, to see what the
// figures of the latter are worth.
func (b *bench) clients() []workload {
	engines := []string{"epoll-0", "net"}
	theirs := "PING, 50 clients, as redis-benchmark sends it"
	return []workload{
		{name: theirs, kind: "client", yes: engines, protocol: "resp", turns: shortTurns, measure: func(s *server, seconds float64) (figures, error) {
			return b.redisBenchmark(s, max(1000, int(b.expected(theirs, 20_000)*seconds)), 1, "-t", "ping_mbulk", "-c", "50")
		}},
		b.echo("PING, 50 clients, as the own client sends it", "client", "resp", engines, "-protocol", "ping", "-c", "50"),
	}
}

// held is redis-benchmark beside connections that do nothing, which are then asked whether they
// are still there.
func (b *bench) held(conns int) workload {
	name := fmt.Sprintf("redis-benchmark ping,set,get,incr, 50 clients, beside %d idle connections", conns)
	return workload{name: name, kind: "held", not: []string{"net/http", "evio", "netpoll"}, rounds: 3, protocol: "resp", measure: func(s *server, seconds float64) (f figures, err error) {
		var failed error
		r, err := b.holding([]func(){func() {
			n := max(1000, int(b.expected(name, 20_000)*seconds/4))
			f, failed = b.redisBenchmark(s, n, 4, "-t", "ping,set,get,incr", "-c", "50")
		}}, "-idle", "-protocol", "ping", "-c", strconv.Itoa(conns), "-addr", s.addr)
		f.held = float64(r.Requests)
		return f, errors.Join(err, failed)
	}}
}

var (
	wrkRate  = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	wrkCount = regexp.MustCompile(`(\d+) requests in`)
	wrkP99   = regexp.MustCompile(`99%\s+([0-9.a-z]+)`)
)

func (b *bench) wrk(conns int) workload {
	return workload{
		name: fmt.Sprintf("wrk, %d connections", conns), kind: "http", not: []string{"redis-server"}, protocol: "http", turns: 1,
		measure: func(s *server, seconds float64) (figures, error) { return b.runWrk(s, conns, seconds) },
	}
}

// runWrk runs wrk, which takes whole seconds only.
func (b *bench) runWrk(s *server, conns int, seconds float64) (f figures, err error) {
	before := s.cpu()
	out, err := b.client("wrk", "--latency", "-t", "1", "-c", strconv.Itoa(conns), "-d", strconv.Itoa(max(1, int(seconds+0.5)))+"s", "http://"+s.addr+"/")
	if err != nil {
		return f, err
	}
	used := s.cpu() - before
	rate, count := wrkRate.FindStringSubmatch(out), wrkCount.FindStringSubmatch(out)
	if rate == nil || count == nil || strings.Contains(out, "Socket errors") || strings.Contains(out, "Non-2xx") {
		return f, fmt.Errorf("wrk said %q", out)
	}
	f.rate, _ = strconv.ParseFloat(rate[1], 64)
	n, _ := strconv.ParseFloat(count[1], 64)
	f.cpu = float64(used.Nanoseconds()) / 1e3 / n
	if p99 := wrkP99.FindStringSubmatch(out); p99 != nil {
		d, _ := time.ParseDuration(p99[1])
		f.p99 = float64(d.Nanoseconds()) / 1e3
	}
	return f, nil
}

// slowPeers is how many peers of slowhttptest there are.
const slowPeers = 400

// slow is wrk beside peers of slowhttptest, which send their head (-H) or their body (-B) a
// few bytes at a time; "" is without them.
func (b *bench) slow(kind string) workload {
	name := "wrk, 32 connections, without slow peers"
	switch kind {
	case "-H":
		name = fmt.Sprintf("wrk, 32 connections, beside %d peers that never end their head (slowhttptest -H)", slowPeers)
	case "-B":
		name = fmt.Sprintf("wrk, 32 connections, beside %d peers that never end their body (slowhttptest -B)", slowPeers)
	}
	return workload{name: name, kind: "slow", yes: []string{"epoll-0", "epoll-N", "net-ours"}, protocol: "http", measure: func(s *server, seconds float64) (f figures, err error) {
		if kind != "" {
			stop, err := b.slowClient(s, kind)
			if err != nil {
				return f, err
			}
			defer stop()
		}
		return b.runWrk(s, 32, seconds)
	}}
}

// slowClient starts slowhttptest and waits until all its peers are there.
func (b *bench) slowClient(s *server, kind string) (stop func(), err error) {
	count := strconv.Itoa(slowPeers)
	// It shares a processor with wrk, whose times it may not lengthen.
	args := []string{"-c", "1", "nice", "-n", "19", "slowhttptest", kind, "-c", count, "-r", count, "-i", "1", "-l", "30", "-u", "http://" + s.addr + "/"}
	if kind == "-B" {
		args = append(args, "-t", "POST")
	}
	before := s.descriptors()
	cmd := exec.CommandContext(b.ctx, "taskset", args...)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	for end := time.Now().Add(10 * time.Second); s.descriptors() < before+slowPeers; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			stop()
			return nil, fmt.Errorf("slowhttptest %s has %d connections, %d are wanted", kind, s.descriptors()-before, slowPeers)
		}
	}
	return stop, nil
}

var framed = []string{"net/http", "redis-server"}

func (b *bench) frames(size, pipeline int) workload {
	return b.echo(fmt.Sprintf("echo of frames of %d bytes, pipeline %d, 50 connections", size, pipeline), "frame", "frame", nil,
		"-c", "50", "-p", strconv.Itoa(pipeline), "-size", strconv.Itoa(size))
}

// blocking is one connection of 100 whose handler blocks for 100 ms for each message; figures
// are of the others.
func (b *bench) blocking(block bool) workload {
	name := "100 connections, none of which blocks"
	args := []string{"-c", "100"}
	if block {
		name = "100 connections, of which one blocks its handler for 100 ms each time"
		args = append(args, "-block")
	}
	return b.echo(name, "block", "frame", nil, args...)
}

// echo is this module's own client.
func (b *bench) echo(name, kind, protocol string, engines []string, args ...string) workload {
	return workload{name: name, kind: kind, not: framed, yes: engines, protocol: protocol, turns: shortTurns, measure: func(s *server, seconds float64) (f figures, err error) {
		before := s.cpu()
		r, err := b.load(append([]string{"-addr", s.addr, "-d", time.Duration(seconds * 1e9).String()}, args...)...)
		if err != nil {
			return f, err
		}
		used := s.cpu() - before
		return figures{rate: float64(r.Requests) / r.Seconds, cpu: float64(used.Nanoseconds()) / 1e3 / float64(r.Requests), p99: r.P99}, nil
	}}
}

// flood is peers that send as fast as they can to a server that takes nothing.
func (b *bench) flood(conns int) workload {
	args := []string{"-flood", "-c", strconv.Itoa(conns), "-d", "10s", "-cap", strconv.Itoa(256 << 20)}
	not, who := framed, "one connection"
	if conns > 1 { // the others don't survive one
		args = append(args, "-buffer", "16384")
		who = fmt.Sprintf("%d connections", conns)
		not = append(slices.Clone(framed), "gnet", "netpoll", "evio")
	}
	return workload{
		name: "flood of " + who + " for 10 s, nobody asks for it", kind: "flood", not: not, rounds: 1, protocol: "sink",
		measure: func(s *server, _ float64) (f figures, err error) {
			start, before := s.memory(), 0.0
			connected := func() {
				time.Sleep(300 * time.Millisecond)
				before = s.memory()
				f.peers = (before - start) / 1e6
			}
			sent := func() { f.growth = (s.memory() - before) / 1e6 }
			r, err := b.holding([]func(){connected, sent}, append(args, "-addr", s.addr)...)
			f.mega = float64(r.Bytes) / 1e6
			return f, err
		},
	}
}

// idle is connections that do nothing: with the handler of a key-value store, which has a codec
// with state and two operators, or of an echo.
func (b *bench) idle(conns int, protocol string) workload {
	what := map[string]string{"resp": "a codec with state and two operators", "frame": "one operator"}[protocol]
	return workload{
		name: fmt.Sprintf("%d idle connections, a handler of %s", conns, what), kind: "idle",
		not: []string{"net/http", "redis-server"}, rounds: 3, protocol: protocol,
		measure: func(s *server, _ float64) (f figures, err error) {
			before := s.memory()
			_, err = b.holding([]func(){func() {
				time.Sleep(300 * time.Millisecond)
				f.each = (s.memory() - before) / float64(conns)
			}}, "-idle", "-c", strconv.Itoa(conns), "-addr", s.addr)
			return f, err
		},
	}
}
