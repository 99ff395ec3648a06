package operators_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestCollectInto(t *testing.T) {
	made := 0
	src := operators.CollectInto(operators.JustAll("a", "b"), func() *strings.Builder { made++; return &strings.Builder{} },
		func(b *strings.Builder, v string) { b.WriteString(v) })
	for range 2 {
		b, err := operators.Block(t.Context(), src)
		assert.NoError(t, err)
		assert.Equal(t, "ab", b.String())
	}
	assert.Equal(t, 2, made, "each subscription collects anew")
}
