package archtest

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pageProgram is a whole program on a page of the documentation, with the output
// that the page shows for it, if it does.
type pageProgram struct {
	line   int
	src    string
	output string
	shown  bool
}

// block matches a fenced block: language, content.
var block = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// programs returns the programs of a page: blocks of Go that begin with the
// package clause. A block of text that comes next is the output.
func programs(page string) (found []pageProgram) {
	at := block.FindAllStringSubmatchIndex(page, -1)
	for i, m := range at {
		lang, body := page[m[2]:m[3]], page[m[4]:m[5]]
		if lang != "go" || !strings.HasPrefix(body, "package main\n") {
			continue
		}
		p := pageProgram{line: 1 + strings.Count(page[:m[0]], "\n"), src: body}
		if i+1 < len(at) && page[at[i+1][2]:at[i+1][3]] == "text" {
			p.shown, p.output = true, page[at[i+1][4]:at[i+1][5]]
		}
		found = append(found, p)
	}
	return found
}

// pages calls fn with every page of documentation.
func pages(t *testing.T, fn func(name, content string)) {
	t.Helper()
	dir, err := root()
	require.NoError(t, err)
	require.NoError(t, walk(dir, func(name string) error {
		if path.Ext(name) != ".md" {
			return nil
		}
		src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err == nil {
			fn(name, string(src))
		}
		return err
	}))
}

func TestProgramsInTheDocumentation(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	dir, err := root()
	require.NoError(t, err)
	ran := 0
	pages(t, func(name, content string) {
		for _, p := range programs(content) {
			ran++
			t.Run(fmt.Sprintf("%s:%d", name, p.line), func(t *testing.T) {
				t.Parallel() // each is linked, which takes one processor
				p.check(t, dir)
			})
		}
	})
	require.Positive(t, ran, "README.md begins with a program")
}

// check runs the program in dir.
func (p pageProgram) check(t *testing.T, dir string) {
	formatted, err := format.Source([]byte(p.src))
	require.NoError(t, err)
	assert.Equal(t, string(formatted), p.src, "not formatted")
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(p.src), 0o644))
	cmd := exec.Command("go", "run", file)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if assert.NoError(t, err, string(out)) && p.shown {
		assert.Equal(t, p.output, string(out), "the page shows another output")
	}
}

func TestPrograms(t *testing.T) {
	page := "# A\n\n```go\npackage main\n\nfunc main() {}\n```\n\nprints\n\n```text\nx\ny\n```\n\n" +
		"```go\nf()\n```\n\n```go\npackage main\n```\n"
	assert.Equal(t, []pageProgram{
		{line: 3, src: "package main\n\nfunc main() {}\n", output: "x\ny\n", shown: true},
		{line: 20, src: "package main\n"},
	}, programs(page))
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

// TestLinksLeadSomewhere follows the links between pages and into the source.
func TestLinksLeadSomewhere(t *testing.T) {
	dir, err := root()
	require.NoError(t, err)
	followed := 0
	pages(t, func(name, content string) {
		for _, m := range link.FindAllStringSubmatch(block.ReplaceAllString(content, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			followed++
			target := filepath.Join(dir, filepath.FromSlash(path.Join(path.Dir(name), m[1])))
			_, err := os.Stat(target)
			assert.NoErrorf(t, err, "%s links to %s", name, m[1])
		}
	})
	require.Positive(t, followed)
}

var setting = regexp.MustCompile(`REACTOR_[A-Z_]+[A-Z]`)

// settingsOf returns the environment variables that string literals in the code of
// public packages name, and those of the buffers, which several packages share.
func settingsOf(m *module) []string {
	var found []string
	for _, f := range m.code() {
		if !f.isPublic() && f.dir() != "internal/queue" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					found = append(found, setting.FindAllString(s, -1)...)
				}
			}
			return true
		})
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestReadmeNamesEverySetting(t *testing.T) {
	dir, err := root()
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	named := setting.FindAllString(string(readme), -1)
	slices.Sort(named)
	assert.Equal(t, settingsOf(load(t)), slices.Compact(named))
}

func TestSettingsOf(t *testing.T) {
	assert.Equal(t, []string{"REACTOR_A_B"}, settingsOf(madeUp(t,
		"schedulers/a.go", "package schedulers\n\nconst a = \"REACTOR_A_B\"\n\n// REACTOR_NOT\n",
		"internal/x/a.go", "package x\n\nconst a = \"REACTOR_INTERNAL\"\n")))
}
