package httpstream_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/flux"
)

// The files of a form are gone when the request is over, as behind any other handler.
func TestFilesOfAForm(t *testing.T) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "name")
	require.NoError(t, err)
	_, err = part.Write(make([]byte, 11<<20)) // 10 MiB of it may stay in memory
	require.NoError(t, err)
	require.NoError(t, w.Close())
	parse := func(r *http.Request) flux.Flux[[]byte] {
		if err := r.ParseMultipartForm(0); err != nil {
			return flux.Error[[]byte](err)
		}
		return chunks("ok")
	}
	for name, fn := range map[string]func(r *http.Request) flux.Flux[[]byte]{
		"by the function": parse,
		"by the stream": func(r *http.Request) flux.Flux[[]byte] {
			return flux.Defer(func(context.Context) flux.Flux[[]byte] { return parse(r) })
		},
		"before a failure":     func(r *http.Request) flux.Flux[[]byte] { return parse(r).ConcatWith(flux.Error[[]byte](errBoom)) },
		"before a panic of it": func(r *http.Request) flux.Flux[[]byte] { _ = parse(r); panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			h, _ := hooked(httpstream.Handler(fn))
			over := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(over)
				h.ServeHTTP(w, r)
			}))
			defer server.Close()
			if resp, err := http.Post(server.URL, w.FormDataContentType(), bytes.NewReader(form.Bytes())); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			<-over
			files, err := os.ReadDir(dir)
			assert.NoError(t, err)
			assert.Empty(t, files)
		})
	}
}

// A form that was there before the handler is left to who has asked for it.
func TestFormOfSomebodyElse(t *testing.T) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "name")
	require.NoError(t, err)
	_, err = part.Write(make([]byte, 11<<20))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	t.Setenv("TMPDIR", t.TempDir())
	r := httptest.NewRequest("POST", "/", &form)
	r.Header.Set("Content-Type", w.FormDataContentType())
	require.NoError(t, r.ParseMultipartForm(0))
	streaming(chunks("ok")).ServeHTTP(httptest.NewRecorder(), r)
	f, err := r.MultipartForm.File["file"][0].Open()
	if assert.NoError(t, err) {
		assert.NoError(t, f.Close())
	}
	assert.NoError(t, r.MultipartForm.RemoveAll())
}

// A trailer that a client has not announced is in the request, as behind any other handler.
func TestTrailerOfARequest(t *testing.T) {
	server := httptest.NewServer(httpstream.Handler(func(r *http.Request) flux.Flux[[]byte] {
		_, err := io.Copy(io.Discard, r.Body)
		return chunks(fmt.Sprint(r.Trailer, err))
	}))
	defer server.Close()
	for _, announced := range []string{"", "Trailer: Sum\r\n"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"+announced+"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nSum: 7\r\n\r\n")
		require.NoError(t, err)
		answer, err := io.ReadAll(conn)
		require.NoError(t, err)
		assert.Contains(t, strings.ToLower(string(answer)), "map[sum:[7]] <nil>", announced)
		conn.Close()
	}
}
