package bytestream_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/adapt/bytestream"
)

var errBoom = errors.New("boom")

// tracked counts what becomes of a reader.
type tracked struct {
	io.Reader
	closeErr              error
	opened, closed, reads atomic.Int32
	busy                  atomic.Bool
	closedDuringRead      atomic.Bool
	onClose               func()
}

func (r *tracked) open(context.Context) (io.ReadCloser, error) {
	r.opened.Add(1)
	return r, nil
}

func (r *tracked) Read(p []byte) (int, error) {
	r.busy.Store(true)
	defer r.busy.Store(false)
	r.reads.Add(1)
	return r.Reader.Read(p)
}

func (r *tracked) Close() error {
	r.closed.Add(1)
	if r.busy.Load() {
		r.closedDuringRead.Store(true)
	}
	if r.onClose != nil {
		r.onClose()
	}
	return r.closeErr
}

// check is what holds when everything has come to rest.
func (r *tracked) check(t *testing.T) {
	t.Helper()
	assert.Equal(t, r.opened.Load(), r.closed.Load(), "opened and closed")
}

func text(s string) *tracked { return &tracked{Reader: strings.NewReader(s)} }

// then is a reader of s that ends with err.
func then(s string, err error) *tracked {
	return &tracked{Reader: io.MultiReader(strings.NewReader(s), failing{err})}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// lying returns n from every Read.
type lying int

func (l lying) Read([]byte) (int, error) { return int(l), nil }

func from(s string) bytestream.Opener { return bytestream.From(strings.NewReader(s)) }
