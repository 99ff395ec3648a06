package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// pkg is what go list tells of a package.
type pkg struct {
	ImportPath string
	Dir        string
	Name       string
	Export     string // file of export data
}

// listModule adds the listings of the public packages of the module in a folder of
// the repository at root. Packages come from the compiler's export data, so that the
// types are those that users compile against.
func listModule(root, module string, listings map[string]string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	public, err := publicPackages(root, module)
	if err != nil {
		return fmt.Errorf("%s: %w", module, err)
	}
	if len(public) == 0 {
		return nil
	}
	packages, err := goList(filepath.Join(root, module), append([]string{"-deps", "-export"}, slices.Sorted(maps.Keys(public))...)...)
	if err != nil {
		return fmt.Errorf("%s: %w", module, err)
	}
	exports := map[string]string{}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	load := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	})
	for path, dir := range public {
		types, err := load.Import(path)
		if err != nil {
			return err
		}
		listings[fileOf(dir)] = listing(types)
	}
	return nil
}

// publicPackages returns the folders of the public packages of a module, relative to root, by their import paths. It compiles
// nothing: the proofs and examples beside them take ten times as long.
func publicPackages(root, module string) (map[string]string, error) {
	packages, err := goList(filepath.Join(root, module), "./...")
	if err != nil {
		return nil, err
	}
	public := map[string]string{}
	for _, p := range packages {
		dir, err := filepath.Rel(root, p.Dir)
		if err != nil {
			return nil, err
		}
		if p.Name != "main" && isPublic(dir) {
			public[p.ImportPath] = dir
		}
	}
	return public, nil
}

// isPublic reports whether the package in dir is meant for other modules.
func isPublic(dir string) bool {
	parts := strings.Split(filepath.ToSlash(dir), "/")
	return parts[0] != "examples" && parts[0] != "proofs" && !slices.Contains(parts, "internal")
}

// goList returns what go list says in dir, with these arguments.
func goList(dir string, args ...string) ([]pkg, error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Name,Export"}, args...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	var packages []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages, nil
		}
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}

// listing returns the sorted lines of a package.
func listing(p *types.Package) string {
	w := writer{pkg: p}
	scope := p.Scope()
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() {
			w.object(obj)
		}
	}
	slices.Sort(w.lines)
	return strings.Join(slices.Compact(w.lines), "\n") + "\n"
}
