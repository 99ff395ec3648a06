package main

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// operatorsPerType is how many operators each program calls on each element type.
const operatorsPerType = 10

// element is an element type of the generated programs. No two have the same
// layout in memory, so the compiler can share no code between them.
type element struct {
	Name string // of the type in the program
	Type string // its definition
}

var elements = []element{
	{"Count", "int64"},
	{"Name", "string"},
	{"Price", "float64"},
	{"Point", "struct{ X, Y int32 }"},
	{"Row", "[]string"},
	{"Order", "struct { ID int64; Name string; Lines []int }"},
	{"Grid", "[3]uint16"},
	{"Event", "struct { At int64; What any }"},
}

// libraryCase returns the program that uses this library.
func libraryCase(work, root string) (*buildCase, error) {
	name := filepath.Join(work, "library", "main.go")
	err := write(name, "library.go.tmpl", map[string]any{"Elements": elements})
	return &buildCase{name: "this library", dir: root, main: name}, err
}

// synthetic describes a made-up package of operators.
type synthetic struct {
	operators int
	generic   bool // a type parameter for every method
}

// generate writes the package and a program that uses it, as a module of their
// own.
func (s synthetic) generate(work string) (*buildCase, error) {
	kind := "plain"
	if s.generic {
		kind = "generic"
	}
	dir := filepath.Join(work, fmt.Sprintf("%s%d", kind, s.operators))
	data := map[string]any{
		"Elements":  elements,
		"Generic":   s.generic,
		"Operators": numbers(s.operators),
		"Used":      numbers(operatorsPerType),
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module synthetic\n\ngo 1.27\n"), 0o644); err != nil {
		return nil, err
	}
	if err := write(filepath.Join(dir, "stream", "stream.go"), "stream.go.tmpl", data); err != nil {
		return nil, err
	}
	if err := write(filepath.Join(dir, "program", "main.go"), "program.go.tmpl", data); err != nil {
		return nil, err
	}
	return &buildCase{
		name: fmt.Sprintf("%d %s methods", s.operators, kind),
		dir:  dir,
		main: "./program",
		once: !s.generic,
	}, nil
}

func numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

// write executes a template and writes what it yields, formatted.
func write(name, tmpl string, data any) error {
	t, err := template.New(tmpl).Funcs(template.FuncMap{
		"lower": strings.ToLower,
	}).ParseFS(templates, "templates/"+tmpl)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return err
	}
	src, err := format.Source(out.Bytes())
	if err != nil {
		return fmt.Errorf("%s: %w", tmpl, err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, src, 0o644)
}
