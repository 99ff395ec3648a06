package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// file is one Go file of the module.
type file struct {
	path string // relative to the module root, with slashes
	src  []byte
	ast  *ast.File
}

func (f *file) dir() string    { return path.Dir(f.path) } // "." for the root
func (f *file) isTest() bool   { return strings.HasSuffix(f.path, "_test.go") }
func (f *file) lines() int     { return strings.Count(string(f.src), "\n") }
func (f *file) isPublic() bool { return isPublic(f.dir()) && f.ast.Name.Name != "main" }

// isPublic reports whether users can import the package in dir and are meant to.
func isPublic(dir string) bool {
	first, _, _ := strings.Cut(dir, "/")
	return first != "examples" && first != "proofs" && !slices.Contains(strings.Split(dir, "/"), "internal")
}

// isEngine reports whether what is in dir is what streams run on.
func isEngine(dir string) bool {
	return under(dir, "internal") && !under(dir, testkit) || under(dir, "stage") || under(dir, "operators")
}

// isStage reports whether what is in dir are stages and their bases.
func isStage(dir string) bool {
	return under(dir, "internal/stage") || under(dir, "stage") || under(dir, "operators")
}

// module is the source of a module, or of a made-up one in the tests of the
// rules.
type module struct {
	fset  *token.FileSet
	path  string // import path
	files []*file
}

// at returns "path:line" for a position.
func (m *module) at(pos token.Pos) string {
	p := m.fset.Position(pos)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// packages returns the directories that hold Go code outside of tests, with
// their files, tests included.
func (m *module) packages() map[string][]*file {
	dirs := map[string][]*file{}
	for _, f := range m.files {
		dirs[f.dir()] = append(dirs[f.dir()], f)
	}
	for dir, files := range dirs {
		if !slices.ContainsFunc(files, func(f *file) bool { return !f.isTest() }) {
			delete(dirs, dir)
		}
	}
	return dirs
}

// code returns the files that are not tests.
func (m *module) code() []*file {
	return slices.DeleteFunc(slices.Clone(m.files), (*file).isTest)
}

func (m *module) add(name string, src []byte) error {
	parsed, err := parser.ParseFile(m.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	m.files = append(m.files, &file{path: name, src: src, ast: parsed})
	return nil
}

// root returns the directory of the module's go.mod.
func root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod above %s", dir)
		}
		dir = up
	}
}

// walk calls fn with every file of the module, by its path relative to the root.
// Nested modules, testdata and names that begin with "." or "_" are left out, as
// the go command leaves them out.
func walk(dir string, fn func(name string) error) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p == dir {
				return nil
			}
			if n := d.Name(); n == "testdata" || n[0] == '.' || n[0] == '_' {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		return fn(filepath.ToSlash(rel))
	})
}

// thisModule is the module that this package is part of.
var thisModule = sync.OnceValues(func() (*module, error) {
	dir, err := root()
	if err != nil {
		return nil, err
	}
	m := &module{fset: token.NewFileSet(), path: "github.com/goreactor/reactor"}
	err = walk(dir, func(name string) error {
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		return m.add(name, src)
	})
	return m, err
})

func load(t *testing.T) *module {
	t.Helper()
	m, err := thisModule()
	require.NoError(t, err)
	require.NotEmpty(t, m.files)
	return m
}

// madeUp returns a module of the given files: path, source, path, source, …
func madeUp(t *testing.T, files ...string) *module {
	t.Helper()
	m := &module{fset: token.NewFileSet(), path: "github.com/goreactor/reactor"}
	for i := 0; i < len(files); i += 2 {
		require.NoError(t, m.add(files[i], []byte(files[i+1])))
	}
	return m
}

// report fails the test with one line for each finding.
func report(t *testing.T, findings []string) {
	t.Helper()
	slices.Sort(findings)
	for _, f := range findings {
		t.Error(f)
	}
}
