package httpstream_test

import (
	"net/http"
	"testing"

	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/flux"
	"github.com/stretchr/testify/assert"
)

// Package net/http leaves out a trailer of such a name without a word: a response that has failed would look complete.
func TestErrorTrailerThatIsNotSent(t *testing.T) {
	request, err := http.NewRequest(http.MethodGet, "http://test/", nil)
	assert.NoError(t, err)
	stream := func(*http.Request) flux.Flux[[]byte] { return flux.Empty[[]byte]() }
	for _, name := range []string{"Stream Error", "Stream-Error:", "Strömfehler", "A,B", "Content-Length", "trailer", "if-match", "TE"} {
		bad := httpstream.ErrorTrailer(name)
		for op, call := range map[string]func(){
			"handler": func() { httpstream.Handler(stream, bad) },
			"open":    func() { httpstream.Open(http.DefaultClient, request, bad) },
			"get":     func() { httpstream.Get(http.DefaultClient, "http://test/", bad) },
		} {
			assert.PanicsWithValue(t, "reactor: httpstream."+op+`: "`+name+`" can't be the name of a trailer`, call)
		}
	}
	for _, name := range []string{"Stream-Error", "x_failed", ""} {
		assert.NotPanics(t, func() { httpstream.Handler(stream, httpstream.ErrorTrailer(name)) }, name)
	}
}
