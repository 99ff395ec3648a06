package bytestream_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/flux"
)

// An opener that finds nothing where there has to be something fails with io.EOF. That is no empty text.
func TestOpenersThatReturnEOF(t *testing.T) {
	_, err := bytestream.Lines(func(context.Context) (io.ReadCloser, error) { return gzip.NewReader(strings.NewReader("")) }).Collect(t.Context())
	assert.Equal(t, io.EOF, err)
	_, err = bytestream.Write(texts("ab"), func(context.Context) (io.WriteCloser, error) { return nil, io.EOF }).Block(t.Context())
	assert.Equal(t, io.EOF, err)
}

// A source that fails with io.EOF has not emitted all there is.
func TestSourcesThatFailWithEOF(t *testing.T) {
	src := texts("ab").ConcatWith(flux.Error[[]byte](io.EOF))
	var out bytes.Buffer
	w := &target{Writer: &out}
	_, err := bytestream.Write(src, w.open).Block(t.Context())
	assert.ErrorIs(t, err, io.EOF)
	assert.EqualError(t, err, "reactor: bytestream.write: unexpected EOF: the source failed: EOF")
	assert.Equal(t, "ab", out.String())
	assert.Equal(t, 1, w.closed)

	text, err := io.ReadAll(bytestream.NewReader(t.Context(), src))
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, "ab", string(text))
}

// A chunk that has come is read or discarded, also if the reader is closed while the next one is asked for.
func TestReaderClosedWithinARead(t *testing.T) {
	var r io.ReadCloser
	var discarded []string
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{Discard: func(_ context.Context, v any) { discarded = append(discarded, string(v.([]byte))) }})
	r = bytestream.NewReader(ctx, flux.FromSeq(func(yield func([]byte) bool) {
		if yield([]byte("ab")) {
			r.Close()
			yield([]byte("cd"))
		}
	}))
	buf := make([]byte, 10)
	n, err := r.Read(buf)
	assert.NoError(t, err)
	assert.Equal(t, []string{"ab", "cd"}, append([]string{string(buf[:n])}, discarded...))
	_, err = r.Read(buf)
	assert.Equal(t, io.ErrClosedPipe, err)
}
