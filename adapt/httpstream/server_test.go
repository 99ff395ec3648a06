package httpstream_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/adapt/internal/pipenet"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
)

// hooked is a handler whose requests report dropped errors to a channel.
func hooked(h http.Handler) (http.Handler, <-chan error) {
	errs := make(chan error, 10)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(reactor.WithHooks(r.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { errs <- err }})))
	}), errs
}

func streaming(f flux.Flux[[]byte], opts ...httpstream.HandlerOption) http.Handler {
	return httpstream.Handler(func(*http.Request) flux.Flux[[]byte] { return f }, opts...)
}

func TestHandler(t *testing.T) {
	w := httptest.NewRecorder()
	streaming(chunks("ab", "cd"), httpstream.ContentType("text/plain")).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	assert.Equal(t, "abcd", w.Body.String())
	assert.Equal(t, "text/plain", w.Header().Get("Content-Type"))
	w = httptest.NewRecorder()
	streaming(flux.Never[[]byte]()).ServeHTTP(w, httptest.NewRequest("HEAD", "/", nil))
	assert.Equal(t, "application/octet-stream", w.Header().Get("Content-Type"))
}

func TestHandlerFlushesWhenIdle(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		src := reactortest.NewTestPublisher[[]byte](t)
		server := pipenet.Serve(t, streaming(flux.From(src)))
		s := reactortest.Subscribe(t, bytestream.Lines(httpstream.Get(server.Client, "http://test/")))
		synctest.Wait()
		src.AssertRequested(1)
		src.Next([]byte("a\nb"))
		s.ExpectNext("a")
		src.Next([]byte("c\n"))
		s.ExpectNext("bc")
		synctest.Wait() // see pipenet.HangUp
		s.Cancel()
		synctest.Wait()
		src.AssertCancelled(1)
	})
}

func TestHandlerThatFails(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		// Before the first byte: a status.
		h, errs := hooked(streaming(flux.Error[[]byte](errBoom)))
		server := pipenet.Serve(t, h)
		_, err := bytestream.Lines(httpstream.Get(server.Client, "http://test/")).Collect(t.Context())
		assert.EqualError(t, err, "reactor: httpstream.get: GET http://test/: status 500 Internal Server Error")
		told := <-errs
		assert.ErrorIs(t, told, errBoom)
		assert.ErrorContains(t, told, `reactor: httpstream.handler: GET "/" for `, "it says which request it was")

		// An empty chunk is no byte.
		h, errs = hooked(streaming(chunks("", "").ConcatWith(flux.Error[[]byte](errBoom))))
		_, err = bytestream.Lines(httpstream.Get(pipenet.Serve(t, h).Client, "http://test/")).Collect(t.Context())
		assert.EqualError(t, err, "reactor: httpstream.get: GET http://test/: status 500 Internal Server Error")
		assert.ErrorIs(t, <-errs, errBoom)

		// After it: the body is cut off.
		h, errs = hooked(streaming(chunks("a\n").ConcatWith(flux.Error[[]byte](errBoom))))
		server = pipenet.Serve(t, h)
		_, err = bytestream.Lines(httpstream.Get(server.Client, "http://test/")).Collect(t.Context())
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.ErrorIs(t, <-errs, errBoom)

		// Or there is a trailer.
		h, errs = hooked(streaming(chunks("a\n").ConcatWith(flux.Error[[]byte](errBoom)), httpstream.ErrorTrailer("Stream-Error")))
		server = pipenet.Serve(t, h)
		s := reactortest.Subscribe(t, bytestream.Lines(httpstream.Get(server.Client, "http://test/", httpstream.ErrorTrailer("Stream-Error"))))
		s.ExpectNext("a")
		err = s.ExpectError()
		assert.ErrorIs(t, err, httpstream.ErrTrailer)
		assert.ErrorContains(t, err, "Stream-Error: the stream failed")
		assert.ErrorIs(t, <-errs, errBoom)
		lines, err := bytestream.Lines(httpstream.Get(pipenet.Serve(t, streaming(chunks("a\n"), httpstream.ErrorTrailer("Stream-Error"))).Client,
			"http://test/", httpstream.ErrorTrailer("Stream-Error"))).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"a"}, lines)
	})
}

func TestClientThatGoes(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		src := reactortest.NewTestPublisher[[]byte](t)
		h, errs := hooked(streaming(flux.From(src)))
		server := pipenet.Serve(t, h)
		s := reactortest.Subscribe(t, bytestream.Lines(httpstream.Get(server.Client, "http://test/")))
		synctest.Wait()
		src.Next([]byte("a\n"))
		s.ExpectNext("a")
		server.Cut()
		assert.ErrorIs(t, s.ExpectError(), bytestream.ErrRead)
		synctest.Wait()
		src.AssertCancelled(1)
		assert.Empty(t, errs, "that is no failure of the stream")
	})
}

func TestClientThatNeverReads(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		src := reactortest.NewTestPublisher[[]byte](t)
		h, errs := hooked(streaming(flux.From(src), httpstream.WriteTimeout(time.Minute)))
		server := pipenet.Serve(t, h)
		s := reactortest.Subscribe(t, bytestream.Chunks(httpstream.Get(server.Client, "http://test/"), 1024), reactortest.InitialRequest(1))
		synctest.Wait()
		src.Next([]byte("a"))
		s.ExpectNextCount(1)
		sent := int64(1)
		for synctest.Wait(); src.Requested() > sent; synctest.Wait() { // until the buffers of client and server are full
			src.Next([]byte(strings.Repeat("x", 1024)))
			sent++
		}
		assert.Less(t, sent, int64(20))
		begin := time.Now()
		err := <-errs
		assert.ErrorIs(t, err, bytestream.ErrWrite)
		assert.ErrorContains(t, err, "reactor: httpstream.handler: write failed: after ")
		assert.Equal(t, time.Minute, time.Since(begin))
		synctest.Wait()
		src.AssertCancelled(1)
	})
}

// A stream that is quiet for longer than a write may take is not held up by its client.
func TestWriteTimeoutOfAStreamThatIsQuiet(t *testing.T) {
	for name, serve := range map[string]func(testing.TB, http.Handler) *pipenet.Server{"HTTP/1.1": pipenet.Serve, "HTTP/2": pipenet.Serve2} {
		reactortest.Bubble(t, func(t *testing.T) {
			quiet := flux.Empty[[]byte]().DelaySubscriptionFor(time.Hour)
			src := chunks("a\n", "b\n").DelayElements(time.Hour).ConcatWith(quiet)
			server := serve(t, streaming(src, httpstream.WriteTimeout(time.Minute)))
			lines, err := bytestream.Lines(httpstream.Get(server.Client, "http://test/")).Collect(t.Context())
			require.NoError(t, err, name)
			assert.Equal(t, []string{"a", "b"}, lines, name)

			trailer := httpstream.ErrorTrailer("Stream-Error")
			server = serve(t, streaming(src.ConcatWith(flux.Error[[]byte](errBoom)), trailer, httpstream.WriteTimeout(time.Minute)))
			_, err = bytestream.Lines(httpstream.Get(server.Client, "http://test/", trailer)).Collect(t.Context())
			assert.ErrorIs(t, err, httpstream.ErrTrailer, name)
		})
	}
}

// The end of a body is held up no longer than the rest of it.
func TestClientThatDoesNotReadTheEnd(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		quiet := flux.Empty[[]byte]().DelaySubscriptionFor(time.Hour)
		server := pipenet.Serve(t, streaming(chunks("a").ConcatWith(quiet), httpstream.WriteTimeout(time.Minute)))
		conn, err := server.Client.Transport.(*http.Transport).DialContext(t.Context(), "pipe", "test")
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: test\r\n\r\n")
		require.NoError(t, err)
		answer := make([]byte, 1024)
		n, err := conn.Read(answer)
		require.NoError(t, err)
		require.Regexp(t, "\r\n1\r\na\r\n$", string(answer[:n]))
		time.Sleep(2 * time.Hour)
		_, err = conn.Read(answer)
		assert.ErrorIs(t, err, io.EOF)
	})
}

// plain is a writer that can't be flushed.
type plain struct{ http.ResponseWriter }

// What could not be written, though the client is there, leaves no body that looks whole.
func TestBodyThatCantBeWritten(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		trailer := httpstream.ErrorTrailer("Stream-Error")
		src := chunks("a\n", "b\n").DelayElements(time.Second)
		serve := func(opts ...httpstream.HandlerOption) (*pipenet.Server, <-chan error) {
			h, errs := hooked(streaming(src, opts...))
			return pipenet.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(plain{w}, r) })), errs
		}
		server, errs := serve()
		_, err := bytestream.Lines(httpstream.Get(server.Client, "http://test/")).Collect(t.Context())
		assert.Error(t, err, "it is cut off")
		assert.ErrorIs(t, <-errs, http.ErrNotSupported)

		server, errs = serve(trailer)
		_, err = bytestream.Lines(httpstream.Get(server.Client, "http://test/", trailer)).Collect(t.Context())
		assert.ErrorIs(t, err, httpstream.ErrTrailer)
		assert.ErrorIs(t, <-errs, http.ErrNotSupported)

		// Before the first byte.
		server, errs = serve(httpstream.WriteTimeout(time.Minute))
		_, err = bytestream.Lines(httpstream.Get(server.Client, "http://test/")).Collect(t.Context())
		assert.EqualError(t, err, "reactor: httpstream.get: GET http://test/: status 500 Internal Server Error")
		assert.ErrorIs(t, <-errs, http.ErrNotSupported)
		synctest.Wait()
		assert.Empty(t, errs, "it is told once")
	})
}

// Nor does a request whose context ends while its client is there.
func TestContextOfARequestThatEnds(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		serve := func(f flux.Flux[[]byte], opts ...httpstream.HandlerOption) *pipenet.Server {
			return pipenet.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
				defer cancel()
				streaming(f, opts...).ServeHTTP(w, r.WithContext(ctx))
			}))
		}
		endless := chunks("a\n").ConcatWith(flux.Never[[]byte]())
		_, err := bytestream.Lines(httpstream.Get(serve(endless).Client, "http://test/")).Collect(t.Context())
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)

		_, err = bytestream.Lines(httpstream.Get(serve(flux.Never[[]byte]()).Client, "http://test/")).Collect(t.Context())
		assert.EqualError(t, err, "reactor: httpstream.get: GET http://test/: status 500 Internal Server Error")

		trailer := httpstream.ErrorTrailer("Stream-Error")
		_, err = bytestream.Lines(httpstream.Get(serve(endless, trailer).Client, "http://test/", trailer)).Collect(t.Context())
		assert.ErrorIs(t, err, httpstream.ErrTrailer)
	})
}
