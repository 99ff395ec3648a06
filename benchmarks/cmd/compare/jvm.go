package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/goreactor/reactor/benchmarks"
)

// jvm is a process of benchmarks/jvm, which does the workloads on Project Reactor and on the
// executors of the JDK, and stays warm between the rounds. A line "id milliseconds" asks for a
// measurement, and is answered by "result wall cpu total": nanoseconds for each element, and the processor time
// of all of it.
type jvm struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	version string
	ids     map[string]bool
}

// startJVM starts a process by a shell command. Its first line is the version, then the
// ids of the workloads that it knows.
func startJVM(command string) (*jvm, error) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the JVM did not start: %w", err)
	}
	j := &jvm{cmd: cmd, in: in, out: bufio.NewScanner(out), ids: map[string]bool{}}
	if !j.out.Scan() {
		return nil, errors.Join(fmt.Errorf("the JVM said nothing (%s)", command), j.close())
	}
	version, ids, _ := strings.Cut(j.out.Text(), "\t")
	j.version = version
	for id := range strings.SplitSeq(ids, "\t") {
		j.ids[id] = true
	}
	return j, nil
}

func (j *jvm) close() error { return errors.Join(j.in.Close(), j.cmd.Wait()) }

// jvmID is what a workload is called there.
func jvmID(id, name string) string {
	if name == benchmarks.JVM {
		return id
	}
	return id + "/" + name
}

func (j *jvm) does(id, name string) bool { return j.ids[jvmID(id, name)] }

// warm lets the compiler of the JVM see a workload, and checks its result.
func (j *jvm) warm(id, name string, want int) error {
	a, err := j.ask(jvmID(id, name), 2*time.Second)
	if err == nil && a.result != want {
		err = fmt.Errorf("%s: %s yields %d, not %d", id, name, a.result, want)
	}
	return err
}

func (j *jvm) sample(w benchmarks.Workload, name string, long time.Duration) (sample, error) {
	a, err := j.ask(jvmID(w.ID, name), long)
	if w.Unit == benchmarks.Milliseconds {
		a.wall, a.cpu = a.wall/1e6, a.cpu/1e6
	}
	used := time.Duration(a.total)
	return sample{wall: a.wall, cpu: a.cpu, processor: used, child: used}, err
}

// answer is what the JVM says of a measurement, in nanoseconds.
type answer struct {
	result           int
	wall, cpu, total float64
}

func (j *jvm) ask(id string, long time.Duration) (a answer, err error) {
	if _, err := fmt.Fprintf(j.in, "%s\t%d\n", id, long.Milliseconds()); err != nil {
		return a, fmt.Errorf("the JVM is gone: %w", err)
	}
	if !j.out.Scan() {
		return a, fmt.Errorf("the JVM is gone: %w", errors.Join(j.out.Err(), j.close()))
	}
	text := j.out.Text()
	if _, err := fmt.Sscanf(text, "%d %g %g %g", &a.result, &a.wall, &a.cpu, &a.total); err != nil {
		return a, fmt.Errorf("%s: the JVM says %q", id, text)
	}
	return a, nil
}
