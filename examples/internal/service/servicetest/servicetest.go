// Package servicetest runs the servers among the examples in tests.
package servicetest

import (
	"context"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/examples/internal/service"
)

// Start runs a server until the test ends and returns its addresses.
func Start(t *testing.T, run service.Run, out io.Writer, args ...string) (data, words string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() {
		args := append([]string{"-addr", "127.0.0.1:0", "-admin", "127.0.0.1:0"}, args...)
		done <- run(ctx, args, out, func(d, w string) { data, words = d, w; close(ready) })
	}()
	select {
	case <-ready:
	case err := <-done:
		require.NoError(t, err)
	}
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-done)
	})
	return data, words
}

// Talk sends text and returns all that comes.
func Talk(t testing.TB, addr, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, text)
	require.NoError(t, err)
	got, err := io.ReadAll(c)
	require.NoError(t, err)
	return string(got)
}
