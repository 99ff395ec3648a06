package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// packages are those whose operators are listed, in order.
var packages = []string{"flux", "mono", "sinks"}

// entry is one operator.
type entry struct {
	name    string // as it is written in a chain: ".Map", "Range", "ParallelFlux.Map"
	summary string
	family  string // the file it is in
}

// render returns the page for the module in root.
func render(root string) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("# Operators\n\n")
	out.WriteString("What `flux`, `mono` and `sinks` offer, by family. A name with a dot in front is a method; the others are functions of the package.\n")
	out.WriteString("`make docs` writes this page from the comments in the source.\n")
	for _, pkg := range packages {
		entries, err := operators(root, pkg)
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			continue
		}
		fmt.Fprintf(&out, "\n## %s\n", pkg)
		family := ""
		for _, e := range entries {
			if e.family != family {
				family = e.family
				fmt.Fprintf(&out, "\n### %s: %s\n\n| | |\n|---|---|\n", pkg, strings.ReplaceAll(family, "_", " "))
			}
			fmt.Fprintf(&out, "| `%s` | %s |\n", e.name, strings.ReplaceAll(e.summary, "|", "\\|"))
		}
	}
	return out.Bytes(), nil
}

// operators returns what the package in root/dir exports, sorted by family and
// name; nothing if there is no such package.
func operators(root, dir string) ([]entry, error) {
	files, err := os.ReadDir(filepath.Join(root, dir))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".go" || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, dir, f.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		family := strings.TrimSuffix(f.Name(), ".go")
		for _, d := range parsed.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil {
				of := receiver(fn.Recv.List[0].Type)
				if !token.IsExported(of) {
					continue
				}
				name = "." + name
				if !strings.EqualFold(of, dir) {
					name = of + name
				}
			}
			entries = append(entries, entry{name: name, summary: summary(fn.Doc.Text()), family: family})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		if c := strings.Compare(a.family, b.family); c != 0 {
			return c
		}
		return strings.Compare(strings.TrimPrefix(a.name, "."), strings.TrimPrefix(b.name, "."))
	})
	return entries, nil
}

// receiver returns the name of the type of a receiver.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// link is a reference in a comment, such as [Flux.Map].
var link = regexp.MustCompile(`\[([A-Za-z_.]+)\]`)

// summary returns the first sentence of a comment, for a cell of a table.
func summary(text string) string {
	sentence := new(doc.Package).Synopsis(text)
	sentence = strings.TrimSuffix(sentence, ":")
	return link.ReplaceAllString(sentence, "`$1`")
}
