package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/examples/internal/childtest"
	"github.com/goreactor/reactor/netreactor"
)

func TestMain(m *testing.M) {
	if childtest.Main(main) {
		return
	}
	goleak.VerifyTestMain(m)
}

func TestRun(t *testing.T) {
	var out strings.Builder
	args := []string{"-addr", "127.0.0.1:0", "-for", "1100ms", "-clients", "20", "-slow", "2", "-rate", "1000"}
	require.NoError(t, run(context.Background(), args, &out))
	assert.Contains(t, out.String(), "20 clients listen and 2 do not")
	assert.Contains(t, out.String(), "the 20 clients who listen have heard")
}

// interrupting is an output that ends what is written a while after they begin to talk.
type interrupting struct {
	strings.Builder
	after time.Duration
	end   func()
}

func (i *interrupting) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "clients listen and") {
		time.AfterFunc(i.after, i.end)
	}
	return i.Builder.Write(p)
}

// Who ends it while they talk hears what was said, and waits for nobody.
func TestInterrupted(t *testing.T) {
	for i := range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		out := interrupting{after: time.Duration(50+3*i) * time.Millisecond, end: cancel}
		assert.NoError(t, run(ctx, []string{"-addr", "127.0.0.1:0", "-for", "1m", "-clients", "20", "-slow", "2", "-rate", "1000"}, &out))
		cancel()
		assert.Contains(t, out.String(), "the 20 clients who listen have heard")
	}
}

// The room, as two people with plain sockets see it.
func TestRoom(t *testing.T) {
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", lines, newRoom().join)
	require.NoError(t, err)
	defer server.Close()
	join := func(name string) (net.Conn, *bufio.Reader) {
		c, err := net.Dial("tcp", server.Addr().String())
		require.NoError(t, err)
		fmt.Fprint(c, "\n \r\n"+name+"\n") // who only presses Enter has not said a name yet
		return c, bufio.NewReader(c)
	}
	hears := func(r *bufio.Reader, want string) {
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		assert.Equal(t, want+"\n", line)
	}
	ann, toAnn := join("ann")
	defer ann.Close()
	hears(toAnn, "* ann is here")
	bob, toBob := join("bob")
	hears(toAnn, "* bob is here")
	hears(toBob, "* bob is here")
	fmt.Fprintln(bob, "hello")
	hears(toAnn, "bob: hello")
	hears(toBob, "bob: hello")
	bob.Close()
	hears(toAnn, "* bob has left")
}

// Who has missed the last line hears it when it is said again.
func TestTheLastLineIsSaidAgain(t *testing.T) {
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", lines, newRoom().join)
	require.NoError(t, err)
	defer server.Close()
	c, err := invite(t.Context(), server.Addr().String(), 2, 0)
	require.NoError(t, err)
	defer c.leave()
	said := c.talk(t.Context(), 50*time.Millisecond, 1000, func() {})
	require.NoError(t, c.check(t.Context(), io.Discard, said))
	missed := c.clients[1]
	missed.last.Add(-1)
	missed.heard.Add(-1)
	require.NoError(t, c.check(t.Context(), io.Discard, said))
}

func TestArguments(t *testing.T) {
	ctx := context.Background()
	assert.ErrorContains(t, run(ctx, []string{"-clients", "0"}, io.Discard), "-clients 0")
	assert.Error(t, run(ctx, []string{"-addr", "nowhere:x"}, io.Discard))
	assert.Error(t, run(ctx, []string{"-nonsense"}, io.Discard))
	assert.NoError(t, run(ctx, []string{"-h"}, io.Discard))
	ended, cancel := context.WithCancel(ctx)
	cancel() // else it would serve
	assert.NoError(t, run(ended, []string{"-addr", "127.0.0.1:0"}, io.Discard), "who ends it before they talk wants nothing else")
	assert.ErrorContains(t, run(ended, []string{"-addr", "127.0.0.1:0", "serve"}, io.Discard), `"serve"`)
}

// SIGTERM ends it as Ctrl-C does.
func TestTerminated(t *testing.T) {
	childtest.Terminated(t, "serving on", "-serve", "-addr", "127.0.0.1:0")
}
