//go:build !chaos

package chaos

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestYieldCompilesToNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Regexp(t, `can inline Yield\n`, string(out))

	out, err = exec.Command("go", "build", "-gcflags=-S", "./testdata/probe").CombinedOutput()
	require.NoError(t, err, "%s", out)
	with, bare := machineCode(t, out, "With"), machineCode(t, out, "Bare")
	assert.Equal(t, bare, with, "a loop with Yield must be the very machine code of the loop without")
}

// machineCode returns the hex dump of a function of the probe package.
func machineCode(t *testing.T, listing []byte, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^\S+/probe\.` + name + ` STEXT.*\n((?:\t.*\n)+)`).FindSubmatch(listing)
	require.NotNil(t, m, "no listing of %s in\n%s", name, listing)
	var code string
	for _, line := range regexp.MustCompile(`(?m)^\t0x[0-9a-f]{4,} ((?:[0-9a-f]{2} )+)`).FindAllSubmatch(m[1], -1) {
		code += string(line[1])
	}
	require.NotEmpty(t, code)
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
