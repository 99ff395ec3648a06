package logged

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAPanicOfTheLogGoesNoFurther(t *testing.T) {
	written := 0
	assert.NotPanics(t, func() { Safely(func() { written++; panic("the log is full") }) })
	assert.Equal(t, 1, written)
}
