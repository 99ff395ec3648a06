package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/goreactor/reactor/examples/web/http1"
	"github.com/goreactor/reactor/netreactor"
)

// site is what the server has to show.
type site struct {
	server atomic.Pointer[netreactor.Server] // set when it has been bound
}

// maxBytes is the most that /bytes/n sends.
const maxBytes = 1 << 20

const index = `<!doctype html>
<title>Reactor for Go</title>
<h1>It works</h1>
<ul>
<li><a href="/hello">/hello</a> says so
<li><a href="/bytes/1024">/bytes/n</a> sends n bytes
<li>/echo sends back what is posted
<li><a href="/stats">/stats</a> has the figures of this server
</ul>
`

// answer is called for each request, by whoever reads it: it does not block.
func (s *site) answer(q http1.Request) http1.Response {
	switch {
	case q.Continue:
		return http1.Continue().To(q)
	case q.Status != 0:
		return http1.Text(q.Status, q.Reason+"\n").To(q)
	}
	return s.route(q).To(q)
}

func (s *site) route(q http1.Request) http1.Response {
	path := q.Path()
	if string(path) == "/echo" {
		if string(q.Method) != http.MethodPost {
			return notAllowed("POST")
		}
		return http1.Response{Status: http.StatusOK, ContentType: "application/octet-stream", Body: bytes.Clone(q.Body)}
	}
	if string(q.Method) != http.MethodGet && !q.IsHead() {
		return notAllowed("GET, HEAD")
	}
	if n, ok := bytes.CutPrefix(path, []byte("/bytes/")); ok {
		size, err := strconv.ParseUint(string(n), 10, 32) // no sign
		if err != nil || size > maxBytes {
			return http1.Text(http.StatusBadRequest, fmt.Sprintf("n is from 0 to %d\n", maxBytes))
		}
		return http1.Response{Status: http.StatusOK, ContentType: "application/octet-stream", Body: make([]byte, size)}
	}
	switch string(path) {
	case "/":
		return http1.Response{Status: http.StatusOK, ContentType: "text/html; charset=utf-8", Body: []byte(index)}
	case "/hello":
		return hello
	case "/stats":
		server := s.server.Load()
		if server == nil {
			return http1.Text(http.StatusServiceUnavailable, "starting\n")
		}
		body, err := json.MarshalIndent(figures(server.Stats()), "", "\t")
		if err != nil {
			return http1.Text(http.StatusInternalServerError, err.Error())
		}
		return http1.Response{Status: http.StatusOK, ContentType: "application/json", Body: append(body, '\n')}
	}
	return http1.Text(http.StatusNotFound, "there is nothing here\n")
}

var hello = http1.Text(http.StatusOK, "hello\n")

func notAllowed(allow string) http1.Response {
	r := http1.Text(http.StatusMethodNotAllowed, "only "+allow+"\n")
	r.Allow = allow
	return r
}

// figures are what /stats says.
func figures(s netreactor.Stats) map[string]any {
	closed := make(map[string]uint64)
	for why, n := range s.Closed {
		closed[why.String()] = n
	}
	return map[string]any{
		"engine": s.Engine.String(), "connections": s.Connections, "accepted": s.Acceptor.Accepted,
		"requests": s.FramesIn, "responses": s.FramesOut, "bytesIn": s.BytesIn, "bytesOut": s.BytesOut, "closed": closed,
	}
}
