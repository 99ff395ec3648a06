package main

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/reactortest"
)

var versions = map[string]func(context.Context, *site, *store) error{"stream": crawlStream, "group": crawlGroup}

// Both find all pages, ask as often, and keep to the limits.
func TestSameResults(t *testing.T) {
	var rows []map[string]string
	for name, crawl := range versions {
		reactortest.Bubble(t, func(t *testing.T) {
			web, db, began := newSite(200), &store{}, time.Now()
			require.NoError(t, crawl(t.Context(), web, db), name)
			assert.Len(t, db.rows, 200, name)
			assert.Equal(t, 200+2*67+20, web.requests, name+": a third of the pages needs two more, and 20 links lead nowhere")
			assert.LessOrEqual(t, web.most, parallel, name)
			assert.GreaterOrEqual(t, time.Since(began), 219*time.Second/perSecond, name)
			rows = append(rows, db.rows)
		})
	}
	assert.Equal(t, rows[0], rows[1])
}

func TestBothEndWithTheContext(t *testing.T) {
	for name, crawl := range versions {
		reactortest.Bubble(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			began := time.Now()
			assert.ErrorIs(t, crawl(ctx, newSite(200), &store{}), context.DeadlineExceeded, name)
			assert.Less(t, time.Since(began), 400*time.Millisecond, name)
		})
	}
}

// What a version is made of beside the site and the store, which both share, is there to
// coordinate. The stream needs fewer lines for it.
func TestLinesThatCoordinate(t *testing.T) {
	stream, group := lines(t, "stream.go"), lines(t, "group.go")
	t.Logf("lines that coordinate: stream %d, errgroup %d", stream, group)
	assert.Less(t, stream, group)
	assert.Less(t, stream, 44)
}

// lines counts those of the functions of a file, without comments and empty ones.
func lines(t *testing.T, name string) (n int) {
	src, err := os.ReadFile(name)
	require.NoError(t, err)
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, 0)
	require.NoError(t, err)
	all := strings.Split(string(src), "\n")
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			for _, line := range all[fset.Position(fn.Pos()).Line-1 : fset.Position(fn.End()).Line] {
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
					n++
				}
			}
		}
	}
	return n
}
