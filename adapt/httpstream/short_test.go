package httpstream_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/adapt/bytestream"
)

// shortWriter is a ResponseWriter, of a middleware say, that writes less than it was given.
type shortWriter struct {
	*httptest.ResponseRecorder
	n int // what Write returns
}

func (w shortWriter) Write([]byte) (int, error) { return w.n, nil }

// A writer that has not written all of a chunk has failed, also if it does not say so.
func TestHandlerWithAWriterThatWritesLess(t *testing.T) {
	for n, want := range map[int]string{
		1:  "after 1 bytes for 192.0.2.1:1234: short write",
		3:  "after 0 bytes for 192.0.2.1:1234: httpstream_test.shortWriter wrote 3 of 2 bytes",
		-1: "after 0 bytes for 192.0.2.1:1234: httpstream_test.shortWriter wrote -1 of 2 bytes",
	} {
		h, errs := hooked(streaming(chunks("ab", "cd")))
		assert.PanicsWithValue(t, http.ErrAbortHandler, func() {
			h.ServeHTTP(shortWriter{httptest.NewRecorder(), n}, httptest.NewRequest("GET", "/", nil))
		})
		if assert.Len(t, errs, 1) {
			err := <-errs
			assert.ErrorIs(t, err, bytestream.ErrWrite)
			assert.ErrorContains(t, err, want)
			assert.Equal(t, n == 1, errors.Is(err, io.ErrShortWrite))
		}
	}
}
