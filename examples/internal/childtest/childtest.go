// Package childtest runs an example as a process of its own in a test of it.
package childtest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

const variable = "EXAMPLE_ARGS"

// Main runs the program in a child and reports false, without running anything, in the process of the tests. TestMain calls it first.
func Main(main func()) bool {
	args := os.Getenv(variable)
	if args == "" {
		return false
	}
	os.Args = append(os.Args[:1], strings.Split(args, " ")...)
	main()
	return true
}

// Terminated runs the program with these arguments, which no space is part of, as far as its first line, which contains first, and
// terminates it as a service manager does. It returns what the program writes from then on. The test fails unless it ends with success.
func Terminated(t *testing.T, first string, args ...string) (rest string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable+"="+strings.Join(args, " "))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() //nolint:errcheck // it has ended
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil || !strings.Contains(line, first) {
		t.Fatalf("it began with %q, not %q: %v", line, first, err)
	}
	if err = cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	if err = cmd.Wait(); err != nil {
		t.Fatalf("at the end: %v\n%s", err, all)
	}
	return string(all)
}
