package reactor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIndexedString(t *testing.T) {
	assert.Equal(t, "3: x", Indexed[string]{3, "x"}.String())
}
