package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	rowOfName = regexp.MustCompile(`^([A-Z][0-9]+) `)
	quoted    = regexp.MustCompile("`([^`]+)`")
)

// TestEveryRegressionIsProved reads docs/regressions.md: every row names tests that are
// there, and mutations that are there or the reason why there is none; and every mutation
// whose name begins with a row is named by that row.
func TestEveryRegressionIsProved(t *testing.T) {
	page, err := os.ReadFile("../../docs/regressions.md")
	require.NoError(t, err)
	known := map[string]bool{}
	for _, m := range table {
		known[m.name] = true
	}
	tests := map[string]string{} // folder → its tests
	named := map[string]bool{}   // row + mutation
	rows := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || !rowOfName.MatchString(strings.TrimLeft(cells[1], " ")) {
			continue
		}
		rows++
		row := strings.TrimSpace(cells[1])
		for _, test := range quoted.FindAllStringSubmatch(cells[4], -1) {
			folder, name, _ := strings.Cut(test[1], ".")
			if _, ok := tests[folder]; !ok {
				tests[folder] = sourceOfTests(t, folder)
			}
			assert.Contains(t, tests[folder], "func "+name+"(t *testing.T)", row)
		}
		assert.Regexp(t, quoted, cells[4], "%s names a test", row)
		mutations := quoted.FindAllStringSubmatch(cells[5], -1)
		if len(mutations) == 0 {
			assert.Regexp(t, `^ none: \S`, cells[5], "%s has neither a mutation nor a reason", row)
		}
		for _, m := range mutations {
			assert.Truef(t, known[m[1]], "%s: there is no mutation %q", row, m[1])
			named[row+m[1]] = true
		}
	}
	assert.GreaterOrEqual(t, rows, 50)
	for _, m := range table {
		if row := rowOfName.FindStringSubmatch(m.name); row != nil {
			assert.Truef(t, named[row[1]+m.name], "docs/regressions.md: row %s does not name %q", row[1], m.name)
		}
	}
}

func sourceOfTests(t *testing.T, folder string) string {
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	require.NoError(t, err)
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
}
