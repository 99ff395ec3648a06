//go:build !chaos

package chaos

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the compiler printed is not asked: go build repeats that of a package that it has built
// before only if its cache still holds it, and says nothing if not.
func TestYieldCompilesToNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	object := filepath.Join(t.TempDir(), "probe.a")
	out, err := exec.Command("go", "build", "-o", object, "./testdata/probe").CombinedOutput()
	require.NoError(t, err, "%s", out)
	with, bare := machineCode(t, object, "With"), machineCode(t, object, "Bare")
	assert.Equal(t, bare, with, "a loop with Yield must be the very machine code of the loop without")
}

// machineCode returns the hex digits of a function of the probe package.
func machineCode(t *testing.T, object, name string) (code string) {
	t.Helper()
	out, err := exec.Command("go", "tool", "objdump", "-s", `/probe\.`+name+"$", object).CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, line := range regexp.MustCompile(`(?m)^\s+\S+:\d+\s+0x[0-9a-f]+\s+([0-9a-f]+)\s`).FindAllSubmatch(out, -1) {
		code += string(line[1])
	}
	require.NotEmpty(t, code, "no listing of %s in\n%s", name, out)
	return code
}

func TestYieldDoesNotAllocate(t *testing.T) {
	assert.Zero(t, testing.AllocsPerRun(100, Yield))
	assert.False(t, Enabled)
}

func BenchmarkYield(b *testing.B) {
	b.Run("with", func(b *testing.B) {
		for range b.N {
			Yield()
		}
	})
	b.Run("without", func(b *testing.B) {
		for range b.N {
		}
	})
}
