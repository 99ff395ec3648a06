package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/reactortest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var write = flag.Bool("write", false, "write the pages instead of comparing them")

// folder is where the pages are.
const folder = "../../docs/patterns"

// output runs one side in a bubble, where waiting takes no time and nothing depends on how busy
// the machine is. The end of the bubble fails the test if a goroutine is left.
func output(t *testing.T, s side) string {
	var out bytes.Buffer
	reactortest.Bubble(t, func(t *testing.T) { assert.NoError(t, s(t.Context(), &out)) })
	return out.String()
}

func TestBothSidesPrintTheSame(t *testing.T) {
	for _, p := range patterns {
		t.Run(p.slug, func(t *testing.T) {
			channels := output(t, p.channels)
			assert.NotEmpty(t, channels)
			assert.Equal(t, channels, output(t, p.streams))
			for _, field := range []string{p.title, p.what, p.gained, p.stay} {
				assert.NotEmpty(t, field)
			}
			compare(t, p.slug+".md", page(t, p, channels))
		})
	}
}

func TestIndex(t *testing.T) {
	var index strings.Builder
	index.WriteString(`# Patterns

Twenty tasks that every concurrent program has, done with channels or errgroup on one side and with streams on the other. Each page
has both programs, what they print, what is gained, and when to stay with channels. All of it is made from
[` + "`examples/patterns`" + `](../../examples/patterns), where a test runs both sides and compares what they print; ` + "`go run . worker-pool`" + ` there
runs one.

| pattern | stay with channels when |
|---|---|
`)
	for _, p := range patterns {
		fmt.Fprintf(&index, "| [%s](%s.md) | %s |\n", p.title, p.slug, p.stay)
	}
	compare(t, "README.md", index.String())
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, len(patterns)+1, "pages without a pattern")
	assert.Len(t, patterns, 20)
}

// compare fails if the page is another one, or writes it.
func compare(t *testing.T, name, want string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if *write {
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, want, string(got), "%s is not up to date: make docs writes it", path)
}

// page renders the page of a pattern.
func page(t *testing.T, p pattern, output string) string {
	name := strings.ReplaceAll(p.slug, "-", "_")
	source, err := os.ReadFile(sources[p.slug])
	require.NoError(t, err, name)
	with := "channels"
	if bytes.Contains(source, []byte("errgroup")) {
		with = "errgroup"
	}
	return fmt.Sprintf("# %s\n\n%s\n\n## With %s\n\n```go\n%s\n```\n\n## With streams\n\n```go\n%s\n```\n\nBoth print\n\n```text\n%s```\n\n"+
		"**What is gained.** %s\n\n**Stay with channels when:** %s\n\n"+
		"Both sides with their imports: [`%s`](../../examples/patterns/%s); what they call: "+
		"[`shared.go`](../../examples/patterns/shared.go). [All patterns](README.md)\n",
		p.title, p.what, with, function(t, source, "Channels"), function(t, source, "Streams"), output, p.gained, p.stay,
		sources[p.slug], sources[p.slug])
}

// sources maps patterns to their files.
var sources = func() map[string]string {
	found := map[string]string{}
	files, _ := filepath.Glob("*.go")
	slug := regexp.MustCompile(`slug:\s+"(.*)"`)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		if m := slug.FindSubmatch(source); m != nil && !strings.HasSuffix(file, "_test.go") {
			found[string(m[1])] = file
		}
	}
	return found
}()

// function returns the text of the function whose name ends so.
func function(t *testing.T, source []byte, suffix string) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && strings.HasSuffix(fn.Name.Name, suffix) {
			return string(source[fset.Position(fn.Pos()).Offset:fset.Position(fn.End()).Offset])
		}
	}
	require.Failf(t, "no function", "…%s", suffix)
	return ""
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), nil, &out))
	assert.Equal(t, len(patterns), strings.Count(out.String(), "\n"))
	assert.ErrorContains(t, run(context.Background(), []string{"mutex"}, &out), `there is no pattern "mutex"`)
	reactortest.Bubble(t, func(t *testing.T) {
		out.Reset()
		require.NoError(t, run(t.Context(), []string{"merge-sorted"}, &out))
		assert.Equal(t, 2, strings.Count(out.String(), "10\n"))
	})
}
