package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
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

// paired returns the median of the ratios to another engine, round by round.
func paired(rounds, others []figures, which func(figures) float64) float64 {
	var ratios []float64
	for i := range min(len(rounds), len(others)) {
		if rounds[i].failed == "" && others[i].failed == "" && which(others[i]) > 0 {
			ratios = append(ratios, which(rounds[i])/which(others[i]))
		}
	}
	return median(ratios)
}

func rate(f figures) float64 { return f.rate }
func cpu(f figures) float64  { return f.cpu }

// tables writes a table for each workload.
func (b *bench) tables(out io.Writer, workloads []workload, engines []string, rounds int) {
	fmt.Fprintf(out, "# Network engines beside each other\n\n%s/%s, %s, %d processors: one for the server, one for the client. Medians of %d interleaved rounds, %s.\n"+
		"epoll-0, epoll-N and net-ours are this library: on selectors alone, with workers, and on the portable driver.\n",
		runtime.GOOS, runtime.GOARCH, runtime.Version(), runtime.NumCPU(), rounds, time.Now().Format(time.DateOnly))
	for _, w := range workloads {
		kept := b.kept[w.name]
		fmt.Fprintf(out, "\n## %s\n\n", w.name)
		switch w.kind {
		case "flood":
			fmt.Fprintln(out, "| engine | taken, MB | memory grew by, MB |\n|---|---:|---:|")
		case "idle":
			fmt.Fprintln(out, "| engine | bytes for each connection |\n|---|---:|")
		default:
			fmt.Fprintln(out, "| engine | requests/s | × net | × gnet | µs of processor | × net | × gnet | p99, µs |\n|---|---:|---:|---:|---:|---:|---:|---:|")
		}
		for _, name := range engines {
			list, ok := kept[name]
			if !ok {
				continue
			}
			if failed := len(list) - len(of(list, rate)); failed > 0 {
				fmt.Fprintf(out, "| %s | failed %d times: %.80s |\n", name, failed, list[slices.IndexFunc(list, func(f figures) bool { return f.failed != "" })].failed)
				if failed == len(list) {
					continue
				}
			}
			switch w.kind {
			case "flood":
				fmt.Fprintf(out, "| %s | %.1f | %.1f |\n", name, median(of(list, func(f figures) float64 { return f.mega })), median(of(list, func(f figures) float64 { return f.growth })))
			case "idle":
				fmt.Fprintf(out, "| %s | %.0f |\n", name, median(of(list, func(f figures) float64 { return f.each })))
			default:
				p99 := "–"
				if v := median(of(list, func(f figures) float64 { return f.p99 })); v > 0 {
					p99 = fmt.Sprintf("%.0f", v)
				}
				fmt.Fprintf(out, "| %s | %.0f | %.2f | %.2f | %.2f | %.2f | %.2f | %s |\n", name,
					median(of(list, rate)), paired(list, kept["net"], rate), paired(list, kept["gnet"], rate),
					median(of(list, cpu)), paired(list, kept["net"], cpu), paired(list, kept["gnet"], cpu), p99)
			}
		}
	}
}
