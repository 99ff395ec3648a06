package archtest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxLines is the length at which a file of the folders below is two concerns.
const maxLines = 400

var shortFolders = []string{"flux", "mono", "schedulers", "sinks", "keylock"} // beside stages

func lengthFindings(m *module) (findings []string) {
	for _, f := range m.code() {
		if (isStage(f.dir()) || slices.Contains(shortFolders, f.dir())) && f.lines() > maxLines {
			findings = append(findings, fmt.Sprintf("%s: %d lines, at most %d are allowed: are these two concerns?", f.path, f.lines(), maxLines))
		}
	}
	return findings
}

// The expressions are put together so that this file does not contain what it
// looks for.
var (
	unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b|not imple` + `mented|panic\("unimple` + `mented`)
	foreign    = regexp.MustCompile(`(^|[^a-z])/(work|root|home)/|proxy\.golang` + `\.org|registry\.npm|pypi\.org`)
	conflict   = regexp.MustCompile(`(?m)^(<{7}|={7}|>{7})( |$)`)
)

// textFindings says where a text holds marks of unfinished work, or of the
// machine it was written on.
func textFindings(name string, src []byte) (findings []string) {
	for i, line := range strings.Split(string(src), "\n") {
		for _, bad := range []*regexp.Regexp{unfinished, foreign, conflict} {
			if found := bad.FindString(line); found != "" {
				findings = append(findings, fmt.Sprintf("%s:%d: %q has no place in the repository", name, i+1, found))
			}
		}
	}
	return findings
}

// isText reports whether a file is read by people.
func isText(name string) bool {
	switch path.Ext(name) {
	case ".go", ".md", ".sh", ".mod", ".txt", ".yml", ".yaml":
		return true
	}
	return path.Base(name) == "Makefile"
}

func TestFilesAreShort(t *testing.T) { report(t, lengthFindings(load(t))) }

func TestNoUnfinishedMarks(t *testing.T) {
	dir, err := root()
	require.NoError(t, err)
	var findings []string
	read := 0
	require.NoError(t, walk(dir, func(name string) error {
		if !isText(name) {
			return nil
		}
		src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		read++
		findings = append(findings, textFindings(name, src)...)
		return nil
	}))
	require.Positive(t, read)
	report(t, findings)
}

// TestToolchainIsPinned holds together the two places that name the version of
// Go: go.mod, and the README for those who install it by hand.
func TestToolchainIsPinned(t *testing.T) {
	dir, err := root()
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^toolchain (go1\.\d+\.\d+)$`).FindSubmatch(mod)
	require.NotNil(t, found, "go.mod names the exact toolchain")
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	for _, version := range regexp.MustCompile(`go1\.\d+\.\d+`).FindAllString(string(readme), -1) {
		assert.Equal(t, string(found[1]), version, "README.md names another toolchain than go.mod")
	}
}

func TestLengthFindings(t *testing.T) {
	long := strings.Repeat("\n", maxLines)
	assert.Len(t, lengthFindings(madeUp(t, "operators/a.go", "package operators\n"+long)), 1)
	assert.Empty(t, lengthFindings(madeUp(t, "operators/a.go", "package operators"+long)))
	assert.Empty(t, lengthFindings(madeUp(t, "operators/a_test.go", "package operators\n"+long)))
	assert.Empty(t, lengthFindings(madeUp(t, "internal/x/a.go", "package x\n"+long)))
}

func TestTextFindings(t *testing.T) {
	for _, bad := range []string{
		"// TO" + "DO: later", "FIX" + "ME", "// XX" + "X", "panic(\"not imple" + "mented\")",
		"see /wo" + "rk/notes", "cd /ro" + "ot/x", "`/ho" + "me/me`", "proxy.golang" + ".org",
		"<<<<<<" + "< HEAD", "======" + "=",
	} {
		assert.Lenf(t, textFindings("a.md", []byte("fine\n"+bad+"\n")), 1, "%s", bad)
	}
	for _, good := range []string{"mastodon", "the work/steal queue", "a/work/b", "// ======== heading"} {
		assert.Emptyf(t, textFindings("a.md", []byte(good)), "%s", good)
	}
}
