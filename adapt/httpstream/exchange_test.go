package httpstream_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

func TestExchange(t *testing.T) {
	a := &answer{make: func(n int32, _ *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200 + int(n), Body: body("a\nb\n")}, nil
	}}
	lines := func(resp *httpstream.Response) flux.Flux[string] { return bytestream.Lines(resp.Open) }
	closed := func(n int32) {
		t.Helper()
		assert.Equal(t, n, a.closed.Load())
		assert.Equal(t, n, a.sent.Load())
		assert.False(t, a.twice.Load())
	}
	reactortest.Bubble(t, func(t *testing.T) {
		got, err := httpstream.Exchange(a.client(), request(t), lines).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, got)
		closed(1)

		// A body that nobody reads, and one whose stream fails before it is read.
		code, err := httpstream.Exchange(a.client(), request(t), func(resp *httpstream.Response) mono.Mono[int] { return mono.Just(resp.StatusCode) }).Next().Block(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 202, code)
		closed(2)
		_, err = httpstream.Exchange(a.client(), request(t), func(*httpstream.Response) flux.Flux[string] { panic(errBoom) }).Collect(t.Context())
		assert.ErrorIs(t, err, errBoom)
		assert.ErrorContains(t, err, "reactor: httpstream.exchange: panic: ")
		closed(3)

		// Cancelled while the stream waits for a thread to read on.
		busy, err := schedulers.NewBoundedElastic(1, 10, "busy")
		require.NoError(t, err)
		defer busy.Dispose()
		free := make(chan struct{})
		busy.Schedule(func(context.Context) { <-free })
		s := reactortest.Subscribe(t, httpstream.Exchange(a.client(), request(t), func(resp *httpstream.Response) flux.Flux[string] {
			return bytestream.Lines(resp.Open, bytestream.On(busy))
		}))
		synctest.Wait()
		s.Cancel()
		synctest.Wait()
		closed(4)
		close(free)

		// And while it reads.
		s = reactortest.Subscribe(t, httpstream.Exchange(a.client(), request(t), lines), reactortest.InitialRequest(1))
		s.ExpectNext("a")
		s.Cancel()
		synctest.Wait()
		closed(5)
	})
	_, err := httpstream.Exchange(&http.Client{Transport: &answer{make: func(int32, *http.Request) (*http.Response, error) { return nil, errBoom }}},
		request(t), lines).Collect(t.Context())
	assert.EqualError(t, err, `reactor: httpstream.exchange: request failed: Get "http://user:***@test/x": boom`)
}

// A thousand exchanges that end at random: each body is closed, once.
func TestRandomEnds(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		a := &answer{make: func(int32, *http.Request) (*http.Response, error) { return ok(strings.Repeat("x\n", 20)) }}
		pool, err := schedulers.NewBoundedElastic(4, 10_000, "requests")
		require.NoError(t, err)
		random := rand.New(rand.NewPCG(5, 6))
		var done sync.WaitGroup
		for i := range 1000 {
			ctx, cancel := context.WithCancel(t.Context())
			f := httpstream.Exchange(a.client(), request(t), func(resp *httpstream.Response) flux.Flux[string] {
				switch i % 5 {
				case 0:
					return flux.Error[string](errBoom)
				case 1:
					return bytestream.Lines(resp.Open, bytestream.On(pool)).Take(random.IntN(20))
				}
				return bytestream.Lines(resp.Open, bytestream.On(pool))
			}, httpstream.On(pool))
			s := reactortest.NewTestSubscriber[string](t, reactortest.InitialRequest(int64(i%30)))
			f.Subscribe(ctx, s)
			done.Go(func() {
				if i%2 == 0 {
					s.Cancel()
				}
				cancel()
			})
		}
		done.Wait()
		require.NoError(t, pool.DisposeGracefully(t.Context()))
		synctest.Wait() // for who watches the contexts
		assert.Equal(t, a.sent.Load(), a.closed.Load())
		assert.False(t, a.twice.Load())
	})
}
