package http1

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Lengths that a limit may allow are what they are; those that no integer holds stay too large.
func TestLengths(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "1000000000": 1_000_000_000,
		"99999999999999999999": tooLarge, "900000000000000000000000001": tooLarge,
	} {
		n, ok := decimal([]byte(text))
		assert.True(t, ok)
		assert.Equal(t, want, n, text)
	}
}
