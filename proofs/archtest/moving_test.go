package archtest

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
	inCode  = regexp.MustCompile("`[^`]+`")
	capital = regexp.MustCompile(`\b[A-Z][A-Za-z0-9]*\b`)
)

// unknownNames returns the exported names in the last column of the tables of page that are not in the
// listings of the API.
func unknownNames(page string, known map[string]bool) (found []string) {
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 4 {
			continue
		}
		for _, code := range inCode.FindAllString(cells[len(cells)-2], -1) {
			code = strings.ReplaceAll(code, "context.Cause", "")
			if strings.HasPrefix(code, "`REACTOR_") {
				continue // TestReadmeNamesEverySetting knows these
			}
			for _, name := range capital.FindAllString(code, -1) {
				if len(name) > 1 && !known[name] {
					found = append(found, name)
				}
			}
		}
	}
	return found
}

// Who comes from another library finds each name that the page gives him.
func TestNamesForThoseWhoMove(t *testing.T) {
	dir, err := root()
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(dir, "docs", "from-ro.md"))
	require.NoError(t, err)
	listings, err := filepath.Glob(filepath.Join(dir, "api", "*.txt"))
	require.NoError(t, err)
	known := map[string]bool{}
	for _, name := range listings {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, word := range capital.FindAllString(string(text), -1) {
			known[word] = true
		}
	}
	assert.Empty(t, unknownNames(string(page), known))
}

func TestUnknownNames(t *testing.T) {
	assert.Equal(t, []string{"Lost"}, unknownNames(
		"| `Theirs` | `Map`, then `flux.Lost[T](n)` or `REACTOR_X` |\n| `A` | Not in code |\n`Gone`\n", map[string]bool{"Map": true}))
}
