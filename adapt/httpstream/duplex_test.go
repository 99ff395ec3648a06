package httpstream_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/adapt/internal/pipenet"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
)

// A response may be made of the body of its request, while that is still coming.
func TestResponseOfWhatIsStillComing(t *testing.T) {
	for name, serve := range map[string]func(testing.TB, http.Handler) *pipenet.Server{"HTTP/1.1": pipenet.Serve, "HTTP/2": pipenet.Serve2} {
		reactortest.Bubble(t, func(t *testing.T) {
			h, errs := hooked(httpstream.Handler(func(r *http.Request) flux.Flux[[]byte] {
				return bytestream.Lines(bytestream.From(r.Body)).Map(func(line string) []byte { return []byte("> " + line + "\n") })
			}))
			server := serve(t, h)
			begin := time.Now()
			req, err := httpstream.NewRequest(http.MethodPost, "http://test/", chunks("a\n", "b\n", "c\n").DelayElements(time.Second))
			require.NoError(t, err)
			var at []time.Duration
			got, err := bytestream.Lines(httpstream.Open(server.Client, req)).
				DoOnNext(func(string) { at = append(at, time.Since(begin)) }).Collect(t.Context())
			require.NoError(t, err, name)
			assert.Equal(t, []string{"> a", "> b", "> c"}, got, name)
			assert.Equal(t, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}, at, name)
			assert.Empty(t, errs, name)
		})
	}
}

// Where the stream does not read it, the server does away with it, and hears that the client has gone.
func TestClientThatGoesThoughItsBodyIsNotRead(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		src := reactortest.NewTestPublisher[[]byte](t)
		server := pipenet.Serve(t, streaming(flux.From(src)))
		req, err := httpstream.NewRequest(http.MethodPost, "http://test/", chunks("a\n", "b\n"))
		require.NoError(t, err)
		s := reactortest.Subscribe(t, bytestream.Lines(httpstream.Open(server.Client, req)))
		synctest.Wait()
		src.Next([]byte("x\n"))
		s.ExpectNext("x")
		synctest.Wait() // see pipenet.HangUp
		s.Cancel()
		synctest.Wait()
		src.AssertCancelled(1)
	})
}

// A client that says nothing more holds up neither the response nor who gives its body up: net/http waits for both, for the
// lock of a Read, and for the rest of a body, when that is closed.
func TestBodyThatIsGivenUp(t *testing.T) {
	failure := errors.New("no more")
	for name, c := range map[string]struct {
		of    func(lines flux.Flux[string]) flux.Flux[string]
		fails bool
	}{
		"between two reads": {func(lines flux.Flux[string]) flux.Flux[string] { return lines.Take(1) }, false},
		"within a read":     {func(lines flux.Flux[string]) flux.Flux[string] { return lines.TakeFor(time.Second) }, false},
		"by a failure":      {func(lines flux.Flux[string]) flux.Flux[string] { return lines.MergeWith(failsLater(failure)) }, true},
	} {
		for protocol, serve := range map[string]func(testing.TB, http.Handler) *pipenet.Server{"HTTP/1.1": pipenet.Serve, "HTTP/2": pipenet.Serve2} {
			for _, length := range []int64{-1, 100} {
				reactortest.Bubble(t, func(t *testing.T) {
					h, errs := hooked(httpstream.Handler(func(r *http.Request) flux.Flux[[]byte] {
						return c.of(bytestream.Lines(bytestream.From(r.Body))).Map(func(line string) []byte { return []byte("> " + line + "\n") })
					}))
					server := serve(t, h)
					req, err := httpstream.NewRequest(http.MethodPost, "http://test/", chunks("a\n").ConcatWith(flux.Never[[]byte]()))
					require.NoError(t, err)
					req.ContentLength = length
					begin := time.Now()
					var got []string
					err = bytestream.Lines(httpstream.Open(server.Client, req)).DoOnNext(func(line string) { got = append(got, line) }).Run(t.Context())
					what := fmt.Sprintf("%s, %s, length %d", name, protocol, length)
					assert.Equal(t, []string{"> a"}, got, what)
					assert.LessOrEqual(t, time.Since(begin), time.Second+pipenet.HangUp, what)
					if !c.fails {
						assert.NoError(t, err, what)
						assert.Empty(t, errs, what)
						return
					}
					assert.Error(t, err, what)
					require.NotEmpty(t, errs, what)
					assert.ErrorIs(t, <-errs, failure, what)
					assert.Empty(t, errs, what)
				})
			}
		}
	}
}

func failsLater(err error) flux.Flux[string] {
	return flux.Error[string](err).DelaySubscriptionFor(time.Second)
}

// slowBody is the body that a middleware has made, which takes its time to close.
type slowBody struct {
	io.ReadCloser
	closed atomic.Bool
}

func (b *slowBody) Close() error {
	time.Sleep(time.Millisecond)
	defer b.closed.Store(true)
	return b.ReadCloser.Close()
}

// behind puts a middleware in front of h that says whether the body is closed when h has returned.
func behind(h http.Handler) (http.Handler, <-chan bool) {
	closed := make(chan bool, 10)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := &slowBody{ReadCloser: r.Body}
		r.Body = body
		defer func() { closed <- body.closed.Load() }()
		h.ServeHTTP(w, r)
	}), closed
}

// The response may go on for long, and the body is closed in the end.
func TestBodyThatIsGivenUpWithinAResponse(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		h, closed := behind(httpstream.Handler(func(r *http.Request) flux.Flux[[]byte] {
			return bytestream.Chunks(bytestream.From(r.Body), 10).TakeFor(time.Second).ConcatWith(chunks("b\n", "c\n").DelayElements(time.Second))
		}))
		server := pipenet.Serve(t, h)
		req, err := httpstream.NewRequest(http.MethodPost, "http://test/", chunks("a\n").ConcatWith(flux.Never[[]byte]()))
		require.NoError(t, err)
		got, err := bytestream.Lines(httpstream.Open(server.Client, req)).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b", "c"}, got)
		assert.True(t, <-closed)
	})
}

// Where the body was read to its end nothing is given up, and the connection serves the next request.
func TestConnectionIsKeptBehindABody(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		h, closed := behind(httpstream.Handler(func(r *http.Request) flux.Flux[[]byte] {
			return bytestream.Chunks(bytestream.From(r.Body), 10)
		}))
		server := pipenet.Serve(t, h)
		for range 3 {
			req, err := httpstream.NewRequest(http.MethodPost, "http://test/", chunks("a\n", "b\n"))
			require.NoError(t, err)
			got, err := bytestream.Lines(httpstream.Open(server.Client, req)).Collect(t.Context())
			require.NoError(t, err)
			assert.Equal(t, []string{"a", "b"}, got)
			synctest.Wait()
			assert.EqualValues(t, 1, server.Conns.Load())
			assert.True(t, <-closed)
		}
	})
}
