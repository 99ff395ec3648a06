package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// cost is what one build took.
type cost struct {
	wall time.Duration
	cpu  time.Duration // of the go command and all it started
}

// least keeps the smaller of each figure.
func (c *cost) least(d cost) {
	if c.wall == 0 || d.wall < c.wall {
		c.wall = d.wall
	}
	if c.cpu == 0 || d.cpu < c.cpu {
		c.cpu = d.cpu
	}
}

// buildCase is one program to build.
type buildCase struct {
	name string
	dir  string          // where to run go build
	main string          // the package or file to build
	once bool            // too slow for more than one round
	ctx  context.Context // ends when the builds shall

	first, next cost
	binary      int64 // bytes
}

// warm adds the standard packages that the case depends on to a build cache.
func (c *buildCase) warm(std string) error {
	cmd := c.command("", "list", "-deps", "-f", "{{if .Standard}}{{.ImportPath}}{{end}}", c.main)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, explain(cmd, err))
	}
	cmd = c.command(std, append([]string{"build"}, strings.Fields(string(out))...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", c.name, err, out)
	}
	return nil
}

// measure builds the case twice on a fresh copy of the warm cache: all of it, then
// with the package of operators already built.
func (c *buildCase) measure(work, std string) error {
	cache := filepath.Join(work, "run")
	defer os.RemoveAll(cache)
	if err := os.CopyFS(cache, os.DirFS(std)); err != nil {
		return err
	}
	binary := filepath.Join(work, "binary")
	first, err := c.build(cache, binary)
	if err != nil {
		return err
	}
	c.first.least(first)
	info, err := os.Stat(binary)
	if err != nil {
		return err
	}
	c.binary = info.Size()

	// Another program of the same text has to be compiled again, while what it
	// imports comes from the cache.
	if err := c.touch(); err != nil {
		return err
	}
	next, err := c.build(cache, binary)
	if err != nil {
		return err
	}
	c.next.least(next)
	return nil
}

// touch changes the text of the program without changing what it does.
func (c *buildCase) touch() error {
	name := c.main
	if filepath.Ext(name) != ".go" {
		name = filepath.Join(c.dir, name, "main.go")
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "\nvar _ = %d\n", time.Now().UnixNano())
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

func (c *buildCase) build(cache, binary string) (cost, error) {
	cmd := c.command(cache, "build", "-o", binary, c.main)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	wall := time.Since(start)
	if err != nil {
		return cost{}, fmt.Errorf("%s: %w\n%s", c.name, err, out)
	}
	return cost{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

func (c *buildCase) command(cache string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.ctx, "go", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // the compilers end before it does
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), compilerFlags(), "GOWORK=off")
	if cache != "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+cache)
	}
	return cmd
}

// compiled counts the functions that the program's own package is compiled to, which unlike the time does not change from run to run.
func (c *buildCase) compiled() (int, error) {
	cmd := c.command("", "list", "-export", "-f", "{{.Export}}", c.main)
	object, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c.name, explain(cmd, err))
	}
	cmd = c.command("", "tool", "nm", strings.TrimSpace(string(object)))
	symbols, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c.name, explain(cmd, err))
	}
	return len(function.FindAll(symbols, -1)), nil
}

// function is a symbol with code.
var function = regexp.MustCompile(`(?m)^ *[0-9a-f]+ +[Tt] `)

// explain adds what a command wrote to standard error.
func explain(cmd *exec.Cmd, err error) error {
	if exit, ok := err.(*exec.ExitError); ok {
		return fmt.Errorf("%v: %w\n%s", cmd.Args, err, exit.Stderr)
	}
	return err
}

// moduleRoot returns the folder of this module's go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return "", fmt.Errorf("run it inside the module")
	}
	return filepath.Dir(mod), nil
}

// compilerFlags is GOFLAGS with what the compiler is given alone: another way of compiling compiles the standard library again,
// the race detector or a tag is another program.
func compilerFlags() string {
	return "GOFLAGS=" + strings.Join(slices.DeleteFunc(strings.Fields(os.Getenv("GOFLAGS")), func(flag string) bool {
		return !strings.HasPrefix(flag, "-gcflags=")
	}), " ")
}
