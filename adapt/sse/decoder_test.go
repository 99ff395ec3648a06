package sse_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/sse"
)

// After an event that took a large buffer, no more is read ahead than before it.
func TestReadAheadAfterALongEvent(t *testing.T) {
	const long = 600 << 10
	text := "data:" + strings.Repeat("x", long) + "\n\n" + strings.Repeat("data\n\n", 1<<18)
	src := strings.NewReader(text)
	d := sse.NewDecoder(struct{ io.Reader }{src})
	_, err := d.Next()
	require.NoError(t, err)
	for range 1000 {
		_, err = d.Next()
		require.NoError(t, err)
	}
	read := len(text) - src.Len()
	assert.LessOrEqual(t, read-(long+7+6*1000), 4<<10)
}
