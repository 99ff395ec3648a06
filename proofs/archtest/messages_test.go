package archtest

import (
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// prelude is what the snippets of docs/compiler-messages.md refer to.
const prelude = `package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

var (
	ctx     = context.Background()
	numbers = flux.Range(0, 10)
	words   = flux.Just("a", "b")
	number  = mono.Just(1)
	word    = mono.Just("a")
)

var _, _, _, _ = errors.New, fmt.Sprint, strconv.Itoa, reactor.Unbounded

func even(n int) bool { return n%2 == 0 }

func observed[T any](f flux.Flux[T]) flux.Flux[T] { return f }

func main() {}
`

// snippet is a block of Go, and the message that the page shows for it; "" if it has to compile.
type snippet struct{ src, message string }

func snippets(page string) (found []snippet) {
	at := block.FindAllStringSubmatch(page, -1)
	for i, m := range at {
		if m[1] != "go" {
			continue
		}
		s := snippet{src: m[2]}
		if i+1 < len(at) && at[i+1][1] == "text" {
			s.message = strings.TrimSpace(at[i+1][2])
		}
		found = append(found, s)
	}
	return found
}

var declared = regexp.MustCompile(`(?m)^(?:var )?(\w+)(?:, (\w+))? (?::=|\S+ =)`)

// program puts each snippet into a function of its own and returns in which line that begins.
func program(all []snippet) (src string, starts []int) {
	var b strings.Builder
	b.WriteString(prelude)
	for i, s := range all {
		starts = append(starts, 1+strings.Count(b.String(), "\n"))
		fmt.Fprintf(&b, "func f%d() {\n%s", i, s.src)
		for _, m := range declared.FindAllStringSubmatch(s.src, -1) {
			for _, name := range m[1:] {
				if name != "" {
					fmt.Fprintf(&b, "_ = %s\n", name)
				}
			}
		}
		b.WriteString("}\n")
	}
	return b.String(), starts
}

// compile returns what the compiler says to each snippet.
func compile(t *testing.T, dir string, all []snippet) []string {
	t.Helper()
	src, starts := program(all)
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(src), 0o644))
	cmd := exec.Command("go", "build", "-gcflags=-e", "-o", os.DevNull, file)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput() // it fails where it has something to say
	said := make([]string, len(all))
	line, current := regexp.MustCompile(`main\.go:(\d+):\d+: `), -1
	for text := range strings.Lines(string(out)) {
		if m := line.FindStringSubmatchIndex(text); m != nil {
			n, err := strconv.Atoi(text[m[2]:m[3]])
			require.NoError(t, err)
			for current = len(starts) - 1; current >= 0 && starts[current] > n; current-- {
			}
			require.GreaterOrEqualf(t, current, 0, "in the prelude: %s", text)
			text = text[m[1]:]
		}
		if current >= 0 {
			said[current] += text
		}
	}
	return said
}

func TestCompilerMessages(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	dir, err := root()
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(dir, "docs", "compiler-messages.md"))
	require.NoError(t, err)
	var right, wrong []snippet
	for _, s := range snippets(string(page)) {
		if s.message == "" {
			right = append(right, s)
		} else {
			wrong = append(wrong, s)
		}
	}
	require.NotEmpty(t, wrong)
	for i, said := range compile(t, dir, wrong) {
		assert.Containsf(t, said, wrong[i].message, "the compiler says something else to\n%s", wrong[i].src)
	}
	// Types are not the last thing that the compiler looks at, so these are apart from the others.
	for i, said := range compile(t, dir, right) {
		assert.Emptyf(t, said, "it does not compile:\n%s", right[i].src)
	}
}

func TestSnippets(t *testing.T) {
	assert.Equal(t, []snippet{{"a\n", "m"}, {"b\n", ""}, {"c\n", ""}},
		snippets("```go\na\n```\n\n```text\nm\n```\n\n```go\nb\n```\n\n```go\nc\n```\n\ntext\n"))
	src, starts := program([]snippet{{src: "a, err := 1\n"}, {src: "var b any = 2\n"}})
	lines := strings.Split(src, "\n")
	assert.Equal(t, "func f0() {", lines[starts[0]-1])
	assert.Equal(t, []string{"func f1() {", "var b any = 2", "_ = b", "}"}, lines[starts[1]-1:starts[1]+3])
}

// TestNamesForReactorUsers looks up the names in the README's table for those who know Reactor.
func TestNamesForReactorUsers(t *testing.T) {
	dir, err := root()
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(readme), "## You know Reactor\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n## ")
	names := map[string]bool{}
	for _, f := range load(t).code() {
		if f.dir() != "flux" && f.dir() != "mono" {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				names[fn.Name.Name] = true
			}
		}
	}
	capital, small := regexp.MustCompile("`(?:[a-z]+\\.)?([A-Z]\\w*)"), regexp.MustCompile("`([a-z]\\w*)`")
	looked := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue
		}
		for i := 1; i < 5; i += 2 {
			for _, m := range capital.FindAllStringSubmatch(cells[i+1], -1) {
				looked++
				assert.Truef(t, names[m[1]], "there is no %s", m[1])
			}
			if !strings.Contains(cells[i+1], "the same") {
				continue
			}
			for _, m := range small.FindAllStringSubmatch(cells[i], -1) {
				looked++
				name := strings.ToUpper(m[1][:1]) + m[1][1:]
				assert.Truef(t, names[name], "there is no %s", name)
			}
		}
	}
	assert.Greater(t, looked, 30)
}
