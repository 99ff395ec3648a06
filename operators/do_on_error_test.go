package operators

import (
	"io"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDoOnErrorFilters(t *testing.T) {
	n := 0
	count := func(error) { n++ }
	run(DoOnError(Error[int](errBoom), count, WhenIs(errOther))).assertFailed(t, errBoom)
	run(MonoDoOnError(Error[int](errBoom), count, WhenIs(errOther))).assertFailed(t, errBoom)
	assert.Zero(t, n)
	run(DoOnError(Error[int](errBoom), count, WhenIs(errOther), WhenIs(errBoom))).assertFailed(t, errBoom)
	assert.Equal(t, 1, n)
	var path string
	src := Error[int](&fs.PathError{Op: "open", Path: "a", Err: io.EOF})
	run(DoOnErrorAs(src, func(e *fs.PathError) { path = e.Path })).assertFailed(t, io.EOF)
	assert.Equal(t, "a", path)
	run(DoOnErrorAs(Error[int](errBoom), func(*fs.PathError) { t.Error("called") })).assertFailed(t, errBoom)
}
