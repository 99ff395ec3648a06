package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/goreactor/reactor/benchmarks"
	"github.com/goreactor/reactor/benchmarks/internal/machine"
)

// head says what was measured on what.
func head(o options) string {
	text := fmt.Sprintf("%s %s/%s, %s, %d processors, median of %d × %v",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, machine.Processor(), runtime.GOMAXPROCS(0), o.rounds, o.long)
	if o.jvm != nil {
		text += ", " + o.jvm.version
	}
	return text + "\n"
}

func table(results []*result) string {
	var b strings.Builder
	out := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "id\twork\tcompetitor\tfigure\tunit\tspread\tprocessor\tallocs/run\tratio\t")
	for _, r := range results {
		id, title := r.ID, r.Title
		for _, name := range r.order {
			f := r.of[name]
			allocs := ""
			if f.runs > 0 && f.allocs > 0 {
				allocs = fmt.Sprintf("%.3g", f.allocs)
			}
			cpu := ""
			if median(f.cpu) > 0 {
				cpu = number(median(f.cpu))
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t±%.0f%%\t%s\t%s\t%s\t\n", id, title, name,
				number(median(f.wall)), r.Unit, 100*f.spread(), cpu, allocs, ratioTo(r, name))
			id, title = "", ""
		}
	}
	if err := out.Flush(); err != nil {
		return err.Error()
	}
	return b.String()
}

// ratioTo is how the library compares with a competitor.
func ratioTo(r *result, name string) string {
	if name == benchmarks.Library {
		return ""
	}
	return fmt.Sprintf("%.2f ×", over(r.of[benchmarks.Library].wall, r.of[name].wall))
}

func lines(verdicts []verdict) string {
	var b strings.Builder
	out := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, v := range verdicts {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t\n", word(v), v.row, v.got, v.want)
	}
	if err := out.Flush(); err != nil {
		return err.Error()
	}
	return b.String()
}

func word(v verdict) string {
	if v.ok {
		return "ok"
	}
	return "short"
}

// columns are those of the tables in Markdown.
var columns = []string{
	benchmarks.Hand, benchmarks.IterSeq, benchmarks.Channel, benchmarks.GoFunc, benchmarks.AfterFunc, benchmarks.Ro, benchmarks.RxGo,
	benchmarks.ReactorGo, benchmarks.Ants, benchmarks.Pond, benchmarks.Conc, benchmarks.ForkJoin, benchmarks.Threads, benchmarks.Scheduled,
	benchmarks.JVM, benchmarks.Library,
}

// chapters of the page, by the first letter of the ids.
var chapters = []struct{ letter, title string }{
	{"P", "Streams"}, {"O", "Operators, each by itself"}, {"S", "Schedulers, pools and timers"}, {"M", "Memory"}, {"X", "Bridges"},
}

// markdown is the page of results.
func markdown(o options, results []*result, verdicts []verdict) string {
	var b strings.Builder
	if o.operators {
		fmt.Fprintf(&b, "# Operators\n\nWritten by `make bench-operators`. %s\n", head(o))
	} else {
		fmt.Fprintf(&b, "# Results\n\nWritten by `make bench-peers`. %s\nVersions: %s.\n\n", head(o), versions())
	}
	b.WriteString("Medians; in brackets the ratio of this library to the competitor, round by round. Lower is better. *Processor* is the processor\n" +
		"time of this library. *Foreign* is how many processors other processes had at most in a round that counts, and how many rounds\nwere repeated for it.\n")
	for _, c := range chapters {
		chapter(&b, c.title, slices.DeleteFunc(slices.Clone(results), func(r *result) bool { return r.ID[:1] != c.letter }))
	}
	b.WriteString("\n## Targets\n\n| | row | reached | target |\n|---|---|---|---|\n")
	met := 0
	for _, v := range verdicts {
		if v.ok {
			met++
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", word(v), v.row, v.got, v.want)
	}
	fmt.Fprintf(&b, "\n%d met, %d short.\n", met, len(verdicts)-met)
	return b.String()
}

// chapter writes a table, with columns for those who take part.
func chapter(b *strings.Builder, title string, results []*result) {
	if len(results) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n| | work | unit |", title)
	rule := "|---|---|---|"
	var used []string
	for _, c := range columns {
		if slices.ContainsFunc(results, func(r *result) bool { return r.of[c] != nil }) {
			used = append(used, c)
			b.WriteString(" " + c + " |")
			rule += "---|"
		}
	}
	b.WriteString(" spread | processor | allocations/run | foreign |\n" + rule + "---|---|---|---|\n")
	var notes []string
	for _, r := range results {
		if jvm := r.of[benchmarks.JVM]; jvm != nil && r.BehindJVM != "" {
			notes = append(notes, fmt.Sprintf("%s beside %s: %s; the targets of the row are what is claimed.", r.ID, benchmarks.JVM, r.BehindJVM))
		}
		fmt.Fprintf(b, "| %s | %s | %s |", r.ID, r.Title, strings.TrimSpace(string(r.Unit)))
		for _, c := range used {
			f := r.of[c]
			switch {
			case f == nil:
				b.WriteString(" |")
			case c == benchmarks.Library:
				fmt.Fprintf(b, " **%s** |", number(median(f.wall)))
			case f.unlike != "":
				notes = append(notes, fmt.Sprintf("\\* %s, %s: %s.", r.ID, c, f.unlike))
				fmt.Fprintf(b, " %s (%s)\\* |", number(median(f.wall)), ratioTo(r, c))
			default:
				fmt.Fprintf(b, " %s (%s) |", number(median(f.wall)), ratioTo(r, c))
			}
		}
		own := r.of[benchmarks.Library]
		fmt.Fprintf(b, " ±%.0f %% | %s | %.3g | %.1f, %d |\n", 100*own.spread(), number(median(own.cpu)), own.allocs, r.foreign, r.repeated)
	}
	if len(notes) > 0 {
		b.WriteString("\n" + strings.Join(notes, "\n") + "\n")
	}
}

// versions are those of the other libraries, as this program was built with them.
func versions() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	names := map[string]string{
		"github.com/samber/ro": benchmarks.Ro, "github.com/reactivex/rxgo/v2": benchmarks.RxGo, "github.com/jjeffcaii/reactor-go": benchmarks.ReactorGo,
		"github.com/panjf2000/ants/v2": benchmarks.Ants, "github.com/alitto/pond/v2": benchmarks.Pond, "github.com/sourcegraph/conc": benchmarks.Conc,
	}
	var list []string
	for _, m := range info.Deps {
		if name, ok := names[m.Path]; ok {
			list = append(list, name+" "+strings.TrimPrefix(m.Version, "v"))
		}
	}
	return strings.Join(list, ", ")
}
