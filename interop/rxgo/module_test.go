package rxgo_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program of its own that uses flux alone, built with an empty module cache and without a
// network: nothing is downloaded, and of modules only this one is linked.
func TestProgramsWithoutRxGo(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir, cache := t.TempDir(), t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	write("go.mod", "module sample\n\ngo 1.27\n\nrequire github.com/goreactor/reactor v0.0.0\n\nreplace github.com/goreactor/reactor => "+root+"\n")
	write("main.go", `package main

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor/flux"
)

func main() {
	sum, err := flux.Range(1, 4).Reduce(func(a, b int) int { return a + b }).Block(context.Background())
	fmt.Println(sum, err)
}
`)
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOMODCACHE="+cache, "GOPROXY=off", compilerFlags(), "GOTOOLCHAIN=local", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		require.NoErrorf(t, err, "%s %s: %s", name, args, out)
		return string(out)
	}
	run("go", "build", "-o", "sample", ".")
	assert.Equal(t, "10 <nil>\n", run("./sample"))

	var found []string
	require.NoError(t, filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, path)
		}
		return err
	}))
	assert.Empty(t, found, "in the module cache")
	for line := range strings.Lines(run("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")) {
		if line = strings.TrimSpace(line); line != "" && line != "sample" {
			assert.True(t, strings.HasPrefix(line, "github.com/goreactor/reactor/") || line == "github.com/goreactor/reactor", "links %s", line)
		}
	}
	version := run("go", "version", "-m", "sample")
	assert.Contains(t, version, "dep\tgithub.com/goreactor/reactor")
	assert.Equal(t, 1, strings.Count(version, "\tdep\t"), version)
}

// compilerFlags is GOFLAGS with what the compiler is given alone: another way of compiling compiles the standard library again,
// the race detector or a tag is another program.
func compilerFlags() string {
	return "GOFLAGS=" + strings.Join(slices.DeleteFunc(strings.Fields(os.Getenv("GOFLAGS")), func(flag string) bool {
		return !strings.HasPrefix(flag, "-gcflags=")
	}), " ")
}
