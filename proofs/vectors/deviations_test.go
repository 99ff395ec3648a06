package vectors_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every row of the decision on deviations names what shows it: a test that is there, or a
// vector that is known to fail.
func TestDeviationsAreShown(t *testing.T) {
	decision, err := os.ReadFile("../../docs/decisions/0010-deviations.md")
	require.NoError(t, err)
	known, err := os.ReadFile("testdata/known_failures.txt")
	require.NoError(t, err)
	sources := testSources(t)
	names := map[string]bool{}
	for _, f := range features() {
		names["TestSituations/"+strings.ReplaceAll(f.name, " ", "_")] = f.here != ""
	}
	for _, c := range singles() {
		names["TestSingles/"+strings.ReplaceAll(c.name, " ", "_")] = c.here != ""
	}
	rows := 0
	quoted := regexp.MustCompile("`([^`]*)`")
	for line := range strings.Lines(string(decision)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 4 || strings.Contains(cells[3], "shown by") {
			continue
		}
		rows++
		shown := quoted.FindAllStringSubmatch(cells[3], -1)
		assert.NotEmpty(t, shown, line)
		for _, s := range shown {
			name, sub, _ := strings.Cut(s[1], "/")
			deviates, compared := names[s[1]]
			switch {
			case compared:
				assert.True(t, deviates, "%s shows no deviation", s[1])
			case !strings.HasPrefix(name, "Test"):
				assert.Contains(t, string(known), name+" ")
			default:
				assert.Contains(t, sources, "func "+name+"(t *testing.T)", s[1])
				assert.NotContains(t, []string{"TestSituations", "TestSingles"}, name, "no program of that name: %s", sub)
			}
		}
	}
	assert.Greater(t, rows, 40)
}

// testSources are all tests of the packages that the decision is about.
func testSources(t *testing.T) string {
	var all bytes.Buffer
	for _, folder := range []string{"../../operators", "../../sinks", "../../proofs/stages", "../../internal/protocol"} {
		require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			all.Write(source)
			return err
		}))
	}
	return all.String()
}
