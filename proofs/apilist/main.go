// Command apilist writes the exported API of every public package of this
// repository to api/, one sorted line per declaration, so that each change of it is
// seen in a diff.
//
//	go run ./proofs/apilist [-check]
//
// With -check it writes nothing and fails, with the lines that differ, if a file in
// api/ is not up to date. See line.go for the format.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goreactor/reactor/internal/testkit/cli"
)

// folder holds the listings, relative to the root of the repository.
const folder = "api"

func main() {
	cli.Main("apilist", parse, func(check bool, _ io.Writer) error { return run(".", check) })
}

func parse(args []string) (check bool, err error) {
	flags := cli.Flags("apilist")
	flags.BoolVar(&check, "check", false, "fail if a listing is not up to date, instead of writing it")
	return check, cli.Parse(flags, args)
}

// run writes or checks the listings of the repository at root.
func run(root string, check bool) error {
	modules, err := modulesBelow(root)
	if err != nil {
		return err
	}
	listings := map[string]string{}
	for _, module := range modules {
		if err := listModule(root, module, listings); err != nil {
			return err
		}
	}
	if check {
		return compare(filepath.Join(root, folder), listings)
	}
	return write(filepath.Join(root, folder), listings)
}

// modulesBelow returns the folders of the modules that others import, relative to
// root: the root itself, connectors and interop. Examples, benchmarks, tools and
// integration tests promise nothing to anybody.
func modulesBelow(root string) ([]string, error) {
	modules := []string{"."}
	for _, pattern := range []string{"connectors/*/go.mod", "interop/*/go.mod"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			rel, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				return nil, err
			}
			modules = append(modules, rel)
		}
	}
	return modules, nil
}

// fileOf returns the name of a package's listing: its folder with dots for slashes.
func fileOf(dir string) string {
	if dir == "." {
		return "reactor.txt"
	}
	return strings.ReplaceAll(filepath.ToSlash(dir), "/", ".") + ".txt"
}

// write makes the files in dir those of listings, and removes those of packages
// that are gone.
func write(dir string, listings map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return err
	}
	for _, file := range old {
		if _, ok := listings[filepath.Base(file)]; !ok {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	for name, text := range listings {
		if err := cli.Replace(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// compare returns an error that shows every line that the files in dir and the
// listings do not share.
func compare(dir string, listings map[string]string) error {
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		files[e.Name()] = string(text)
	}
	var out strings.Builder
	names := maps.Clone(files)
	maps.Copy(names, listings)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		removed, added := difference(files[name], listings[name])
		for _, line := range removed {
			fmt.Fprintf(&out, "\n%s: - %s", name, line)
		}
		for _, line := range added {
			fmt.Fprintf(&out, "\n%s: + %s", name, line)
		}
	}
	if out.Len() == 0 {
		return nil
	}
	return fmt.Errorf("the exported API has changed (make api, and say why in the commit):%s", out.String())
}

// difference returns the lines that only old has and those that only now has.
func difference(old, now string) (removed, added []string) {
	had, has := lines(old), lines(now)
	for line := range had {
		if !has[line] {
			removed = append(removed, line)
		}
	}
	for line := range has {
		if !had[line] {
			added = append(added, line)
		}
	}
	slices.Sort(removed)
	slices.Sort(added)
	return removed, added
}

func lines(text string) map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			set[line] = true
		}
	}
	return set
}
