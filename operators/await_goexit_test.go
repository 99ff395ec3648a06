package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A function that ends the goroutine of a call that blocks leaves nobody who waits: the sources that are not at their end are
// cancelled.
func TestGoexitOfACallThatBlocksCancels(t *testing.T) {
	for name, call := range map[string]func(src stream){
		"block":   func(src stream) { _, _ = BlockLast(t.Context(), src) },
		"collect": func(src stream) { _, _ = Collect(t.Context(), src) },
		"forEach": func(src stream) { _ = ForEach(t.Context(), src, func(int) {}) },
	} {
		cancels := 0
		racetest.Aside(func() {
			open := DoOnCancel(Never[int](), func() { cancels++ })
			call(MergeSlice([]stream{open, Map(Range(1, 2), func(int) int { runtime.Goexit(); return 0 })}, DelayErrors()))
		})
		assert.Equal(t, 1, cancels, name)
	}
}
