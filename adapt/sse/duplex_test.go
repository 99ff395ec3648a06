package sse_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/adapt/internal/pipenet"
	"github.com/goreactor/reactor/adapt/sse"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
)

// Events may be made of the body of the request, though their header goes out before.
func TestEventsOfWhatIsStillComing(t *testing.T) {
	for name, serve := range map[string]func(testing.TB, http.Handler) *pipenet.Server{"HTTP/1.1": pipenet.Serve, "HTTP/2": pipenet.Serve2} {
		reactortest.Bubble(t, func(t *testing.T) {
			server := serve(t, sse.Handler(func(r *http.Request) flux.Flux[sse.Event] {
				return bytestream.Lines(bytestream.From(r.Body)).
					DelaySubscriptionFor(time.Second).
					Map(func(line string) sse.Event { return sse.Event{Data: line} })
			}))
			known, err := http.NewRequest(http.MethodPost, "http://test/", strings.NewReader("a\nb\n"))
			require.NoError(t, err)
			slow, err := httpstream.NewRequest(http.MethodPost, "http://test/", flux.Just([]byte("a\n"), []byte("b\n")).DelayElements(2*time.Second))
			require.NoError(t, err)
			for _, req := range []*http.Request{known, slow} {
				got, err := sse.Events(server.Client, req, sse.Once()).Collect(t.Context())
				require.NoError(t, err, name)
				assert.Equal(t, []sse.Event{{Data: "a"}, {Data: "b"}}, got, name)
			}
		})
	}
}
