package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts the server and returns its addresses.
func serve(t *testing.T, out io.Writer, args ...string) (data, words string) {
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

// talk sends text and returns all that comes.
func talk(t *testing.T, addr, text string) string {
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, text)
	require.NoError(t, err)
	got, err := io.ReadAll(c)
	require.NoError(t, err)
	return string(got)
}

func TestServer(t *testing.T) {
	for _, args := range [][]string{{"-engine", "net"}, {"-workers", "2"}, {"-selectors", "2"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			var out strings.Builder
			t.Cleanup(func() { assert.Regexp(t, `served 100\d commands of 5 clients`, out.String()) })
			data, words := serve(t, &out, args...)
			assert.Equal(t, "+OK\r\n$1\r\nb\r\n+OK\r\n", talk(t, data, "set a b\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\nquit\r\nnever\r\n"))
			assert.Equal(t, "+PONG\r\n-ERR Protocol error: invalid bulk length\r\n", talk(t, data, "ping\r\n*1\r\n$-1\r\nping\r\n"))

			// Many commands at once are answered in their order.
			var ask, want strings.Builder
			for i := range 1000 {
				fmt.Fprintf(&ask, "incr n\r\n")
				fmt.Fprintf(&want, ":%d\r\n", i+1)
			}
			assert.Equal(t, want.String()+"+OK\r\n", talk(t, data, ask.String()+"quit\r\n"))

			c, err := net.Dial("tcp", data)
			require.NoError(t, err)
			defer c.Close()
			fmt.Fprint(c, "ping\r\n")
			line, err := bufio.NewReader(c).ReadString('\n')
			require.NoError(t, err)
			assert.Equal(t, "+PONG\r\n", line)
			assert.Equal(t, "imok", talk(t, words, "ruok\n"))
			// A client hears of what the server does before it is counted.
			assert.Eventually(t, func() bool { return strings.Contains(talk(t, words, "srvr"), "Connections: 1\n") }, 5e9, 1e6)
			assert.Regexp(t, `127.0.0.1:\d+\[\d+\]\(queued=0,recved=1,sent=1\)`, talk(t, words, "stat"))
			assert.Eventually(t, func() bool { return strings.Contains(talk(t, words, "cons"), "bytesin=6,bytesout=7,unsent=0") }, 5e9, 1e6)
			assert.Contains(t, talk(t, words, "mntr"), "kv_num_alive_connections\t1\n")
			assert.Contains(t, talk(t, words, "what"), "not one of")

			d, err := net.Dial("tcp", data) // one that says nothing
			require.NoError(t, err)
			defer d.Close()
			assert.Eventually(t, func() bool { return strings.Contains(talk(t, words, "mntr"), "connections\t2\n") }, 5e9, 1e6)
		})
	}
}

func TestArguments(t *testing.T) {
	ctx := context.Background()
	assert.ErrorContains(t, run(ctx, []string{"-engine", "steam"}, io.Discard, nil), `-engine is auto, epoll or net, not "steam"`)
	assert.ErrorContains(t, run(ctx, []string{"-workers", "-1"}, io.Discard, nil), "-1")
	assert.Error(t, run(ctx, []string{"-addr", "nowhere:x"}, io.Discard, nil))
	assert.Error(t, run(ctx, []string{"-nonsense"}, io.Discard, nil))
	assert.NoError(t, run(ctx, []string{"-h"}, io.Discard, nil))
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	assert.ErrorContains(t, run(ctx, []string{"-addr", "127.0.0.1:0", "-admin", busy.Addr().String()}, io.Discard, nil), "in use")
}
