package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// As go vet runs it, it finds in examples/mistakes what it claims to find, and nothing else there.
func TestMistakes(t *testing.T) {
	vet := exec.Command("go", "vet", "-vettool="+build(t), "./examples/mistakes")
	vet.Dir = filepath.Join("..", "..")
	vet.Env = append(os.Environ(), compilerFlags())
	out, err := vet.CombinedOutput()
	if err == nil {
		t.Fatal("no finding")
	}
	var found []string
	for _, m := range regexp.MustCompile(`(?m)mistakes/(\w+\.go):\d+:\d+: (.*)$`).FindAllStringSubmatch(string(out), -1) {
		found = append(found, m[1]+": "+m[2])
	}
	slices.Sort(found)
	want := []string{
		`unused\.go: the Flux that DoOnNext returns is not used`,                                                                  // not-subscribed
		`unused\.go: the Flux that Filter returns is not used`,                                                                    // result-ignored
		`unused\.go: the error of lines\.All is not looked at`,                                                                    // error-swallowed
		`waiting\.go: Block waits in a function of TryMap`,                                                                        // block-in-map
		`waiting\.go: a receive from a channel in a function of Map blocks a worker that must not block \(PublishOn\(workers\)\)`, // block-in-a-goroutine
		`waiting\.go: a select without default in a function of Map blocks a worker that must not block`,                          // blocking-on-parallel
	}
	for _, pattern := range want {
		i := slices.IndexFunc(found, regexp.MustCompile(pattern).MatchString)
		if i < 0 {
			t.Errorf("not found: %s", pattern)
			continue
		}
		found = slices.Delete(found, i, i+1)
	}
	for _, more := range found {
		t.Errorf("found besides: %s", more)
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}

// build builds the command and returns its path.
func build(t *testing.T) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "reactorvet")
	if out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return tool
}

// Called with packages it runs go vet with itself, flags and all.
func TestPackagesAsArguments(t *testing.T) {
	tool := build(t)
	for _, c := range []struct {
		args  []string
		fails bool
		want  string
	}{
		{[]string{"./examples/mistakes"}, true, "unused.go"},
		{[]string{"-allerror", "-tags", "chaos", "./examples/mistakes"}, true, "the error of lines.All is not looked at"},
		{[]string{"./internal/demand"}, false, ""},
		{[]string{"-tags", "chaos", "./internal/chaos"}, false, ""},
		{[]string{"./examples/none"}, true, "directory not found"},
		{[]string{"-C", "examples", "./mistakes"}, true, "unused.go"},
		{[]string{"-C=examples", "-allerror", "./mistakes"}, true, "the error of lines.All is not looked at"},
		{[]string{"-C"}, true, "-C"},
		{[]string{"help"}, false, "blockonparallel"},
	} {
		cmd := exec.Command(tool, c.args...)
		cmd.Dir = filepath.Join("..", "..")
		cmd.Env = append(os.Environ(), compilerFlags())
		out, err := cmd.CombinedOutput()
		if (err != nil) != c.fails || !strings.Contains(string(out), c.want) {
			t.Errorf("%v: %v\n%s", c.args, err, out)
		}
	}
}

// compilerFlags is GOFLAGS with what the compiler is given alone: another way of compiling compiles the standard library again,
// the race detector or a tag is another program.
func compilerFlags() string {
	return "GOFLAGS=" + strings.Join(slices.DeleteFunc(strings.Fields(os.Getenv("GOFLAGS")), func(flag string) bool {
		return !strings.HasPrefix(flag, "-gcflags=")
	}), " ")
}
