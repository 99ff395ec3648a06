package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// file is one source file on its way: found, then read, then parsed.
type file struct {
	path    string
	pkg     string // directory, relative to the root
	content []byte
	err     error // the first thing that went wrong with it

	counts  counts
	longest function
	imports []string
}

// counts are what is added up.
type counts struct{ files, lines, functions, identifiers int }

func (c *counts) add(d counts) {
	c.files += d.files
	c.lines += d.lines
	c.functions += d.functions
	c.identifiers += d.identifiers
}

// function is a function's name, place and length in lines.
type function struct {
	name, path string
	lines      int
}

// walk yields the Go files below root, and what can't be entered as files that
// have failed. Test data is left out: much of it is broken on purpose.
func walk(root string) iter.Seq[file] {
	return func(yield func(file) bool) {
		// The function never returns an error of its own, so WalkDir has none.
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				if !yield(file{path: path, err: err}) {
					return fs.SkipAll
				}
				if d != nil && d.IsDir() {
					return fs.SkipDir
				}
			case d.IsDir():
				if name := d.Name(); path != root && (name == "testdata" || strings.HasPrefix(name, ".")) {
					return fs.SkipDir
				}
			case strings.HasSuffix(path, ".go"):
				pkg, _ := filepath.Rel(root, filepath.Dir(path))
				if !yield(file{path: path, pkg: filepath.ToSlash(pkg)}) {
					return fs.SkipAll
				}
			}
			return nil
		})
	}
}

// read fills in the content. It blocks.
func read(f file) file {
	if f.err == nil {
		f.content, f.err = os.ReadFile(f.path)
	}
	return f
}

// parse fills in the figures and lets go of the content. It needs the processor.
func parse(f file) file {
	content := f.content
	f.content = nil
	if f.err != nil {
		return f
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, f.path, content, parser.SkipObjectResolution)
	if err != nil {
		f.err = err
		return f
	}
	f.counts.files = 1
	f.counts.lines = set.File(tree.FileStart).LineCount()
	for _, spec := range tree.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil {
			f.imports = append(f.imports, name)
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			f.counts.identifiers++
		case *ast.FuncDecl:
			f.counts.functions++
			lines := set.Position(n.End()).Line - set.Position(n.Pos()).Line + 1
			if lines > f.longest.lines {
				f.longest = function{n.Name.Name, f.path, lines}
			}
		}
		return true
	})
	return f
}
