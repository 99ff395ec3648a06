package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// bench starts servers and clients.
type bench struct {
	ctx     context.Context
	dir     string // of the programs
	seconds float64
	kept    map[string]map[string][]figures
	counts  map[string]float64 // requests per second that workloads of a given length go by
}

// figures are what one measurement gives.
type figures struct {
	rate   float64 // requests per second
	cpu    float64 // microseconds of the server's processor time per request
	p99    float64 // microseconds
	mega   float64 // bytes taken from a flood, 1e6
	growth float64 // of the server's memory by the flood, 1e6 bytes
	peers  float64 // of it by the peers that connected before, 1e6 bytes
	each   float64 // bytes per idle connection
	held   float64 // idle connections that still answered
	failed string
}

func newBench(ctx context.Context, seconds float64) (*bench, error) {
	dir, err := os.MkdirTemp("", "bench-net")
	if err != nil {
		return nil, err
	}
	b := &bench{ctx: ctx, dir: dir, seconds: seconds, kept: map[string]map[string][]figures{}, counts: map[string]float64{}}
	for _, name := range []string{"serve", "load"} {
		out, err := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, name), "./cmd/"+name).CombinedOutput()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("building %s: %w\n%s", name, err, out), os.RemoveAll(dir))
		}
	}
	return b, nil
}

func (b *bench) close() { _ = os.RemoveAll(b.dir) }

func (b *bench) keep(workload, engine string, f figures) {
	if b.kept[workload] == nil {
		b.kept[workload] = map[string][]figures{}
	}
	b.kept[workload][engine] = append(b.kept[workload][engine], f)
}

// calibrate notes how fast the engines were with w in this round, so that the next one takes
// as long as it should. All engines have the same number of requests to answer.
func (b *bench) calibrate(w workload) {
	var rates []float64
	for _, turns := range b.kept[w.name] {
		rates = append(rates, of(turns[len(turns)-max(w.turns, 1):], rate)...)
	}
	if len(rates) > 0 {
		b.counts[w.name] = median(rates)
	}
}

// expected returns the requests per second that w will probably have.
func (b *bench) expected(w string, guess float64) float64 {
	if rate, ok := b.counts[w]; ok {
		return max(guess/8, min(rate, 8*guess))
	}
	return guess
}

// server is a process that serves.
type server struct {
	cmd  *exec.Cmd
	addr string
	port string
}

// start starts an engine on the first processor.
func (b *bench) start(engine, protocol string) (*server, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{addr: free.Addr().String()}
	_, s.port, _ = net.SplitHostPort(s.addr)
	free.Close()
	args := []string{"-c", "0", filepath.Join(b.dir, "serve"), "-engine", engine, "-protocol", protocol, "-addr", s.addr}
	if engine == "redis-server" {
		args = []string{"-c", "0", "redis-server", "--port", s.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--maxclients", "20000"}
	}
	s.cmd = exec.CommandContext(b.ctx, "taskset", args...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if line := lines.Text(); line == "ready" || strings.Contains(line, "Ready to accept") {
			go io.Copy(io.Discard, out)
			return s, nil
		}
	}
	s.stop()
	return nil, errors.Join(fmt.Errorf("%s does not serve %s", engine, protocol), lines.Err())
}

func (s *server) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// cpu returns the processor time of all threads.
func (s *server) cpu() time.Duration {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.cmd.Process.Pid))
	total := int64(0)
	for _, path := range tasks {
		text, _ := os.ReadFile(path)
		first, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(first, 10, 64)
		total += n
	}
	return time.Duration(total)
}

// descriptors returns how many it has.
func (s *server) descriptors() int {
	list, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
	return len(list)
}

// memory returns the bytes that are resident, without those of files: the program itself, which
// is read in as it comes to be run.
func (s *server) memory() float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(text), "RssAnon:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseFloat(fields[0], 64)
	return n * 1024
}

// client runs a program on the other processor and returns what it prints.
func (b *bench) client(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "taskset", append([]string{"-c", "1", name}, args...)...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%s: %w: %.300s", name, err, exit.Stderr)
		}
		return "", err
	}
	return string(out), nil
}

// loadResult is what cmd/load prints.
type loadResult struct {
	Requests int
	Seconds  float64
	P50, P99 float64
	Bytes    int64
	Stalled  float64
}

func (b *bench) load(args ...string) (r loadResult, err error) {
	out, err := b.client(filepath.Join(b.dir, "load"), args...)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal([]byte(out), &r)
}

// holding starts a client that does something, says so, and waits for a line of input, as
// often as there are functions to call then. The last time it ends. It returns what it says at the
// end.
func (b *bench) holding(looks []func(), args ...string) (r loadResult, err error) {
	cmd := exec.CommandContext(b.ctx, "taskset", append([]string{"-c", "1", filepath.Join(b.dir, "load")}, args...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return r, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return r, err
	}
	lines := bufio.NewReader(out)
	for i, look := range looks {
		if _, err = lines.ReadString('\n'); err != nil {
			break
		}
		look()
		if i < len(looks)-1 {
			_, err = io.WriteString(in, "\n")
		}
	}
	err = errors.Join(err, in.Close())
	rest, readErr := io.ReadAll(lines)
	if err = errors.Join(err, readErr, cmd.Wait()); err != nil {
		return r, err
	}
	return r, json.Unmarshal(rest, &r)
}
