// Conformance runs the conformance kit of reactortest/tck over other libraries, through adapters that add
// nothing, and prints the table in docs/conformance.md.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/reactivex/rxgo/v2"
	"github.com/samber/ro"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/cli"
	"github.com/goreactor/reactor/reactortest/tck"
)

// most is how many elements the adapters are asked for at most: publishers that can't be stopped would run for
// ever.
const most = 1000

type peer struct {
	name string
	spec tck.Publisher[int]
}

var peers = []peer{
	{"this library", tck.Publisher[int]{
		Create: func(n int64) reactor.Publisher[int] { return flux.Range(0, int(n)) },
		Failed: func() reactor.Publisher[int] { return flux.Error[int](context.DeadlineExceeded) },
		Max:    most,
	}},
	{"samber/ro", tck.Publisher[int]{
		Create: func(n int64) reactor.Publisher[int] {
			return roPublisher{ro.Map(func(v int64) int { return int(v) })(ro.Range(0, n))}
		},
		Failed: func() reactor.Publisher[int] { return roPublisher{ro.Throw[int](context.DeadlineExceeded)} },
		Max:    most,
	}},
	{"RxGo", tck.Publisher[int]{
		Create: func(n int64) reactor.Publisher[int] {
			if n == 0 {
				return rxPublisher{rxgo.Empty()}
			}
			return rxPublisher{rxgo.Range(0, int(n))}
		},
		Failed: func() reactor.Publisher[int] { return rxPublisher{rxgo.Thrown(context.DeadlineExceeded)} },
		Max:    most,
	}},
}

// roPublisher subscribes the observer of ro. It has no demand, so Request has nobody to tell.
type roPublisher struct{ o ro.Observable[int] }

func (p roPublisher) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	ctx, cancel := context.WithCancel(ctx)
	s.OnSubscribe(stop(cancel))
	p.o.SubscribeWithContext(ctx, ro.NewObserver(s.OnNext, s.OnError, s.OnComplete))
}

// rxPublisher calls ForEach of RxGo. It has no demand either.
type rxPublisher struct{ o rxgo.Observable }

func (p rxPublisher) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	ctx, cancel := context.WithCancel(ctx)
	s.OnSubscribe(stop(cancel))
	p.o.ForEach(func(v any) { s.OnNext(v.(int)) }, s.OnError, s.OnComplete, rxgo.WithContext(ctx))
}

// stop is a subscription that can be cancelled.
type stop context.CancelFunc

func (stop) Request(int64) {}
func (c stop) Cancel()     { c() }

func main() { cli.Main("conformance", parse, run) }

// parse reads the arguments: -v shows what was seen of each failure.
func parse(args []string) (verbose bool, err error) {
	flags := cli.Flags("conformance")
	flags.BoolVar(&verbose, "v", false, "show what was seen of each failure, too")
	return verbose, cli.Parse(flags, args)
}

func run(verbose bool, out io.Writer) error {
	opts := []tck.Option{tck.Timeout(200 * time.Millisecond), tck.Quiet(20 * time.Millisecond), tck.Rounds(5)}
	var table [][]tck.Result
	for _, p := range peers {
		table = append(table, tck.CheckPublisher(p.spec, opts...))
		fmt.Fprintln(os.Stderr, p.name, "is done")
	}
	heads := make([]string, len(peers))
	for i, p := range peers {
		heads[i] = p.name
	}
	fmt.Fprintf(out, "| rule | test | %s |\n|---|---|%s\n", strings.Join(heads, " | "), strings.Repeat("---|", len(peers)))
	failed := make([]int, len(peers))
	for i, first := range table[0] {
		cells := make([]string, len(peers))
		for j := range peers {
			switch r := table[j][i]; {
			case r.Failed != "":
				cells[j] = "**fails**"
				failed[j]++
			case r.Skipped != "":
				cells[j] = "skipped"
			default:
				cells[j] = "passes"
			}
		}
		if slices.Contains(cells, "**fails**") || slices.Contains(cells, "skipped") {
			fmt.Fprintf(out, "| %s | `%s` | %s |\n", first.Rule, first.Name, strings.Join(cells, " | "))
		}
	}
	fmt.Fprintf(out, "| | **failed, of %d** | %s |\n", len(table[0]), strings.Trim(strings.Join(strings.Fields(fmt.Sprint(failed)), " | "), "[]"))
	if verbose {
		for j, p := range peers {
			for _, r := range table[j] {
				if r.Failed != "" {
					fmt.Fprintf(out, "\n%s: %s: %s\n", p.name, r.Name, r.Failed)
				}
			}
		}
	}
	return nil
}
