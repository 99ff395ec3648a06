// Command smoke starts the network examples and lets clients that others have written talk
// to them, each once and briefly: redis-cli, redis-benchmark, wrk, nc, curl, ab, h2load, hey
// and slowhttptest. It ends with a line "N passed, M failed, K skipped"; what is skipped is
// not installed. A client named by -need is not skipped.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	need := flag.String("need", "", "clients, separated by commas, that must be there")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	failed, err := run(ctx, strings.Split(*need, ","))
	if err != nil {
		fmt.Fprintln(os.Stderr, "smoke:", err)
		os.Exit(1)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// server is an example that runs.
type server struct {
	name         string
	cmd          *exec.Cmd
	out          *bufio.Reader
	addr, words  string // host:port
	port, adPort string
}

var serving = regexp.MustCompile(`^serving on (\S+) \(\w+\), four-letter words on (\S+)$`)

// start builds and starts an example.
func start(ctx context.Context, dir, name string) (*server, error) {
	path := filepath.Join(dir, name)
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", path, "./examples/"+name).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	cmd := exec.CommandContext(ctx, path, "-addr", "127.0.0.1:0", "-admin", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{name: name, cmd: cmd, out: bufio.NewReader(out)}
	line, err := s.out.ReadString('\n')
	found := serving.FindStringSubmatch(strings.TrimSpace(line))
	if found == nil {
		return nil, errors.Join(fmt.Errorf("%s said %q", name, line), err, cmd.Process.Kill())
	}
	s.addr, s.words = found[1], found[2]
	s.port, s.adPort = s.addr[strings.LastIndexByte(s.addr, ':')+1:], s.words[strings.LastIndexByte(s.words, ':')+1:]
	return s, nil
}

// stop interrupts the example, which must end by itself, and returns what it says.
func (s *server) stop() (string, error) {
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return "", err
	}
	var said bytes.Buffer
	if _, err := said.ReadFrom(s.out); err != nil {
		return "", err
	}
	return strings.TrimSpace(said.String()), s.cmd.Wait()
}

// check is one run of a client.
type check struct {
	client string
	args   []string
	in     string
	want   string // regular expression that the output matches
	not    string // one that it does not match
	least  string // one with a group that is a number above 0
}

// run starts the examples, runs the clients, and stops the examples.
func run(ctx context.Context, need []string) (failed int, err error) {
	dir, err := os.MkdirTemp("", "smoke")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	kv, err := start(ctx, dir, "kv")
	if err != nil {
		return 0, err
	}
	web, err := start(ctx, dir, "web")
	if err != nil {
		return 0, errors.Join(err, kv.cmd.Process.Kill())
	}
	passed, skipped := 0, 0
	for _, c := range checks(kv, web) {
		began := time.Now()
		path, missing := exec.LookPath(c.client)
		if missing != nil && !slices.Contains(need, c.client) {
			skipped++
			fmt.Printf("skip  %s: not installed\n", c.client)
			continue
		}
		err := missing
		var figure string
		if err == nil {
			figure, err = c.run(ctx, path)
		}
		name := strings.Join(append([]string{c.client}, c.args...), " ")
		if err != nil {
			failed++
			fmt.Printf("FAIL  %s: %v\n", name, err)
			continue
		}
		passed++
		fmt.Printf("ok    %-70.70s %8s %6.2f s\n", name, figure, time.Since(began).Seconds())
	}
	for _, s := range []*server{kv, web} {
		said, err := s.stop()
		if err != nil || !strings.HasPrefix(said, "served ") {
			failed++
			fmt.Printf("FAIL  %s did not end well: %v, %q\n", s.name, err, said)
			continue
		}
		passed++
		fmt.Printf("ok    %s %s\n", s.name, said)
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	return failed, nil
}

// run runs the client and looks at what it prints.
func (c check) run(ctx context.Context, path string) (figure string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, c.args...)
	cmd.Stdin = strings.NewReader(c.in)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	if !regexp.MustCompile(c.want).Match(out) {
		return "", fmt.Errorf("the output does not match %q:\n%s", c.want, out)
	}
	if c.not != "" && regexp.MustCompile(c.not).Match(out) {
		return "", fmt.Errorf("the output matches %q:\n%s", c.not, out)
	}
	if c.least == "" {
		return "", nil
	}
	found := regexp.MustCompile(c.least).FindSubmatch(bytes.ReplaceAll(out, []byte("\r"), []byte("\n")))
	if found == nil {
		return "", fmt.Errorf("no figure in the output:\n%s", out)
	}
	n, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil || n <= 0 {
		return "", fmt.Errorf("figure %q, which should be above 0: %v", found[1], err)
	}
	return fmt.Sprintf("%.0f/s", n), nil
}
