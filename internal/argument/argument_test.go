package argument

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestArgumentsAreRefusedWithOperatorAndValue(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: buffer: size must be positive, got 0", func() { Positive("buffer", "size", 0) })
	assert.PanicsWithValue(t, "reactor: skip: count must not be negative, got -1", func() { NotNegative("skip", "count", -1) })
	assert.PanicsWithValue(t, "reactor: map: the mapper is nil", func() { NotNil("map", "mapper", (func())(nil)) })
	assert.PanicsWithValue(t, "reactor: map: the mapper is nil", func() { Given("map", "mapper", false) })
	assert.PanicsWithValue(t, "reactor: map: option 2 is nil", func() { Options("map", []any{1, nil}) })
	assert.NotPanics(t, func() {
		assert.Equal(t, []any{1, 2}, Options("map", []any{1, 2}))
		NotNil("map", "mapper", func() {})
		Given("map", "mapper", true)
		Positive("x", "y", 1)
		NotNegative("x", "y", 0)
	})
}
