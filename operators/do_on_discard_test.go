package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDoOnDiscardByType(t *testing.T) {
	var all, odd []any
	keep := func(v any) bool { return false }
	src := FromSlice([]any{1, "a", 2})
	run(DoOnDiscard(DoOnDiscard(Filter(src, keep), func(v int) { odd = append(odd, v) }),
		func(v any) { all = append(all, v) })).Done(t)
	assert.Equal(t, []any{1, "a", 2}, all)
	assert.Equal(t, []any{1, 2}, odd)
}
