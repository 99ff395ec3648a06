package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThePageIsUpToDate(t *testing.T) {
	assert.NoError(t, run("../..", true))
}

// Without its dash -check would have the page written.
func TestArgumentsWithoutADashAreRefused(t *testing.T) {
	_, err := parse([]string{"check"})
	assert.EqualError(t, err, `unknown argument "check"`)
}

func TestRender(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	write("flux/a_b.go", `package flux

// Map calls fn | [Flux.Filter] does not. More.
func (f Flux[T]) Map[R any](fn func(T) R) Flux[R]

// Join joins two
// lines: more.
func (f *Parallel[K, T]) Join()

// Hidden is not listed.
func (f hidden) Hidden()

func hidden()

// Flatten comes first.
func Flatten()
`)
	write("flux/a_test.go", "package flux\n\nfunc TestMap()\n")
	write("docs/operators.md", "old")
	assert.EqualError(t, run(root, true), "docs/operators.md is not up to date: make docs")
	require.NoError(t, run(root, false))
	require.NoError(t, run(root, true))
	page, err := os.ReadFile(filepath.Join(root, "docs/operators.md"))
	require.NoError(t, err)
	assert.Contains(t, string(page), `
## flux

### flux: a b

| | |
|---|---|
| `+"`Flatten`"+` | Flatten comes first. |
| `+"`.Map`"+` | Map calls fn \| `+"`Flux.Filter`"+` does not. |
| `+"`Parallel.Join`"+` | Join joins two lines: more. |
`)
	assert.NotContains(t, string(page), "idden")
	write("flux/broken.go", "package")
	assert.Error(t, run(root, true))
}
