package sse_test

import (
	"io"
	"strings"
	"testing"
	"time"

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

// Bytes that are no character are replaced as in the Encoding standard, which browsers follow: one replacement for
// each beginning of a character that breaks off, and for each byte that begins none.
func TestInvalidUTF8(t *testing.T) {
	for text, want := range map[string]string{
		"\xffa":                    "\uFFFDa",
		"\xff\xffa":                "\uFFFD\uFFFDa",
		"\xe2\x82a":                "\uFFFDa",
		"\xe2\x82\xe2\x82a":        "\uFFFD\uFFFDa",
		"\xf0\x9f\x98":             "\uFFFD",
		"\xf0\x9f\x98\xf0":         "\uFFFD\uFFFD",
		"\xed\xa0\x80":             "\uFFFD\uFFFD\uFFFD", // a surrogate
		"\xc0\xaf":                 "\uFFFD\uFFFD",       // too long for what it is
		"a\xe2\x82\xac\x80 \uFFFD": "a€\uFFFD \uFFFD",
	} {
		e, err := sse.NewDecoder(strings.NewReader("id:" + text + "\nevent:" + text + "\ndata:" + text + "\n\n")).Next()
		require.NoError(t, err)
		assert.Equal(t, sse.Event{ID: want, Type: want, Data: want}, e, "%q", text)
	}
}

// A server that says 0 has said nothing of when to connect again, and what it has said before holds.
func TestRetryOfZeroSaysNothing(t *testing.T) {
	d := sse.NewDecoder(strings.NewReader("retry:5000\ndata:a\n\nretry:0\ndata:b\n\nretry:250\nretry:00\ndata:c\n\n"))
	for _, want := range []sse.Event{{Data: "a", Retry: 5 * time.Second}, {Data: "b"}, {Data: "c", Retry: 250 * time.Millisecond}} {
		e, err := d.Next()
		require.NoError(t, err)
		assert.Equal(t, want, e)
		if want.Data == "b" {
			assert.Equal(t, 5*time.Second, d.Retry())
		}
	}
	assert.Equal(t, 250*time.Millisecond, d.Retry())
}
