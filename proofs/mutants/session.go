package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// seeds are set so that a run of the tool can be repeated.
var seeds = []string{"REACTOR_RACE_SEED=1", "REACTOR_CHAIN_SEED=1", "REACTOR_CHAOS_SEED=1"}

// suite is a test binary. All are compiled with forced yields (internal/chaos): the
// bugs that matter hide between two atomic steps.
type suite struct {
	folder string
	race   bool // with the race detector
}

// command is a run of a suite.
type command struct {
	suite
	tests string // regexp; "" for all quick ones
	skip  string // regexp of those to leave out
}

// What is skipped: measurements and the depth of the stack notice no mutation, races
// take their time.
const (
	skipped      = "Stack|Alloc"
	skippedFirst = skipped + "|Race|Many"
)

func (c command) String() string {
	s := "go test -tags chaos ./" + c.folder
	if c.race {
		s = "go test -race -tags chaos ./" + c.folder
	}
	if c.tests == "" {
		s += " -short"
	} else {
		s += " -run '" + c.tests + "'"
	}
	return s + " -skip '" + c.skip + "'"
}

// wide are the tests that every stage goes through.
var wide = []command{
	{suite{folder: "proofs/stages"}, "", skipped},
	{suite{folder: "proofs/chainfuzz"}, "", skipped},
	{suite{folder: "proofs/vectors"}, "TestVectors", skipped},
}

// commands returns what to try for a mutation, cheapest first.
func (s *session) commands(m mutation) (all []command) {
	var named []command
	for _, t := range strings.Split(m.tests, " , ") {
		folder, tests, _ := strings.Cut(t, " ")
		c := command{suite{folder: folder}, tests, skipped}
		named = append(named, c)
		c.skip = skippedFirst
		all = append(all, c)
	}
	all = append(all, named...)
	if s.wide {
		all = append(all, wide...)
	}
	if s.race {
		for _, c := range named {
			c.race = true
			all = append(all, c)
		}
	}
	return all
}

// result says what became of a mutation.
type result struct {
	mutation mutation
	by       string // the command that killed it, "" if none did
	late     bool   // that did not end in time
	err      error  // of the tool
}

// session is one run of the tool.
type session struct {
	root, work, overlay string
	race, wide, verbose bool
	parallel            int

	mu       sync.Mutex
	binaries map[suite]*built     // guarded by mu
	plain    map[command]*outcome // guarded by mu
}

type built struct {
	once sync.Once
	file string
	err  error
}

// outcome is how a command ends without a mutation.
type outcome struct {
	once sync.Once
	took time.Duration
	err  error
}

// all applies the mutations with the given indices, a few at a time.
func (s *session) all(ctx context.Context, chosen []int) []result {
	s.binaries, s.plain = map[suite]*built{}, map[command]*outcome{}
	results := make([]result, len(chosen))
	next := make(chan int)
	var group sync.WaitGroup
	for range max(1, s.parallel) {
		group.Go(func() {
			for i := range next {
				results[i] = s.apply(ctx, chosen[i])
				by := results[i].by
				switch {
				case results[i].err != nil:
					by = results[i].err.Error()
				case by == "":
					by = results[i].outcome()
				case results[i].late:
					by += " (" + results[i].outcome() + ")"
				}
				fmt.Printf("%2d/%d %s: %s\n", i+1, len(chosen), results[i].mutation.name, by)
			}
		})
	}
	for i := range chosen {
		next <- i
	}
	close(next)
	group.Wait()
	return results
}

// apply tests one mutation.
func (s *session) apply(ctx context.Context, index int) (r result) {
	r.mutation = table[index]
	for _, c := range s.commands(r.mutation) {
		took, err := s.unbroken(ctx, c)
		if err != nil {
			r.err = err
			return r
		}
		// A mutation may make things hang; one that makes them slow is not killed.
		out, err := s.test(ctx, c, index+1, 15*time.Second+4*took)
		if ctx.Err() != nil {
			return r
		}
		if err != nil {
			r.by, r.late = c.String(), errors.Is(err, errLate)
			if s.verbose {
				fmt.Printf("%s: %v\n%s\n", r.mutation.name, err, tail(out))
			}
			return r
		}
	}
	return r
}

// unbroken runs a command without a mutation, once, and returns how long it takes.
func (s *session) unbroken(ctx context.Context, c command) (time.Duration, error) {
	s.mu.Lock()
	o := s.plain[c]
	if o == nil {
		o = &outcome{}
		s.plain[c] = o
	}
	s.mu.Unlock()
	o.once.Do(func() {
		if _, o.err = s.binary(ctx, c.suite); o.err != nil {
			return
		}
		begin := time.Now()
		out, err := s.test(ctx, c, 0, 10*time.Minute)
		o.took = time.Since(begin)
		switch {
		case err != nil:
			o.err = fmt.Errorf("%v fails without a mutation: %w\n%s", c, err, tail(out))
		case c.skip == skipped && bytes.Contains(out, []byte("no tests to run")):
			o.err = fmt.Errorf("%v runs no test", c)
		}
	})
	return o.took, o.err
}

// errLate is the error of a test that did not end in time.
var errLate = errors.New("no end in time")

// test runs a command with the mutation of the given number, 0 for none.
func (s *session) test(ctx context.Context, c command, number int, limit time.Duration) (out []byte, err error) {
	file, err := s.binary(ctx, c.suite)
	if err != nil {
		return nil, err
	}
	args := []string{"-test.failfast", "-test.skip=" + c.skip, "-test.timeout=" + limit.String()}
	if c.tests == "" {
		args = append(args, "-test.short")
	} else {
		args = append(args, "-test.run="+c.tests)
	}
	// The runtime of the test may be what is stuck: be sure that it ends.
	ctx, cancel := context.WithTimeout(ctx, limit+10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, file, args...)
	cmd.Dir = filepath.Join(s.root, filepath.FromSlash(c.folder))
	cmd.Env = append(append(os.Environ(), seeds...), fmt.Sprintf("%s=%d", switchVariable, number))
	cmd.WaitDelay = time.Second
	out, err = cmd.CombinedOutput()
	if err != nil && (ctx.Err() != nil || bytes.Contains(out, []byte("panic: test timed out after "))) {
		err = fmt.Errorf("%w: %w", errLate, err)
	}
	return out, err
}

// binary compiles a suite, once.
func (s *session) binary(ctx context.Context, which suite) (string, error) {
	s.mu.Lock()
	b := s.binaries[which]
	if b == nil {
		b = &built{file: filepath.Join(s.work, fmt.Sprintf("%d.test", len(s.binaries)))}
		s.binaries[which] = b
	}
	s.mu.Unlock()
	b.once.Do(func() {
		args := []string{"test", "-c", "-vet=off", "-tags", "chaos", "-overlay", s.overlay, "-o", b.file}
		if which.race {
			args = append(args, "-race")
		}
		module := moduleOf(s.root, which.folder)
		inside := strings.TrimPrefix(strings.TrimPrefix(which.folder, module), "/")
		cmd := exec.CommandContext(ctx, "go", append(args, "./"+inside)...)
		cmd.Dir = filepath.Join(s.root, filepath.FromSlash(module))
		if out, err := cmd.CombinedOutput(); err != nil {
			b.err = fmt.Errorf("compiling ./%s with all mutations: %w\n%s", which.folder, err, tail(out))
		}
	})
	return b.file, b.err
}

// moduleOf returns the folder of the module that a folder is in, "" for that of the root: a
// nested module is compiled in its own folder, and finds what is mutated by its replace.
func moduleOf(root, folder string) string {
	for dir := folder; dir != "." && dir != ""; dir = path.Dir(dir) {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir), "go.mod")); err == nil {
			return dir
		}
	}
	return ""
}

// tail returns the last lines of an output.
func tail(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-30):], "\n")
}
