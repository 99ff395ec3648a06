package httpstream_test

import (
	"net/http"
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
