package main

import (
	"context"
	"io"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/examples/internal/childtest"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/netreactor"
)

func TestMain(m *testing.M) {
	if childtest.Main(main) {
		return
	}
	goleak.VerifyTestMain(m)
}

// Business workers let no connection wait behind the one that blocks. Where the machine stood still they all did: then it is
// measured again.
func TestRun(t *testing.T) {
	args := []string{"-addr", "127.0.0.1:0", "-for", "200ms", "-callers", "4", "-calls", "2", "-handlers", "2", "-block", "20ms"}
	report := regexp.MustCompile(`business workers +\d+ .* 0 of 3\nbounded elastic scheduler +\d+ .* of 3\n`)
	for begun := time.Now(); ; {
		var out strings.Builder
		err := run(context.Background(), args, &out)
		if err == nil && report.MatchString(out.String()) {
			return
		}
		require.Less(t, time.Since(begun), time.Minute, "%s\n%v", out.String(), err)
	}
}

// interrupting is an output that ends what is written a while after callers begin.
type interrupting struct {
	strings.Builder
	after time.Duration
	end   func()
}

func (i *interrupting) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "handlers run on") {
		if i.after == 0 {
			i.end()
		}
		time.AfterFunc(i.after, i.end)
	}
	return i.Builder.Write(p)
}

// Who ends it while it calls gets what there is of the report, and no error.
func TestInterrupted(t *testing.T) {
	var dropped atomic.Int64
	defer reactor.SetHooks("interrupted", reactor.Hooks{ErrorDropped: func(context.Context, error) { dropped.Add(1) }})()
	for i := range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		out := interrupting{after: time.Duration(3*i) * time.Millisecond, end: cancel}
		assert.NoError(t, run(ctx, []string{"-addr", "127.0.0.1:0", "-for", "1m", "-callers", "20"}, &out))
		cancel()
		assert.NotContains(t, out.String(), "bounded elastic")
	}
	assert.Zero(t, dropped.Load(), "errors that nobody heard of")
}

func TestServe(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{"-addr", "127.0.0.1:0", "-serve", "-for", "10ms"}, &out))
	assert.Contains(t, out.String(), "serving on 127.0.0.1:")
}

func TestCalls(t *testing.T) {
	late := make(chan struct{}, 2) // lets an answer go that is late
	server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", server, func(c *netreactor.Conn[call, answer]) flux.Flux[answer] {
		return c.Inbound().Map(func(c call) answer {
			if c.text == "late" {
				<-late
			}
			return handle(c)
		})
	}, netreactor.Business(2))
	require.NoError(t, err)
	defer server.Close()
	c, err := connect(t.Context(), server.Addr().String())
	require.NoError(t, err)
	defer c.close()
	a, err := c.call(0, "hello").Block(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "hello", a.text)
	_, err = c.call(-time.Second, "").Block(t.Context())
	assert.EqualError(t, err, "can't work for -1s")

	// Whoever gives up is forgotten, and the answer that comes later disturbs nobody.
	_, err = c.call(0, "late").Timeout(time.Millisecond).Block(t.Context())
	assert.ErrorIs(t, err, reactor.ErrTimeout)
	late <- struct{}{}
	a, err = c.call(0, "next").Block(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "next", a.text)
	c.mu.Lock()
	assert.Empty(t, c.waiting)
	c.mu.Unlock()

	// The end of the connection is the end of calls, of those under way and of new ones.
	failed := make(chan error, 1)
	go func() {
		_, err := c.call(0, "late").Block(context.Background())
		failed <- err
	}()
	assert.Eventually(t, func() bool { return server.Stats().Outstanding == 1 }, time.Minute, time.Millisecond)
	c.conn.Abort()
	assert.ErrorIs(t, <-failed, netreactor.ErrClosed)
	late <- struct{}{}
	_, err = c.call(0, "").Block(t.Context())
	assert.ErrorIs(t, err, netreactor.ErrClosed)
}

func TestFrames(t *testing.T) {
	_, err := decodeCall(make([]byte, 15))
	assert.ErrorContains(t, err, "call of 15 bytes")
	_, err = decodeAnswer(make([]byte, 11))
	assert.ErrorContains(t, err, "answer of 11 bytes")
	_, err = decodeAnswer([]byte("12345678\x00\x00\x00\x05four"))
	assert.ErrorContains(t, err, "error of 5 bytes in an answer with 4")
	frame, err := encodeAnswer(nil, answer{id: 7, err: "no", text: "way"})
	require.NoError(t, err)
	a, err := decodeAnswer(frame)
	require.NoError(t, err)
	assert.Equal(t, answer{id: 7, err: "no", text: "way"}, a)
}

func TestArguments(t *testing.T) {
	ctx := context.Background()
	assert.ErrorContains(t, run(ctx, []string{"-callers", "1"}, io.Discard), "-callers 1")
	assert.Error(t, run(ctx, []string{"-addr", "nowhere:x"}, io.Discard))
	assert.Error(t, run(ctx, []string{"-nonsense"}, io.Discard))
	assert.NoError(t, run(ctx, []string{"-h"}, io.Discard))
	ended, cancel := context.WithCancel(ctx)
	cancel() // else it would serve
	assert.ErrorContains(t, run(ended, []string{"-addr", "127.0.0.1:0", "serve"}, io.Discard), `"serve"`)
}

// SIGTERM ends it as Ctrl-C does.
func TestTerminated(t *testing.T) {
	childtest.Terminated(t, "serving on", "-serve", "-for", "1m", "-addr", "127.0.0.1:0")
}
