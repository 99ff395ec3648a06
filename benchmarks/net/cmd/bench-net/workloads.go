package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// workload is one thing to measure.
type workload struct {
	name    string
	kind    string
	not     []string // engines that can't
	measure func(engine string) (figures, error)
}

func (w workload) fits(engine string) bool { return !slices.Contains(w.not, engine) }

func (w workload) show(f figures) string {
	switch w.kind {
	case "flood":
		return fmt.Sprintf("%.1f MB taken, memory grew by %.1f MB", f.mega, f.growth)
	case "idle":
		return fmt.Sprintf("%.0f bytes for each connection", f.each)
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
	if only("block") {
		all = append(all, b.blocking(false), b.blocking(true))
	}
	if only("flood") {
		all = append(all, b.flood(1), b.flood(1000))
	}
	if only("idle") {
		all = append(all, b.idle(10_000))
	}
	return all
}

var csvLine = regexp.MustCompile(`(?m)^"([A-Z_]+)[^"]*","([0-9.]+)"`)

// redis is redis-benchmark. Its rate is that of all the commands together.
func (b *bench) redis(pipeline, conns int) workload {
	return workload{
		name: fmt.Sprintf("redis-benchmark ping,set,get,incr, pipeline %d, %d clients", pipeline, conns),
		kind: "resp", not: []string{"net/http"},
		measure: func(engine string) (f figures, err error) {
			s, err := b.start(engine, "resp")
			if err != nil {
				return f, err
			}
			defer s.stop()
			guess := 50_000.0 // requests per second
			switch {
			case pipeline > 1 && conns == 1:
				guess = 150_000
			case pipeline > 1:
				guess = 500_000
			case conns == 1:
				guess = 15_000
			}
			n := max(1000, int(guess*b.seconds/4))
			args := []string{"-p", s.port, "--csv", "-t", "ping,set,get,incr", "-P", strconv.Itoa(pipeline), "-c", strconv.Itoa(conns), "-n", strconv.Itoa(n)}
			before := s.cpu()
			out, err := b.client("redis-benchmark", args...)
			if err != nil {
				return f, err
			}
			used := s.cpu() - before
			total, seconds := 0.0, 0.0
			for _, found := range csvLine.FindAllStringSubmatch(out, -1) {
				rate, _ := strconv.ParseFloat(found[2], 64)
				if rate <= 0 {
					return f, fmt.Errorf("%s: rate %s", found[1], found[2])
				}
				total += float64(n)
				seconds += float64(n) / rate
			}
			if total < 4*float64(n) {
				return f, fmt.Errorf("redis-benchmark said %q", out)
			}
			return figures{rate: total / seconds, cpu: float64(used.Microseconds()) / total}, nil
		},
	}
}

var (
	wrkRate  = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	wrkCount = regexp.MustCompile(`(\d+) requests in`)
)

func (b *bench) wrk(conns int) workload {
	return workload{
		name: fmt.Sprintf("wrk, %d connections", conns), kind: "http", not: []string{"redis-server"},
		measure: func(engine string) (f figures, err error) {
			s, err := b.start(engine, "http")
			if err != nil {
				return f, err
			}
			defer s.stop()
			before := s.cpu()
			out, err := b.client("wrk", "-t", "1", "-c", strconv.Itoa(conns), "-d", strconv.Itoa(max(1, int(b.seconds+0.5)))+"s", "http://"+s.addr+"/")
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
			f.cpu = float64(used.Microseconds()) / n
			return f, nil
		},
	}
}

var framed = []string{"net/http", "redis-server"}

func (b *bench) frames(size, pipeline int) workload {
	return b.echo(fmt.Sprintf("echo of frames of %d bytes, pipeline %d, 50 connections", size, pipeline), "frame",
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
	return b.echo(name, "block", args...)
}

func (b *bench) echo(name, kind string, args ...string) workload {
	return workload{name: name, kind: kind, not: framed, measure: func(engine string) (f figures, err error) {
		s, err := b.start(engine, "frame")
		if err != nil {
			return f, err
		}
		defer s.stop()
		before := s.cpu()
		r, err := b.load(append([]string{"-addr", s.addr, "-d", time.Duration(b.seconds * 1e9).String()}, args...)...)
		if err != nil {
			return f, err
		}
		used := s.cpu() - before
		return figures{rate: float64(r.Requests) / r.Seconds, cpu: float64(used.Microseconds()) / float64(r.Requests), p99: r.P99}, nil
	}}
}

// flood is peers that send as fast as they can to a server that takes nothing.
func (b *bench) flood(conns int) workload {
	args := []string{"-flood", "-c", strconv.Itoa(conns), "-d", "4s"}
	not := framed
	if conns > 1 { // the others don't survive one
		args = append(args, "-buffer", "16384")
		not = append(slices.Clone(framed), "gnet", "netpoll", "evio")
	}
	return workload{
		name: fmt.Sprintf("flood of %d connections for 4 s, nobody asks for it", conns), kind: "flood", not: not,
		measure: func(engine string) (f figures, err error) {
			s, err := b.start(engine, "sink")
			if err != nil {
				return f, err
			}
			defer s.stop()
			before := s.memory()
			r, err := b.holding(func() { f.growth = (s.memory() - before) / 1e6 }, append(args, "-addr", s.addr)...)
			f.mega = float64(r.Bytes) / 1e6
			return f, err
		},
	}
}

// idle is connections that do nothing.
func (b *bench) idle(conns int) workload {
	conns = min(conns, b.files-200)
	return workload{
		name: fmt.Sprintf("%d idle connections", conns), kind: "idle", not: []string{"net/http", "redis-server"},
		measure: func(engine string) (f figures, err error) {
			s, err := b.start(engine, "resp")
			if err != nil {
				return f, err
			}
			defer s.stop()
			before := s.memory()
			_, err = b.holding(func() {
				time.Sleep(500 * time.Millisecond)
				f.each = (s.memory() - before) / float64(conns)
			}, "-idle", "-c", strconv.Itoa(conns), "-addr", s.addr)
			return f, err
		},
	}
}
