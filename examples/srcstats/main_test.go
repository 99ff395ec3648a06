package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/schedulers"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		schedulers.ShutdownNow()
		os.Exit(code)
	}))
}

func tree(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

func TestStatisticsOfASmallTree(t *testing.T) {
	root := tree(t, map[string]string{
		"a/a.go":          "package a\n\nimport \"fmt\"\n\nfunc A() {\n\tfmt.Println()\n}\n",
		"a/b.go":          "package a\n\nimport \"fmt\"\n\nfunc B() { fmt.Println() }\n",
		"c/c.go":          "package c\n\nimport \"os\"\n\nvar _ = os.Args\n",
		"c/broken.go":     "package c\n\nfunc {",
		"c/notes.txt":     "no Go",
		"testdata/bad.go": "broken on purpose",
	})
	require.NoError(t, os.Symlink(filepath.Join(root, "nowhere"), filepath.Join(root, "c", "dangling.go")))
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{root}, &out, quiet(t)))
	text := out.String()
	assert.Regexp(t, `\na +2 +12 +2 +\d+\n`, text)
	assert.Regexp(t, `\nall 2 packages +3 +`, text)
	assert.Contains(t, text, "longest function: A, 3 lines, in\n  "+filepath.Join("a", "a.go"))
	assert.Contains(t, text, "most imported:\n")
	assert.Regexp(t, `\n +fmt +2 files\n +os +1 files\n`, text)
	assert.Contains(t, text, "2 not counted:")
	assert.Contains(t, text, "  "+filepath.Join("c", "broken.go")+":3:6: ")
	assert.Contains(t, text, filepath.Join("c", "dangling.go")+": ")
	for line := range strings.Lines(text[strings.Index(text, "\n\n"):]) {
		assert.LessOrEqual(t, len(line), 80, "wraps: %s", line)
	}
	assert.Contains(t, text, "plain loop")
	assert.Contains(t, text, "boundedElastic")
}

func TestStopsWithWhatItHas(t *testing.T) {
	root := tree(t, map[string]string{"a/a.go": "package a\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	require.NoError(t, run(ctx, []string{root}, &out, quiet(t)))
	assert.Contains(t, out.String(), "stopped early")
	assert.NotContains(t, out.String(), "plain loop")
}

func TestBadArguments(t *testing.T) {
	var out bytes.Buffer
	assert.ErrorContains(t, run(t.Context(), []string{"-top", "0"}, &out, quiet(t)), "got 0 and 64")
	assert.ErrorIs(t, run(t.Context(), []string{filepath.Join(t.TempDir(), "nowhere")}, &out, quiet(t)), os.ErrNotExist)
	file := filepath.Join(tree(t, map[string]string{"a.go": "package a\n"}), "a.go")
	assert.EqualError(t, run(t.Context(), []string{file}, &out, quiet(t)), file+" is not a directory")
	assert.ErrorContains(t, run(t.Context(), []string{t.TempDir(), "-top", "3"}, &out, quiet(t)), `"-top" is one argument too many`)
}

// A directory is often named by a link to it, such as the GOROOT of a package manager.
func TestALinkToADirectory(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(tree(t, map[string]string{"a/a.go": "package a\n"}), link))
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{link}, &out, quiet(t)))
	assert.Regexp(t, `\nall 1 packages +1 +`, out.String())
}

// quiet is a file that is no terminal.
func quiet(t *testing.T) *os.File {
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	return f
}
