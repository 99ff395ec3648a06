package cli

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestArgumentsWithoutAFlagAreRefused(t *testing.T) {
	flags := Flags("made")
	check := flags.Bool("check", false, "")
	assert.EqualError(t, Parse(flags, []string{"check"}), `unknown argument "check"`)
	assert.EqualError(t, Parse(flags, []string{"-check=x"}), `invalid boolean value "x" for -check: parse error (-h lists the arguments)`)
	require.NoError(t, Parse(flags, []string{"-check"}))
	assert.True(t, *check)
	assert.ErrorIs(t, Parse(flags, []string{"-h"}), flag.ErrHelp)
}

func TestReplaceLeavesNothingBeside(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "page")
	require.NoError(t, Replace(name, "first"))
	require.NoError(t, Replace(name, "second"))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "second", string(text))

	missing := filepath.Join(dir, "missing", "page")
	assert.EqualError(t, Replace(missing, "text"), "open "+missing+".new: no such file or directory")
	folder := filepath.Join(dir, "folder")
	require.NoError(t, os.Mkdir(folder, 0o700))
	assert.Error(t, Replace(folder, "text"))
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, list, 2, "the page and the folder")
}
