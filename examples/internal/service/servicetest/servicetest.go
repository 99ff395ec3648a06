// Package servicetest runs the servers among the examples in tests.
package servicetest

import (
	"context"
	"io"
	"net"
	"testing"

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
		t.Fatal("it ended before it served:", err)
	}
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error("at the end:", err)
		}
	})
	return data, words
}

// Talk sends text and returns all that comes.
func Talk(t testing.TB, addr, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err = io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}
