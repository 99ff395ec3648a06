// Command srcstats prints statistics of the Go files below a directory, by
// default those of the standard library of the toolchain in use.
//
//	go run ./examples/srcstats [-top n] [-reads n] [-compare=false] [directory]
//
// Walking and reading block, so they run on the bounded elastic scheduler; parsing
// needs the processor, so it runs on the parallel one. Files that can't be read or
// parsed are counted and listed. Ctrl-C stops it with what it has.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "srcstats:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer, terminal *os.File) error {
	flags := flag.NewFlagSet("srcstats", flag.ContinueOnError)
	top := flags.Int("top", 12, "packages in the table")
	reads := flags.Int("reads", 64, "files that are read at the same time")
	compare := flags.Bool("compare", true, "do the same work in a plain loop too")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if flags.NArg() > 1 { // flags behind the directory are none
		return fmt.Errorf("%q is one argument too many: flags come first, then one directory", flags.Arg(1))
	}
	if *top < 1 || *reads < 1 {
		return fmt.Errorf("-top and -reads must be positive, got %d and %d", *top, *reads)
	}
	root := flags.Arg(0)
	if root == "" {
		var err error
		if root, err = standardLibrary(ctx); err != nil {
			return err
		}
	}
	root, err := directory(root)
	if err != nil {
		return err
	}

	report := newReport(root)
	progress := newProgress(terminal)
	began := time.Now()
	err = pipeline(ctx, root, *reads, progress.seen).ForEach(context.Background(), report.merge)
	took := time.Since(began)
	progress.clear()

	report.print(out, *top)
	printSchedulers(out)
	fmt.Fprintf(out, "\npipeline    %8.2f s\n", took.Seconds())
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		fmt.Fprintf(out, "stopped early: the figures cover what had been read by then\n")
		return nil
	}
	if *compare {
		// Second, so the files are in the page cache: the comparison favours the loop.
		began = time.Now()
		again := loop(ctx, root)
		took := time.Since(began)
		fmt.Fprintf(out, "plain loop  %8.2f s\n", took.Seconds())
		if ctx.Err() == nil && again.total != report.total {
			return fmt.Errorf("the loop counted %+v, the pipeline %+v", again.total, report.total)
		}
	}
	return nil
}

// pipeline finds, reads and parses the files below root, and emits a report for each
// package. When ctx ends it stops reading and reports what it has.
func pipeline(ctx context.Context, root string, reads int, seen func(file)) flux.Flux[*report] {
	return flux.FromSeq(walk(root)).
		SubscribeOn(schedulers.BoundedElastic()).
		FlatMap(func(f file) mono.Mono[file] {
			return mono.FromFunc(func(context.Context) (file, error) { return read(f), nil }).
				SubscribeOn(schedulers.BoundedElastic()).
				PublishOn(schedulers.Parallel()).
				Map(parse)
		}, flux.Concurrency(reads)).
		TakeUntilOther(flux.FromChan(ctx.Done())).
		DoOnNext(seen).
		GroupBy(func(f file) string { return f.pkg }).
		FlatMap(func(g flux.GroupedFlux[string, file]) mono.Mono[*report] {
			return g.FoldWith(func() *report { return newReport(root) }, (*report).add)
		}, flux.Concurrency(math.MaxInt)) // a group stays open until the end, so all must be read
}

// loop does the same work as the pipeline, one file after the other.
func loop(ctx context.Context, root string) *report {
	r := newReport(root)
	for f := range walk(root) {
		if ctx.Err() != nil {
			break
		}
		r = r.add(parse(read(f)))
	}
	return r
}

// directory returns name without symbolic links, which the walk would not follow.
func directory(name string) (string, error) {
	root, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(root)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", name)
	}
	return root, nil
}

// standardLibrary asks the go command where its standard library is.
func standardLibrary(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w; name a directory", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src"), nil
}

func printSchedulers(out io.Writer) {
	fmt.Fprintf(out, "\n%-32s %8s %10s %9s\n", "scheduler", "workers", "completed", "rejected")
	for _, s := range []schedulers.Scheduler{schedulers.BoundedElastic(), schedulers.Parallel()} {
		st := s.Stats()
		fmt.Fprintf(out, "%-32s %8s %10d %9d\n", st.Kind, fmt.Sprintf("%d of %d", st.Workers, st.Capacity), st.Completed, st.Rejected)
	}
}

// progress writes one line that is overwritten, if there is a terminal to see it.
type progress struct {
	out          *os.File // nil without a terminal
	last         time.Time
	files, lines int
}

func newProgress(f *os.File) *progress {
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &progress{}
	}
	return &progress{out: f}
}

func (p *progress) seen(f file) {
	p.files++
	p.lines += f.counts.lines
	if p.out == nil || time.Since(p.last) < 100*time.Millisecond {
		return
	}
	p.last = time.Now()
	fmt.Fprintf(p.out, "\r%d files, %d lines", p.files, p.lines)
}

func (p *progress) clear() {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\033[K")
	}
}
