package httpstream_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/sinks"
)

// answered calls then when there is a response.
type answered struct {
	http.RoundTripper
	then func()
}

func (a answered) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := a.RoundTripper.RoundTrip(r)
	a.then()
	return resp, err
}

// What a body fails with while a refusal is read is no part of the error that says what was refused: it is reported.
func TestBodyFailsWithinARefusal(t *testing.T) {
	fail := sinks.Empty[[]byte]()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		assert.NoError(t, control.EnableFullDuplex())
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "busy\n")
		assert.NoError(t, control.Flush())
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer server.Close()
	r, err := httpstream.NewRequest(http.MethodPost, server.URL, flux.Just([]byte("a")).ConcatWith(fail))
	require.NoError(t, err)
	var dropped []error
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})
	client := &http.Client{Transport: answered{server.Client().Transport, func() { fail.TryEmitError(errBoom) }}}
	_, err = bytestream.Lines(httpstream.Open(client, r)).Collect(ctx)
	var status *httpstream.StatusError
	require.ErrorAs(t, err, &status)
	require.Len(t, dropped, 1)
	assert.ErrorIs(t, dropped[0], errBoom)
}
