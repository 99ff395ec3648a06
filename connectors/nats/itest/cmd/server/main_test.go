package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/connectors/nats/itest"
	"github.com/goreactor/reactor/connectors/nats/natslock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The servers can be used when the addresses are printed, and end with the context.
func TestRun(t *testing.T) {
	for _, nodes := range []string{"1", "3"} {
		t.Run(nodes, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			out, in := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				err := run(ctx, []string{"-port", "0", "-nodes", nodes, "-bucket", "orders"}, in)
				in.CloseWithError(io.EOF)
				ended <- err
			}()
			var urls []string
			lines := bufio.NewScanner(out)
			for len(urls) < len(nodes)*int(nodes[0]-'0') && lines.Scan() {
				urls = append(urls, lines.Text())
			}
			require.NoError(t, lines.Err())
			conn, js, err := itest.Connect(urls...)
			require.NoError(t, err)
			_, err = natslock.New(ctx, js, "orders")
			assert.NoError(t, err)
			conn.Close()
			cancel()
			assert.NoError(t, <-ended)
		})
	}
}

func TestArguments(t *testing.T) {
	var out strings.Builder
	for _, nodes := range []string{"0", "2", "4", "-1"} {
		assert.ErrorContains(t, run(t.Context(), []string{"-nodes", nodes}, &out), "-nodes must be 1, 3 or 5, got "+nodes)
	}
	assert.Error(t, run(t.Context(), []string{"-nonsense"}, &out))
	assert.NoError(t, run(t.Context(), []string{"-h"}, &out))
}
