package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// sameHandler are the engines of others that run the same codec and handler.
var sameHandler = []string{"net", "gnet", "netpoll", "evio"}

// A goal is what is claimed of a figure.
type goal struct {
	limit float64
	least bool // the figure may not be below the limit, instead of above
}

func atMost(limit float64) goal  { return goal{limit, false} }
func atLeast(limit float64) goal { return goal{limit, true} }

// line writes how a figure stands to its goal. The figure is taken as it is printed.
func (g goal) line(out *strings.Builder, what, format string, got float64) {
	sign, met := "≤", got <= g.limit
	if g.least {
		sign, met = "≥", got >= g.limit
	}
	word := "short"
	if met {
		word = "ok"
	}
	if math.IsNaN(got) {
		word = "not measured"
	}
	fmt.Fprintf(out, "| %s | "+format+" | %s %v | %s |\n", what, got, sign, g.limit, word)
}

// verdicts says of each target whether it is met.
func (b *bench) verdicts(to io.Writer, workloads []workload) {
	out := &strings.Builder{}
	defer func() {
		text := out.String()
		fmt.Fprintf(to, "%d ok, %d short.\n\n| target | figure | goal | |\n|---|---:|---:|---|\n%s",
			strings.Count(text, "| ok |"), strings.Count(text, "| short |"), text)
	}()
	for _, w := range workloads {
		kept := b.kept[w.name]
		ours, workers, portable := kept["epoll-0"], kept["epoll-N"], kept["net-ours"]
		switch w.kind {
		case "resp", "http", "frame":
			if best := b.best(w.name); best != "" {
				atMost(1).line(out, w.name+": processor time, N = 0, × "+best+", the best peer", "%.2f", paired2(ours, kept[best], cpu))
			}
			atLeast(1).line(out, w.name+": rate, N = 0, × gnet", "%.2f", paired2(ours, kept["gnet"], rate))
			atLeast(0.95).line(out, w.name+": rate, N = 0, × net", "%.2f", paired2(ours, kept["net"], rate))
			atLeast(0.9).line(out, w.name+": rate, default N, × N = 0", "%.2f", paired2(workers, ours, rate))
		case "held":
			for _, name := range []string{"epoll-0", "epoll-N", "net-ours"} {
				atLeast(idleConns).line(out, "idle connections held while redis-benchmark ran, "+name, "%.0f", got(kept[name], held))
			}
		case "flood":
			for _, name := range []string{"epoll-0", "epoll-N", "net-ours"} {
				atMost(2).line(out, w.name+": memory grew by, MB, "+name, "%.1f", got(kept[name], growth))
			}
		case "idle":
			atMost(1024).line(out, w.name+": bytes for each on epoll", "%.0f", max(got(ours, each), got(workers, each)))
			atMost(4096).line(out, w.name+": bytes for each on net", "%.0f", got(portable, each))
		}
	}
	if quiet := b.kept[b.slow("").name]; quiet != nil {
		for _, kind := range []string{"-H", "-B"} {
			for _, name := range []string{"epoll-0", "epoll-N", "net-ours"} {
				atMost(2).line(out, "p99 of the others beside slowhttptest "+kind+", × without, "+name, "%.2f", paired2(b.kept[b.slow(kind).name][name], quiet[name], p99))
			}
		}
	}
	quiet, blocked := b.kept[b.blocking(false).name], b.kept[b.blocking(true).name]
	if quiet != nil && blocked != nil {
		for _, name := range []string{"epoll-N", "net-ours"} {
			atMost(2).line(out, "p99 of the others while 1 of 100 handlers blocks, × without, "+name, "%.2f", paired2(blocked[name], quiet[name], p99))
		}
	}
}

// best returns the engine of others with the same handler that takes the least processor time.
func (b *bench) best(workload string) (name string) {
	least := math.Inf(1)
	for _, engine := range sameHandler {
		if list := of(b.kept[workload][engine], cpu); len(list) > 0 && median(list) < least {
			name, least = engine, median(list)
		}
	}
	return name
}

// paired2 is the median of the ratios to two decimals, which a verdict is about; no number if
// there are none.
func paired2(rounds, others []figures, which func(figures) float64) float64 {
	list := ratios(rounds, others, which)
	if len(list) == 0 {
		return math.NaN()
	}
	return math.Round(100*median(list)) / 100
}

// got is the median of a figure; no number if there is none.
func got(rounds []figures, which func(figures) float64) float64 {
	list := of(rounds, which)
	if len(list) == 0 {
		return math.NaN()
	}
	return median(slices.Clone(list))
}
