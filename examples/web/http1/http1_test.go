package http1_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/examples/web/http1"
	"github.com/goreactor/reactor/netreactor"
)

const limit = 1 << 10

// parse returns the requests in text, which comes in pieces of size bytes.
func parse(text string, size int) (requests []string) {
	var d http1.Decoder
	var all []byte
	need := 0
	for at := 0; at < len(text); {
		piece := text[at:min(len(text), at+size)]
		at += len(piece)
		all = append(all, piece...)
		for len(all) >= need {
			n, more, q, ok := d.Parse(all, limit)
			if ok {
				requests = append(requests, show(q))
			}
			if !ok && n == 0 {
				need = more
				break
			}
			all, need = all[n:], 0
		}
	}
	return requests
}

func show(q http1.Request) string {
	if q.Status != 0 {
		text := fmt.Sprintf("%d %s", q.Status, q.Reason)
		if q.IsHead() {
			text += ", to HEAD"
		}
		return text
	}
	text := fmt.Sprintf("%s %s %q", q.Method, q.Target, q.Body)
	if q.Close {
		text += " close"
	}
	if q.Continue {
		text += " continue"
	}
	return text
}

func TestRequests(t *testing.T) {
	const host = "Host: h\r\n"
	const chunked = "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n"
	for _, c := range []struct {
		text string
		want []string
	}{
		{"GET / HTTP/1.1\r\nHost: h\r\n\r\n", []string{`GET / ""`}},
		{"GET /a?b HTTP/1.1\r\nhost:h\r\nConnection: x, Close\r\n\r\n", []string{`GET /a?b "" close`}},
		{"GET / HTTP/1.0\r\n\r\n", []string{`GET / "" close`}},
		{"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", []string{`GET / ""`}},
		{"\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n\r\nHEAD / HTTP/1.1\r\nHost: h\r\n\r\n", []string{`GET / ""`, `HEAD / ""`}},
		{"POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n" + host + "\r\n", []string{`POST / "abc"`, `GET / ""`}},
		{"POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", []string{`POST / "abc"`}},
		{"POST / HTTP/1.1\r\n" + host + "Content-Length: 0\r\n\r\nPOST / HTTP/1.1\r\n" + host + "\r\n", []string{`POST / ""`, `POST / ""`}},
		{"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\nA \r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nGET / HTTP/1.1\r\n" + host + "\r\n",
			[]string{`POST / "abc0123456789"`, `GET / ""`}},
		{"GET / HTTP/1.1\r\n" + host, nil},
		{"POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nab", nil},

		{"GET / HTTP/1.1\r\n\r\n", []string{"400 no Host"}},
		{"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", []string{"400 more than one Host"}},
		{"GET / HTTP/2.0\r\n\r\n", []string{"505 version that is not 1.0 or 1.1"}},
		{"GET /\r\n\r\n", []string{"400 request line that is none"}},
		{"GET / FTP/1.1\r\n\r\n", []string{"400 request line that is none"}},
		{"G(T / HTTP/1.1\r\n\r\n", []string{"400 request line that is none"}},
		{"GET /\x00 HTTP/1.1\r\n\r\n", []string{"400 request line that is none"}},
		{"GET / HTTP/1.1\r\nHost : h\r\n\r\n", []string{"400 field that is none"}},
		{"GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", []string{"400 field that is none"}},
		{"GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n", []string{"400 field that is none"}},
		{"POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n", []string{"400 Content-Length that is none"}},
		{"POST / HTTP/1.1\r\n" + host + "Content-Length: +1\r\n\r\n", []string{"400 Content-Length that is none"}},
		{"POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n", []string{"400 Content-Length that is none"}},
		{"POST / HTTP/1.1\r\n" + host + "Content-Length: 1025\r\n\r\n", []string{"413 body too large"}},
		{"POST / HTTP/1.1\r\n" + host + "Content-Length: 99999999999999999999\r\n\r\n", []string{"413 body too large"}},
		{"POST / HTTP/1.1\r\n" + host + "Content-Length:\r\n\r\n", []string{"400 Content-Length that is none"}},
		{"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", []string{"400 body of unclear length"}},
		{"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", []string{"400 body of unclear length"}},
		{"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n", []string{"501 Transfer-Encoding that is not chunked"}},
		{"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nx\r\n", []string{"400 chunk without a size"}},
		{"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nffffffffff\r\n", []string{"400 chunk without a size"}},
		{"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n401\r\n", []string{"413 body too large"}},
		{"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n1\r\nabc", []string{"400 chunk longer than it said"}},
		{"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n", []string{"400 chunk without a size"}},
		{"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx: y\n\r\n", []string{"400 bad trailer"}},
		{"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n1;" + strings.Repeat("x", 300), []string{"400 chunk without a size"}},
		{"POST / HTTP/1.1\r\n" + host + "Expect: tea\r\n\r\n", []string{"417 expectation that is not known"}},
		{"GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 17<<10), []string{"431 head too large"}},
		{"GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 17<<10) + "\r\n\r\n", []string{"431 head too large"}},

		{"GET http://h/a?b HTTP/1.1\r\n" + host + "\r\n", []string{`GET http://h/a?b ""`}},
		{"GET http:///a HTTP/1.1\r\n" + host + "\r\n", []string{"400 request line that is none"}},
		{"GET http://me@h/a HTTP/1.1\r\n" + host + "\r\n", []string{"400 request line that is none"}},

		{"HEAD / HTTP/1.1\r\n\r\n", []string{"400 no Host, to HEAD"}},
		{"HEAD / HTTP/2.0\r\n\r\n", []string{"505 version that is not 1.0 or 1.1, to HEAD"}},
		{"HEAD /\x00 HTTP/1.1\r\n\r\n", []string{"400 request line that is none, to HEAD"}},
		{"HEAD / HTTP/1.1\r\n" + host + "Content-Length: 1025\r\n\r\n", []string{"413 body too large, to HEAD"}},
		{"HEAD / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nx\r\n", []string{"400 chunk without a size, to HEAD"}},
		{"HEAD / HTTP/1.1\r\nX: " + strings.Repeat("x", 17<<10), []string{"431 head too large, to HEAD"}},
		{"HEAD / HTTP/1.1\r\nX: " + strings.Repeat("x", 17<<10) + "\r\n\r\n", []string{"431 head too large, to HEAD"}},
		{"HEAD /" + strings.Repeat("x", 17<<10) + " HTTP/1.1\r\n", []string{"431 head too large"}},

		{chunked + "0\r\n" + strings.Repeat("x: y\r\n", 2700) + "\r\n", []string{`POST / ""`}},
		{chunked + "0\r\n" + strings.Repeat("x: y\r\n", 2800) + "\r\n", []string{"431 bad trailer"}},
		{chunked + "0\r\nx: " + strings.Repeat("y", 17<<10), []string{"431 bad trailer"}},
		{chunked + "0\r\nx y\r\n\r\n", []string{"400 bad trailer"}},
		{chunked + "0\r\nx: \x00\r\n\r\n", []string{"400 bad trailer"}},
		{chunked + "0\r\nx: \ry\r\n\r\n", []string{"400 bad trailer"}},
		{chunked + "3;\x00\r\nabc\r\n0\r\n\r\n", []string{"400 chunk without a size"}},
		{chunked + "3;\rx\r\nabc\r\n0\r\n\r\n", []string{"400 chunk without a size"}},
		{strings.Repeat("\r\n", 8000) + "GET / HTTP/1.1\r\n" + host + "\r\n", []string{`GET / ""`}},
		{strings.Repeat("\r\n", 8180) + "HEAD / HTTP/1.1\r\n" + host + "\r\n", []string{"431 head too large, to HEAD"}},
		{strings.Repeat("\r\n", 8193), []string{"431 head too large"}},
		{strings.Repeat(strings.Repeat("\r\n", 8000)+"GET / HTTP/1.1\r\n"+host+"\r\n", 2), []string{`GET / ""`, `GET / ""`}},

		{chunked + "00000003\r\nabc\r\n000000000000\r\n\r\n", []string{`POST / "abc"`}},
		{chunked + "0000000401\r\n", []string{"413 body too large"}},

		{"GET / HTTP/1.2\r\n" + host + "\r\n", []string{`GET / ""`}},
		{"GET / HTTP/1.9\r\n\r\n", []string{"400 no Host"}},
		{"GET / HTTP/1.10\r\n\r\n", []string{"505 version that is not 1.0 or 1.1"}},
		{"GET / HTTP/1.x\r\n\r\n", []string{"505 version that is not 1.0 or 1.1"}},
		{"GET / HTTP/1.1\r\nHost: a b/c@\r\n\r\n", []string{"400 Host that is none"}},
		{"GET / HTTP/1.1\r\nHost: me@h\r\n\r\n", []string{"400 Host that is none"}},
		{"GET / HTTP/1.1\r\nHost: h:x\r\n\r\n", []string{"400 Host that is none"}},
		{"GET / HTTP/1.1\r\nHost: h%4\r\n\r\n", []string{"400 Host that is none"}},
		{"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", []string{"400 Host that is none"}},
		{"GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n", []string{"400 Host that is none"}},
		{"GET / HTTP/1.1\r\nHost: []\r\n\r\n", []string{"400 Host that is none"}},
		{"GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", []string{`GET / ""`}},
		{"GET / HTTP/1.1\r\nHost: a-b_c.%41.example:\r\n\r\n", []string{`GET / ""`}},
		{"GET / HTTP/1.1\r\nHost:\r\n\r\n", []string{`GET / ""`}},

		{chunked + strings.Repeat("1;"+strings.Repeat("x", 200)+"\r\na\r\n", 80) + "0\r\n\r\n", []string{fmt.Sprintf("POST / %q", strings.Repeat("a", 80))}},
		{chunked + strings.Repeat("1;"+strings.Repeat("x", 200)+"\r\na\r\n", 100) + "0\r\n\r\n", []string{"400 too much around the chunks"}},
		{chunked + strings.Repeat("1\r\na\r\n", limit) + "0\r\n\r\n", []string{fmt.Sprintf("POST / %q", strings.Repeat("a", limit))}},
	} {
		for _, size := range []int{1, 2, 3, 7, 1 << 20} {
			assert.Equal(t, c.want, parse(c.text, size), "%.80q in pieces of %d", c.text, size)
		}
	}
}

// Leave to send a body is asked for only if the body has not come anyway.
func TestContinue(t *testing.T) {
	const head = "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
	assert.Equal(t, []string{`POST / "" continue`, `POST / "abc"`}, parse(head+"abc", len(head)))
	assert.Equal(t, []string{`POST / "abc"`}, parse(head+"abc", 1<<20))
}

// A body that stops coming counts for the server's ReadTimeout, and is truncated if the client goes.
func TestHalfABody(t *testing.T) {
	const head = "POST / HTTP/1.1\r\nHost: h\r\n"
	for _, text := range []string{
		head + "Content-Length: 3\r\n\r\n",
		head + "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n",
		head + "Transfer-Encoding: chunked\r\n\r\n",
		head + "Transfer-Encoding: chunked\r\n\r\n3\r\nab",
		head + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
		head + "Transfer-Encoding: chunked\r\n\r\n0\r\n",
	} {
		for _, closes := range []bool{false, true} {
			want, patience := netreactor.ReasonReadTimeout, 50*time.Millisecond
			if closes {
				want, patience = netreactor.ReasonTruncated, time.Minute
			}
			server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", http1.Codec(), func(c *netreactor.Conn[http1.Request, http1.Response]) reactor.Publisher[http1.Response] {
				return c.Inbound().Map(func(q http1.Request) http1.Response { return http1.Text(200, "").To(q) })
			}, netreactor.ReadTimeout(patience))
			require.NoError(t, err)
			conn, err := net.Dial("tcp", server.Addr().String())
			require.NoError(t, err)
			_, err = conn.Write([]byte(text))
			require.NoError(t, err)
			if closes {
				require.NoError(t, conn.(*net.TCPConn).CloseWrite())
			}
			_, _ = io.Copy(io.Discard, conn) // to the end
			conn.Close()
			_, err = server.Shutdown(t.Context())
			assert.NoError(t, err)
			assert.Equal(t, map[netreactor.Reason]uint64{want: 1}, server.Stats().Closed, "%q", text)
		}
	}
}

func TestHeader(t *testing.T) {
	var d http1.Decoder
	_, _, q, ok := d.Parse([]byte("GET /x?y=z HTTP/1.1\r\nHost: \th \r\nx-Thing:\r\n\r\n"), limit)
	assert.True(t, ok)
	assert.Equal(t, "h", string(q.Header("HOST")))
	assert.Equal(t, "", string(q.Header("X-Thing")))
	assert.NotNil(t, q.Header("X-Thing"))
	assert.Nil(t, q.Header("X-Other"))
	assert.Equal(t, "/x", string(q.Path()))
}

func TestPath(t *testing.T) {
	for target, want := range map[string]string{
		"/a?b":             "/a",
		"/":                "/",
		"*":                "*",
		"http://h/a?b":     "/a",
		"HTTPS://h:80/a/b": "/a/b",
		"http://h":         "/",
		"http://h?a/b":     "/",
		"/http://h/a":      "/http://h/a",
		"ftp://h/a":        "ftp://h/a",
	} {
		assert.Equal(t, want, string(http1.Request{Target: []byte(target)}.Path()), target)
	}
}

// Who has sent a large body once does not keep the memory for it.
func TestLargeBodyIsLetGo(t *testing.T) {
	var d http1.Decoder
	for _, size := range []int{1 << 20, 1} {
		all := fmt.Appendf(nil, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", size, strings.Repeat("x", size))
		for len(all) > 0 {
			n, _, q, ok := d.Parse(all, 1<<20)
			require.NotZero(t, n)
			if all = all[n:]; ok {
				assert.Len(t, q.Body, size)
				assert.Less(t, cap(q.Body), size+100<<10)
			}
		}
	}
}

func TestResponses(t *testing.T) {
	request := func(text string) http1.Request {
		var d http1.Decoder
		_, _, q, ok := d.Parse([]byte(text), limit)
		assert.True(t, ok)
		return q
	}
	lines := func(r http1.Response) string {
		text := string(r.Append([]byte("before")))
		assert.True(t, strings.HasPrefix(text, "beforeHTTP/1.1 "))
		from := strings.Index(text, "\r\nDate: ")
		return text[len("before"):from] + text[from+len("\r\nDate: Mon, 02 Jan 2006 15:04:05 GMT"):]
	}
	get, head := request("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), request("HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
	bad := request("GET / HTTP/3\r\n\r\n")
	hi := http1.Text(200, "hi")
	assert.Equal(t, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\nhi", lines(hi.To(get)))
	assert.Equal(t, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n", lines(hi.To(head)))
	assert.Equal(t, "HTTP/1.1 505 HTTP Version Not Supported\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", lines(http1.Response{Status: 505}.To(bad)))
	assert.True(t, http1.Response{Status: 505}.To(bad).IsLast())
	assert.False(t, hi.To(get).IsLast())
	assert.Equal(t, "HTTP/1.1 100 Continue\r\n\r\n", string(http1.Continue().To(get).Append(nil)))
	assert.Equal(t, "HTTP/1.1 204 No Content\r\n\r\n", lines(http1.Response{Status: 204, Body: []byte("hi")}.To(get)))
	assert.Equal(t, "HTTP/1.1 304 Not Modified\r\n\r\n", lines(http1.Response{Status: 304}.To(get)))
	assert.Contains(t, lines(http1.Response{Status: 405, Allow: "GET"}.To(get)), "\r\nAllow: GET\r\n")
}

// FuzzRequests asks that the size of the pieces changes nothing, but that leave to send a body
// may be asked for.
func FuzzRequests(f *testing.F) {
	for _, text := range []string{
		"GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.0\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
		"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
	} {
		f.Add([]byte(text), byte(3))
	}
	without := func(requests []string) (some []string) {
		for _, q := range requests {
			if !strings.HasSuffix(q, " continue") {
				some = append(some, q)
			}
		}
		return some
	}
	f.Fuzz(func(t *testing.T, text []byte, size byte) {
		assert.Equal(t, without(parse(string(text), len(text)+1)), without(parse(string(text), 1+int(size))))
	})
}
