package bytestream_test

import (
	"context"
	"io"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
)

// A reader that is closed while it subscribes cancels its source, which may close it again.
func TestReaderClosedBySourceThatIsCancelled(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		var r io.ReadCloser
		src := flux.Defer(func(context.Context) flux.Flux[[]byte] {
			assert.NoError(t, r.Close())
			return flux.Never[[]byte]().DoOnCancel(func() { r.Close() })
		})
		r = bytestream.NewReader(t.Context(), src)
		ended := make(chan error, 1)
		go func() {
			_, err := r.Read(make([]byte, 1))
			ended <- err
		}()
		synctest.Wait()
		if assert.Len(t, ended, 1, "it waits for itself") {
			assert.ErrorIs(t, <-ended, io.ErrClosedPipe)
		}
	})
}
