package itest_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// The test program is also the other processes of its tests: childEnv says which of
// children it is, and has the argument of that one.
const childEnv = "ITEST_CHILD"

func TestMain(m *testing.M) {
	if call := os.Getenv(childEnv); call != "" {
		os.Exit(beChild(call))
	}
	goleak.VerifyTestMain(m)
}

// children are the other processes. They get an argument, read commands from in, one
// a line, and report on out.
var children = map[string]func(arg json.RawMessage, in <-chan string, out report) error{
	"holder":    beHolder,
	"contender": beContender,
	"server":    beServer,
}

type childCall struct {
	Child string
	Arg   any
}

func beChild(call string) int {
	var c struct {
		Child string
		Arg   json.RawMessage
	}
	if err := json.Unmarshal([]byte(call), &c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	in := make(chan string)
	go func() {
		defer close(in) // the parent has gone, or wants an end
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			in <- lines.Text()
		}
		if err := lines.Err(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	var mu sync.Mutex
	enc := json.NewEncoder(os.Stdout)
	out := func(r saying) {
		r.At = time.Now().UnixNano()
		mu.Lock()
		defer mu.Unlock()
		_ = enc.Encode(r) // a parent that has gone closes in as well
	}
	if err := children[c.Child](c.Arg, in, out); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", c.Child, err)
		return 1
	}
	return 0
}

type report func(saying)

// saying is what a child reports.
type saying struct {
	What  string
	Key   string
	Token uint64
	Nonce string
	Error string
	At    int64         // nanoseconds, by the clock that all processes of a machine share
	Still time.Duration // for how long the process stood still while it held the key that it has lost
}

// child is another process.
type child struct {
	t     testing.TB
	cmd   *exec.Cmd
	stdin io.WriteCloser
	said  chan saying // closed at its end
}

// spawn starts another process, which ends with the test at the latest.
func spawn(t testing.TB, name string, arg any) *child {
	t.Helper()
	call, err := json.Marshal(childCall{name, arg})
	require.NoError(t, err)
	c := &child{t: t, cmd: exec.Command(os.Args[0]), said: make(chan saying, 1024)}
	c.cmd.Env = append(os.Environ(), childEnv+"="+string(call))
	c.cmd.Stderr = os.Stderr
	c.stdin, err = c.cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.cmd.Start())
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		defer close(c.said)
		dec := json.NewDecoder(stdout)
		for {
			var s saying
			if dec.Decode(&s) != nil {
				return
			}
			c.said <- s
		}
	}()
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		go func() {
			for range c.said {
			}
		}()
		<-reading
		_ = c.cmd.Wait()
	})
	return c
}

// tell sends a command.
func (c *child) tell(command string) {
	c.t.Helper()
	_, err := io.WriteString(c.stdin, command+"\n")
	require.NoError(c.t, err)
}

// signal sends a signal to the process.
func (c *child) signal(s syscall.Signal) {
	c.t.Helper()
	require.NoError(c.t, c.cmd.Process.Signal(s))
}

// halt stops the process and waits until it has stopped: before that, another of its threads
// may go on.
func (c *child) halt() {
	c.t.Helper()
	c.signal(syscall.SIGSTOP)
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(c.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
		if err == syscall.EINTR {
			continue
		}
		require.NoError(c.t, err)
		require.True(c.t, status.Stopped(), "the process has ended: %v", status)
		return
	}
}

// hears waits for a report of one of the kinds and passes over others.
func (c *child) hears(limit time.Duration, kinds ...string) saying {
	c.t.Helper()
	late := time.After(limit)
	for {
		select {
		case s, ok := <-c.said:
			if !ok {
				c.t.Fatalf("the process has ended, waiting for %v", kinds)
			}
			for _, k := range kinds {
				if s.What == k {
					return s
				}
			}
		case <-late:
			c.t.Fatalf("none of %v within %v", kinds, limit)
		}
	}
}

// withProcesses leaves a test out of go test -short: one that takes long because of the other
// processes in it, in which the race detector of this one sees nothing.
func withProcesses(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("make test-connectors runs it")
	}
}

// count returns the number in an environment variable, which makes a test larger, or
// a default.
func count(t testing.TB, name string, def int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return def
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, name)
	require.Positive(t, n, name)
	return n
}
