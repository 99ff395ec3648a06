package reactortest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/nosync"
)

// The files in docs/testing.md are tests that pass.
func TestGuide(t *testing.T) {
	if testing.Short() || nosync.Observed {
		t.Skip("runs the compiler, for which once is enough")
	}
	page, err := os.ReadFile(filepath.Join("..", "docs", "testing.md"))
	require.NoError(t, err)
	dir := t.TempDir()
	args := []string{"test"}
	for i, m := range regexp.MustCompile("(?ms)^```go\n(package pipeline_test\n.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		name := filepath.Join(dir, fmt.Sprintf("guide%d_test.go", i))
		require.NoError(t, os.WriteFile(name, []byte(m[1]), 0o644))
		args = append(args, name)
	}
	require.Greater(t, len(args), 5, "the page has examples")
	cmd := exec.Command("go", args...)
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, strings.TrimSpace(string(out)))
}
