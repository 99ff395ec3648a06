package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/direct"
)

func TestHide(t *testing.T) {
	src := Hide(Just(1))
	_, callable := src.(direct.Callable[int])
	assert.False(t, callable)
	run(src).Done(t, 1)
}
