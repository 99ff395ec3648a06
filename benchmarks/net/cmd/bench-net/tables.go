package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	if n := len(list); n%2 == 0 {
		return (list[n/2-1] + list[n/2]) / 2
	}
	return list[len(list)/2]
}

// of returns one figure of all rounds that have it.
func of(rounds []figures, which func(figures) float64) (list []float64) {
	for _, f := range rounds {
		if f.failed == "" {
			list = append(list, which(f))
		}
	}
	return list
}

// ratios returns the ratios to another engine, round by round.
func ratios(rounds, others []figures, which func(figures) float64) (list []float64) {
	for i := range min(len(rounds), len(others)) {
		if rounds[i].failed == "" && others[i].failed == "" && which(others[i]) > 0 {
			list = append(list, which(rounds[i])/which(others[i]))
		}
	}
	return list
}

// paired returns the median of the ratios to another engine, as it is written in tables.
func paired(rounds, others []figures, which func(figures) float64) string {
	list := ratios(rounds, others, which)
	if len(list) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", median(list))
}

func rate(f figures) float64   { return f.rate }
func cpu(f figures) float64    { return f.cpu }
func p99(f figures) float64    { return f.p99 }
func each(f figures) float64   { return f.each }
func held(f figures) float64   { return f.held }
func mega(f figures) float64   { return f.mega }
func growth(f figures) float64 { return f.growth }
func peers(f figures) float64  { return f.peers }

// report writes all that was found.
func (b *bench) report(out io.Writer, m *machine, p *plan) {
	fmt.Fprintf(out, "# Network engines beside each other\n\nWritten by `make bench-net` on %s: medians of %d interleaved rounds, %.0f s in all.\n\n",
		time.Now().UTC().Format(time.DateOnly), m.rounds, m.took.Seconds())
	fmt.Fprintf(out, "- %s; load at the end %s\n- %s\n", m, m.after, strings.Join(m.versions, ", "))
	fmt.Fprint(out, "- the server has one processor and the client another one; the processor time is that of the server as the kernel counts it\n"+
		"- epoll-0, epoll-N and net-ours are this library: on selectors alone, with the default number of workers, and on the portable\n"+
		"  driver. net, gnet, netpoll and evio have the same codec and handler; net/http and redis-server have their own\n"+
		"- engines take turns of a fraction of a second while all their servers are up, 8 or 2 in each round (wrk 1, of a second);\n"+
		"  ratios are medians of the ratios of all turns. redis-benchmark connects anew for each of its four commands, which its\n"+
		"  figures include\n")
	workloads := p.workloads(b)
	fmt.Fprint(out, "\n## Verdict\n\n")
	if m.rounds < 5 {
		fmt.Fprintf(out, "Of %d rounds only, where five are the least for a claim.\n\n", m.rounds)
	}
	b.verdicts(out, workloads)
	for _, w := range workloads {
		b.table(out, w, p.engines)
	}
}

// table writes what was found of one workload.
func (b *bench) table(out io.Writer, w workload, engines []string) {
	kept := b.kept[w.name]
	fmt.Fprintf(out, "\n## %s%s\n\n", strings.ToUpper(w.name[:1]), w.name[1:])
	switch w.kind {
	case "flood":
		fmt.Fprintln(out, "| engine | taken, MB | memory grew by, MB | before, for the peers, MB |\n|---|---:|---:|---:|")
	case "idle":
		fmt.Fprintln(out, "| engine | bytes for each connection |\n|---|---:|")
	case "held":
		fmt.Fprintln(out, "| engine | requests/s | µs of processor | p99, µs | idle connections that answered at the end |\n|---|---:|---:|---:|---:|")
	default:
		fmt.Fprintln(out, "| engine | requests/s | × net | × gnet | µs of processor | × net | × gnet | p99, µs |\n|---|---:|---:|---:|---:|---:|---:|---:|")
	}
	for _, name := range engines {
		list, ok := kept[name]
		if !ok {
			continue
		}
		if failed := len(list) - len(of(list, rate)); failed > 0 {
			first := list[slices.IndexFunc(list, func(f figures) bool { return f.failed != "" })].failed
			fmt.Fprintf(out, "| %s | failed %d times: %.120s |\n", name, failed, strings.ReplaceAll(first, "\n", " "))
			if failed == len(list) {
				continue
			}
		}
		get := func(which func(figures) float64) float64 { return median(of(list, which)) }
		switch w.kind {
		case "flood":
			fmt.Fprintf(out, "| %s | %.1f | %.1f | %.1f |\n", name, get(mega), get(growth), get(peers))
		case "idle":
			fmt.Fprintf(out, "| %s | %.0f |\n", name, get(each))
		case "held":
			fmt.Fprintf(out, "| %s | %.0f | %.2f | %.0f | %.0f |\n", name, get(rate), get(cpu), get(p99), get(held))
		default:
			fmt.Fprintf(out, "| %s | %.0f | %s | %s | %.2f | %s | %s | %.0f |\n", name,
				get(rate), paired(list, kept["net"], rate), paired(list, kept["gnet"], rate),
				get(cpu), paired(list, kept["net"], cpu), paired(list, kept["gnet"], cpu), get(p99))
		}
	}
}
