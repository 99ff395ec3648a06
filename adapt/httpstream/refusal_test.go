package httpstream_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/reactortest"
)

// refusal answers with a body that begins and does not go on.
type refusal struct{}

func (refusal) RoundTrip(req *http.Request) (*http.Response, error) {
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, "later")
		time.Sleep(time.Hour)
		w.Close()
	}()
	return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: r, Request: req}, nil
}

// brokenBody panics when it is closed.
type brokenBody struct{ io.ReadCloser }

func (b brokenBody) Close() error {
	b.ReadCloser.Close()
	panic("broken")
}

// brokenRefusal is a refusal with such a body.
type brokenRefusal struct{ refusal }

func (r brokenRefusal) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.refusal.RoundTrip(req)
	resp.Body = brokenBody{resp.Body}
	return resp, err
}

// The body of a refusal that is given up is closed by nobody who could hear of a panic.
func TestRefusalWhoseBodyPanicsWhenItIsGivenUp(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		var dropped []error
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})
		_, err := bytestream.Lines(httpstream.Get(&http.Client{Transport: brokenRefusal{}}, "http://test/")).Collect(ctx)
		var status *httpstream.StatusError
		require.ErrorAs(t, err, &status)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if assert.Len(t, dropped, 1) {
			assert.ErrorContains(t, dropped[0], "panic: broken")
		}
	})
}

// A refusal whose body does not come is one all the same.
func TestRefusalWhoseBodyStalls(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		begin := time.Now()
		_, err := bytestream.Lines(httpstream.Get(&http.Client{Transport: refusal{}}, "http://test/")).Collect(t.Context())
		var status *httpstream.StatusError
		require.ErrorAs(t, err, &status)
		assert.Equal(t, "later", string(status.Body))
		assert.Equal(t, time.Second, time.Since(begin))
		time.Sleep(2 * time.Hour)
		synctest.Wait()
	})
}

func TestRefusalBySomebodyWhoDoesNotSayOfWhat(t *testing.T) {
	resp := &http.Response{StatusCode: http.StatusNotFound, Body: io.NopCloser(strings.NewReader("no such order"))}
	err := httpstream.NewStatusError("op", resp)
	assert.EqualError(t, err, `reactor: op: status 404 Not Found: "no such order"`)
}
