package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
)

// idleConns is how many connections are held that do nothing; spare is what a process needs
// besides them.
const (
	idleConns = 10_000
	spare     = 400
)

// prerequisites reports all that is missing on this machine, a line each. It raises the soft
// limit of descriptors to the hard one, for the programs that are started, too.
func prerequisites(p *plan) error {
	var missing []string
	for _, need := range []struct{ tool, pack, kinds string }{
		{"taskset", "util-linux", ""},
		{"redis-benchmark", "redis-tools", "resp client held"},
		{"wrk", "wrk", "http slow"},
		{"slowhttptest", "slowhttptest", "slow"},
		{"redis-server", "redis-server", "redis-server"},
	} {
		wanted := need.kinds == "" || slices.Contains(p.engines, need.kinds) ||
			slices.ContainsFunc(strings.Fields(need.kinds), func(k string) bool { return slices.Contains(p.only, k) })
		if _, err := exec.LookPath(need.tool); err != nil && wanted {
			missing = append(missing, fmt.Sprintf("%s is not installed: package %s", need.tool, need.pack))
		}
	}
	if n := runtime.NumCPU(); n < 2 {
		missing = append(missing, fmt.Sprintf("%d processor may be used: one is for the server and one for the clients", n))
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return err
	}
	files.Cur = files.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return err
	}
	least := uint64(1000 + spare)
	if slices.Contains(p.only, "idle") || slices.Contains(p.only, "held") {
		least = idleConns + spare
	}
	if files.Cur < least {
		missing = append(missing, fmt.Sprintf("a process may have %d descriptors, %d are needed: ulimit -Hn", files.Cur, least))
	}
	if missing != nil {
		return fmt.Errorf("this machine lacks something:\n  %s", strings.Join(missing, "\n  "))
	}
	return nil
}

// machine is what figures depend on besides the programs.
type machine struct {
	processor, kernel string
	before            string // load, of one, five and fifteen minutes
	versions          []string
	rounds            int
	took              time.Duration
	after             string
}

func inspect(ctx context.Context) *machine {
	m := &machine{processor: field("/proc/cpuinfo", "model name"), before: load()}
	var name syscall.Utsname
	if syscall.Uname(&name) == nil {
		for _, c := range name.Release {
			if c == 0 || c == '-' { // what follows is what somebody calls his own
				break
			}
			m.kernel += string(rune(c))
		}
	}
	m.versions = append(m.versions, runtime.Version())
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if strings.Contains(dep.Path, "/gnet/") || strings.HasSuffix(dep.Path, "/netpoll") || strings.HasSuffix(dep.Path, "/evio") {
				m.versions = append(m.versions, dep.Path+" "+dep.Version)
			}
		}
	}
	for _, tool := range [][]string{{"redis-server", "--version"}, {"redis-benchmark", "--version"}, {"wrk", "--version"}} {
		out, _ := exec.CommandContext(ctx, tool[0], tool[1:]...).CombinedOutput() // wrk ends with status 1
		first, _, _ := strings.Cut(string(out), "\n")
		if words := strings.Fields(first); len(words) > 0 {
			m.versions = append(m.versions, strings.Join(words[:min(3, len(words))], " "))
		}
	}
	return m
}

func (m *machine) finish(rounds int, took time.Duration) {
	m.rounds, m.took, m.after = rounds, took, load()
}

func (m *machine) String() string {
	return fmt.Sprintf("%s/%s, %d processors (%s), Linux %s, load %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), m.processor, m.kernel, m.before)
}

func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	return strings.Join(fields[:min(3, len(fields))], " ")
}

func field(path, name string) string {
	text, _ := os.ReadFile(path)
	_, rest, _ := strings.Cut(string(text), name)
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimLeft(line, " \t:")
}
