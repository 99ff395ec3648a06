package operators

import (
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDoOnErrorFilters(t *testing.T) {
	n := 0
	count := func(error) { n++ }
	run(DoOnError(Error[int](errBoom), count, WhenIs(errOther))).Failed(t, errBoom)
	run(MonoDoOnError(Error[int](errBoom), count, WhenIs(errOther))).Failed(t, errBoom)
	assert.Zero(t, n)
	run(DoOnError(Error[int](errBoom), count, WhenIs(errOther), WhenIs(errBoom))).Failed(t, errBoom)
	assert.Equal(t, 1, n)
	var path string
	src := Error[int](&fs.PathError{Op: "open", Path: "a", Err: io.EOF})
	run(DoOnErrorAs(src, func(e *fs.PathError) { path = e.Path })).Failed(t, io.EOF)
	assert.Equal(t, "a", path)
	run(DoOnErrorAs(Error[int](errBoom), func(*fs.PathError) { t.Error("called") })).Failed(t, errBoom)
}

func TestDoOnErrorAs(t *testing.T) {
	var paths []string
	see := func(err *fs.PathError) { paths = append(paths, err.Path) }
	wrapped := fmt.Errorf("reading: %w", &fs.PathError{Path: "a.txt", Err: errBoom})
	run(DoOnErrorAs(Error[int](wrapped), see)).Failed(t, wrapped)
	assert.Equal(t, []string{"a.txt"}, paths)
	run(DoOnErrorAs(Error[int](errBoom), see)).Failed(t, errBoom)
	run(DoOnErrorAs(Just(1), see)).Done(t, 1)
	assert.Len(t, paths, 1, "the others are no such errors")
}
