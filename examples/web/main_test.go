package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/examples/internal/service/servicetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// talk sends text and returns all that comes, without dates.
func talk(t *testing.T, addr, text string) string {
	lines := strings.SplitAfter(servicetest.Talk(t, addr, text), "\r\n")
	kept := lines[:0]
	for _, line := range lines {
		if !strings.HasPrefix(line, "Date: ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestPages(t *testing.T) {
	for _, args := range [][]string{nil, {"-workers", "2"}} {
		data, words := servicetest.Start(t, run, io.Discard, args...)
		client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
		defer client.CloseIdleConnections()
		do := func(method, path string, body io.Reader, header ...string) (int, string) {
			q, err := http.NewRequest(method, "http://"+data+path, body)
			require.NoError(t, err)
			for i := 0; i < len(header); i += 2 {
				q.Header.Set(header[i], header[i+1])
			}
			r, err := client.Do(q)
			require.NoError(t, err)
			defer r.Body.Close()
			got, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			return r.StatusCode, string(got)
		}
		for _, c := range []struct {
			method, path string
			body         io.Reader
			status       int
			want         string
		}{
			{"GET", "/hello", nil, 200, "hello\n"},
			{"HEAD", "/hello", nil, 200, ""},
			{"GET", "/bytes/3", nil, 200, "\x00\x00\x00"},
			{"GET", "/bytes/-1", nil, 400, "n is from 0 to 1048576\n"},
			{"GET", "/bytes/+5", nil, 400, "n is from 0 to 1048576\n"},
			{"GET", "/nowhere", nil, 404, "there is nothing here\n"},
			{"POST", "/hello", strings.NewReader("x"), 405, "only GET, HEAD\n"},
			{"GET", "/echo", nil, 405, "only POST\n"},
			{"POST", "/echo", strings.NewReader("of a length"), 200, "of a length"},
			{"POST", "/echo", io.MultiReader(strings.NewReader("in "), strings.NewReader("chunks")), 200, "in chunks"},
		} {
			status, got := do(c.method, c.path, c.body)
			assert.Equal(t, c.status, status, c.path)
			assert.Equal(t, c.want, got, c.path)
		}
		_, got := do("GET", "/stats", nil)
		assert.Contains(t, got, `"requests": 10`)
		large := bytes.Repeat([]byte("x"), 1<<20-1)
		status, got := do("POST", "/echo", bytes.NewReader(large), "Expect", "100-continue")
		assert.Equal(t, 200, status)
		assert.Equal(t, string(large), got)
		assert.Contains(t, talk(t, words, "srvr"), "Connections: 1\n", "all on one connection")
	}
}

func TestPipelining(t *testing.T) {
	data, _ := servicetest.Start(t, run, io.Discard)
	ask := "GET /hello HTTP/1.1\r\nHost: h\r\n\r\n"
	answer := "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 6\r\n\r\nhello\n"
	old := "GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
	got := talk(t, data, strings.Repeat(ask, 100)+old+"GET / HTTP/9\r\n\r\n"+ask)
	assert.Equal(t, 101, strings.Count(got, "hello\n"))
	assert.True(t, strings.HasPrefix(got, answer+answer))
	assert.Equal(t, 1, strings.Count(got, "Connection: keep-alive\r\n"))
	assert.True(t, strings.HasSuffix(got, "Connection: close\r\n\r\nversion that is not 1.0 or 1.1\n"))
}

// A proxy may ask for a whole URL.
func TestWholeURL(t *testing.T) {
	data, _ := servicetest.Start(t, run, io.Discard)
	got := talk(t, data, "GET http://a/hello HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	assert.True(t, strings.HasSuffix(got, "\r\n\r\nhello\n"), got)
}

// An error of HEAD has no body either.
func TestErrorOfHead(t *testing.T) {
	data, _ := servicetest.Start(t, run, io.Discard)
	got := talk(t, data, "HEAD /hello HTTP/1.1\r\n\r\n")
	assert.True(t, strings.HasPrefix(got, "HTTP/1.1 400 "), got)
	assert.True(t, strings.HasSuffix(got, "Content-Length: 8\r\nConnection: close\r\n\r\n"), got)
}

// What is no request is answered with the reason, and the connection ends.
func TestBadRequests(t *testing.T) {
	data, _ := servicetest.Start(t, run, io.Discard)
	for text, want := range map[string]string{
		"GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 17<<10):                        "HTTP/1.1 431 ", // a head without an end
		"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n":               "HTTP/1.1 400 ",
		"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2147483648\r\n\r\n":       "HTTP/1.1 413 ",
		"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n": "HTTP/1.1 400 ",
		"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n\r\n":                       "HTTP/1.1 400 ", // TLS, to a server without
	} {
		got := talk(t, data, text)
		assert.True(t, strings.HasPrefix(got, want), "%.60q: %.80q", text, got)
		assert.Contains(t, got, "Connection: close\r\n")
	}
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return path
	}
	data, _ := servicetest.Start(t, run, io.Discard, "-cert", write("cert", "CERTIFICATE", der), "-key", write("key", "PRIVATE KEY", keyDER))

	pool := x509.NewCertPool()
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool.AddCert(cert)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	r, err := client.Get("https://" + data + "/hello")
	require.NoError(t, err)
	defer r.Body.Close()
	assert.Equal(t, "http/1.1", r.TLS.NegotiatedProtocol)
	got, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	assert.Equal(t, "hello\n", string(got))
}

func TestArguments(t *testing.T) {
	ctx := context.Background()
	assert.ErrorContains(t, run(ctx, []string{"-workers", "-1"}, io.Discard, nil), "-1")
	assert.Error(t, run(ctx, []string{"-addr", "nowhere:x"}, io.Discard, nil))
	assert.Error(t, run(ctx, []string{"-cert", "/nowhere", "-key", "/nowhere"}, io.Discard, nil))
	assert.Error(t, run(ctx, []string{"-nonsense"}, io.Discard, nil))
	assert.NoError(t, run(ctx, []string{"-h"}, io.Discard, nil))
	ended, cancel := context.WithCancel(ctx)
	cancel() // else it would serve
	assert.ErrorContains(t, run(ended, []string{"-addr", "127.0.0.1:0", "serve"}, io.Discard, nil), `"serve"`)
	for _, one := range []string{"-cert", "-key"} {
		assert.ErrorContains(t, run(ended, []string{"-addr", "127.0.0.1:0", one, "/dev/null"}, io.Discard, nil), "-cert and -key go together")
	}
}
