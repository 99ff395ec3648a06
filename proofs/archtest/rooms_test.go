package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// rooms says how many exported names there are in the packages that stages are made of. A package with
// more than a reader can keep in mind has two subjects. The numbers only go down.
var rooms = map[string]int{
	"internal/protocol":          45,
	"internal/argument":          5,
	"internal/asking":            2,
	"internal/demand":            8,
	"internal/describe":          1,
	"internal/direct":            11,
	"internal/failure":           20,
	"internal/foreign":           1,
	"internal/upstream":          6,
	"internal/stage/single":      7,
	"internal/stage/places":      2,
	"internal/stage/pending":     9,
	"internal/stage/merge":       3,
	"internal/stage/paired":      4,
	"internal/stage/buffered":    1,
	"internal/stage/batch":       6,
	"internal/stage/windows":     8,
	"internal/stage/resubscribe": 4,
	"internal/stage/companion":   5,
}

func roomFindings(m *module) (findings []string) {
	names := map[string][]string{}
	documented := map[string]bool{}
	for _, f := range m.code() {
		if _, ok := rooms[f.dir()]; !ok {
			continue
		}
		if strings.HasSuffix(f.path, "/doc.go") {
			documented[f.dir()] = true
		}
		for _, d := range f.ast.Decls {
			for _, name := range topLevel(d) {
				if ast.IsExported(name) {
					names[f.dir()] = append(names[f.dir()], name)
				}
			}
		}
	}
	for dir, most := range rooms {
		if n := len(names[dir]); n > most {
			slices.Sort(names[dir])
			findings = append(findings, fmt.Sprintf("%s: %d exported names, and there must not be more than %d: %v", dir, n, most, names[dir]))
		}
		if len(names[dir]) > 0 && !documented[dir] {
			findings = append(findings, dir+": doc.go, which says what the package is and what it is not, is missing")
		}
	}
	slices.Sort(findings)
	return findings
}

// topLevel returns the names that d declares in its package; methods are none.
func topLevel(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

func TestRoomsAreSmall(t *testing.T) { report(t, roomFindings(load(t))) }

func TestRoomFindings(t *testing.T) {
	src := "package describe\n\ntype A int\n\nvar B, C int\n\nconst D = 1\n\nfunc E() {}\n\nfunc (A) F() {}\n\nfunc g() {}\n"
	assert.Equal(t, []string{
		"internal/describe: 5 exported names, and there must not be more than 1: [A B C D E]",
		"internal/describe: doc.go, which says what the package is and what it is not, is missing",
	}, roomFindings(madeUp(t, "internal/describe/a.go", src)))
	assert.Empty(t, roomFindings(madeUp(t, "internal/describe/doc.go", "// Package describe is one.\npackage describe\n\nfunc A() {}\n")))
	assert.Empty(t, roomFindings(madeUp(t, "operators/a.go", src)))
}
