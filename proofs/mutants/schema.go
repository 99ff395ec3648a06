package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// mutation is one way to break the library.
type mutation struct {
	name string // what is broken, and if it was the bug of another library, which
	kind string
	file string // relative to the root of the module
	old  string // in the body of one function, once in the file
	new  string
	// tests names those that should notice: "folder regexp", several with blanks
	// around a comma in between. The regexp selects tests; without it all quick ones
	// of the folder run.
	tests string
}

// switchVariable is the environment variable that selects the mutation.
const switchVariable = "REACTOR_MUTANT"

// switchSource is the file that every mutated package gets.
const switchSource = `package %s

import (
	mutantos "os"
	mutantstrconv "strconv"
)

var mutantOn = func() int {
	n, _ := mutantstrconv.Atoi(mutantos.Getenv(%q))
	return n
}()
`

// writeOverlay writes all mutated files to work, and the file for go's -overlay, whose
// name it returns.
func writeOverlay(root, work string, mutations []mutation) (name string, err error) {
	byFile := map[string][]int{}
	for i, m := range mutations {
		byFile[m.file] = append(byFile[m.file], i)
	}
	replace := map[string]string{}
	add := func(target, content string) error {
		to := filepath.Join(work, fmt.Sprintf("%d.go", len(replace)))
		replace[filepath.Join(root, filepath.FromSlash(target))] = to
		return os.WriteFile(to, []byte(content), 0o644)
	}
	for file, numbers := range byFile {
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return "", err
		}
		pkg, out, err := mutate(file, string(src), mutations, numbers)
		if err != nil {
			return "", err
		}
		if err := add(file, out); err != nil {
			return "", err
		}
		switchFile := path.Join(path.Dir(file), "mutant_switch.go")
		if _, ok := replace[filepath.Join(root, filepath.FromSlash(switchFile))]; ok {
			continue
		}
		if err := add(switchFile, fmt.Sprintf(switchSource, pkg, switchVariable)); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name = filepath.Join(work, "overlay.json")
	return name, os.WriteFile(name, data, 0o644)
}

// edit is a piece of text to be inserted.
type edit struct {
	at   int // offset
	text string
}

// mutate returns the name of a file's package, and its source with a copy of every
// function that is mutated, to which the function hands over if the mutation is on.
func mutate(file, src string, mutations []mutation, numbers []int) (pkg, out string, err error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", "", err
	}
	var edits []edit
	var copies strings.Builder
	for _, i := range numbers {
		m := mutations[i]
		fail := func(what string) (string, string, error) {
			return "", "", fmt.Errorf("%s: %s: %s:\n%s", m.file, m.name, what, m.old)
		}
		if n := strings.Count(src, m.old); n != 1 {
			return fail(fmt.Sprintf("the text is there %d times, want 1", n))
		}
		at := strings.Index(src, m.old)
		fn := enclosing(parsed, fset, at, at+len(m.old))
		if fn == nil {
			return fail("the text is not in the body of one function")
		}
		if recovers(fn) {
			return fail("in a function that recovers nothing is caught by the copy, which is not the one deferred")
		}
		offset := func(p token.Pos) int { return fset.Position(p).Offset }
		name := fmt.Sprintf("%s__%d", fn.Name.Name, i+1)
		call, blank, err := handOver(fn, name)
		if err != nil {
			return fail(err.Error())
		}
		for _, b := range blank {
			if e := (edit{offset(b.at), b.text}); !slices.Contains(edits, e) {
				edits = append(edits, e)
			}
		}
		copies.WriteString("\n" + src[offset(fn.Pos()):offset(fn.Name.Pos())] + name +
			src[offset(fn.Name.End()):at] + m.new + src[at+len(m.old):offset(fn.End())] + "\n")
		edits = append(edits, edit{offset(fn.Body.Lbrace) + 1, fmt.Sprintf(" if mutantOn == %d { %s };", i+1, call)})
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return b.at - a.at })
	out = src
	for _, e := range edits {
		out = out[:e.at] + e.text + out[e.at:]
	}
	out += copies.String()
	if _, err := format.Source([]byte(out)); err != nil {
		return "", "", fmt.Errorf("%s: a mutation is not Go: %w", file, err)
	}
	return parsed.Name.Name, out, nil
}

// enclosing returns the function in whose body a stretch of the source lies, or nil.
func enclosing(f *ast.File, fset *token.FileSet, from, to int) *ast.FuncDecl {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && fn.Body != nil && fset.Position(fn.Body.Lbrace).Offset < from && to < fset.Position(fn.End()).Offset {
			return fn
		}
	}
	return nil
}

// recovers reports whether fn itself calls recover.
func recovers(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "recover" {
				found = true
			}
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
	return found
}

// naming is what has to be inserted to give a parameter a name.
type naming struct {
	at   token.Pos
	text string
}

// handOver returns the statements with which fn hands over to its copy called name,
// and the names that it needs for that.
func handOver(fn *ast.FuncDecl, name string) (call string, blank []naming, err error) {
	if fn.Recv != nil {
		names := fn.Recv.List[0].Names
		if len(names) == 0 || names[0].Name == "_" {
			return "", nil, fmt.Errorf("the receiver of %s has no name", fn.Name.Name)
		}
		name = names[0].Name + "." + name
	}
	if p := fn.Type.TypeParams; p != nil {
		var types []string
		for _, f := range p.List {
			for _, n := range f.Names {
				types = append(types, n.Name)
			}
		}
		name += "[" + strings.Join(types, ", ") + "]"
	}
	var args []string
	for _, f := range fn.Type.Params.List {
		if len(f.Names) == 0 {
			arg := fmt.Sprintf("mutant%d", len(args))
			blank = append(blank, naming{f.Type.Pos(), arg + " "})
			args = append(args, arg)
		}
		for _, n := range f.Names {
			arg := n.Name
			if arg == "_" {
				arg = fmt.Sprintf("_%d", len(args))
				blank = append(blank, naming{n.End(), arg[1:]})
			}
			args = append(args, arg)
		}
		if _, ok := f.Type.(*ast.Ellipsis); ok {
			args[len(args)-1] += "..."
		}
	}
	call = name + "(" + strings.Join(args, ", ") + ")"
	if fn.Type.Results.NumFields() > 0 {
		return "return " + call, blank, nil
	}
	return call + "; return", blank, nil
}
