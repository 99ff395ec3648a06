package sse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/sse"
)

// An event that is too long is the end: what follows it may be the rest of the event.
func TestDecoderBehindAnEventThatIsTooLong(t *testing.T) {
	first := strings.Repeat("x", 700<<10)
	second := "data: " + strings.Repeat("y", 1<<20-len(first)-len("data: ")) // one byte too long, with the \n behind the first line
	for _, text := range []string{
		"data: " + first + first + "\ndata: b\n\n",
		"data: " + first + "\n" + second + "\ndata: b\n\n",
	} {
		d := sse.NewDecoder(strings.NewReader(text))
		_, err := d.Next()
		assert.ErrorIs(t, err, bytestream.ErrTooLong)
		e, again := d.Next()
		assert.Equal(t, err, again)
		assert.Empty(t, e.Data)
	}
}
