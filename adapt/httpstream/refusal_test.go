package httpstream_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
