package netreactor

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCloseErrorsSayOnce whose they are and what has happened, whatever is below.
func TestCloseErrorsSayOnce(t *testing.T) {
	for want, e := range map[string]*CloseError{
		"read timeout": {ReasonReadTimeout, nil},
		"message too large: 41 bytes, at most 16 are allowed": {ReasonTooLarge, tooLarge(&Input{max: 16}, 41)},
		"message too large": {ReasonTooLarge, ErrTooLarge},
		"truncated message: 5 bytes of a message: no more": {ReasonTruncated, fmt.Errorf("netreactor: %d bytes of a message: %w", 5, errors.New("no more"))},
		"read failed: EOF": {ReasonReadFailed, io.EOF},
	} {
		assert.EqualError(t, e, "netreactor: connection closed: "+want)
	}
}
