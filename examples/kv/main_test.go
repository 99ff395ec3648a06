package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/examples/internal/service/servicetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestServer(t *testing.T) {
	for _, args := range [][]string{{"-engine", "net"}, {"-workers", "2"}, {"-selectors", "2"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			var out strings.Builder
			t.Cleanup(func() { assert.Regexp(t, `served 100\d commands of 7 clients`, out.String()) })
			data, words := servicetest.Start(t, run, &out, args...)
			assert.Equal(t, "+OK\r\n$1\r\nb\r\n+OK\r\n", servicetest.Talk(t, data, "set a b\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\nquit\r\nnever\r\n"))
			assert.Equal(t, "+PONG\r\n-ERR Protocol error: invalid bulk length\r\n", servicetest.Talk(t, data, "ping\r\n*1\r\n$-1\r\nping\r\n"))
			assert.Equal(t, "-ERR Protocol error: invalid bulk length\r\n", servicetest.Talk(t, data, "*1\r\n$2147483648\r\nping\r\n"))

			assert.Equal(t, "-ERR Protocol error: expected '$', got '.'\r\n", servicetest.Talk(t, data, "*1\r\n\rfoo\r\n"))

			// Many commands at once are answered in their order.
			var ask, want strings.Builder
			for i := range 1000 {
				fmt.Fprintf(&ask, "incr n\r\n")
				fmt.Fprintf(&want, ":%d\r\n", i+1)
			}
			assert.Equal(t, want.String()+"+OK\r\n", servicetest.Talk(t, data, ask.String()+"quit\r\n"))

			c, err := net.Dial("tcp", data)
			require.NoError(t, err)
			defer c.Close()
			fmt.Fprint(c, "ping\r\n")
			line, err := bufio.NewReader(c).ReadString('\n')
			require.NoError(t, err)
			assert.Equal(t, "+PONG\r\n", line)
			assert.Equal(t, "imok", servicetest.Talk(t, words, "ruok\n"))
			// A client hears of what the server does before it is counted.
			soon := func(word, want string) {
				says := regexp.MustCompile(want)
				assert.Eventually(t, func() bool { return says.MatchString(servicetest.Talk(t, words, word)) }, time.Minute, time.Millisecond, want)
			}
			soon("srvr", `Connections: 1\n`)
			soon("stat", `127.0.0.1:\d+\[\d+\]\(queued=0,recved=1,sent=1\)`)
			soon("cons", `bytesin=6,bytesout=7,unsent=0`)
			assert.Contains(t, servicetest.Talk(t, words, "mntr"), "kv_num_alive_connections\t1\n")
			assert.Contains(t, servicetest.Talk(t, words, "what"), "not one of")

			d, err := net.Dial("tcp", data) // one that says nothing
			require.NoError(t, err)
			defer d.Close()
			soon("mntr", `connections\t2\n`)
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
	ended, cancel := context.WithCancel(ctx)
	cancel() // else it would serve
	assert.ErrorContains(t, run(ended, []string{"-addr", "127.0.0.1:0", "serve"}, io.Discard, nil), `"serve"`)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	assert.ErrorContains(t, run(ctx, []string{"-addr", "127.0.0.1:0", "-admin", busy.Addr().String()}, io.Discard, nil), "in use")
}
