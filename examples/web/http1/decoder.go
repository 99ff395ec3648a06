package http1

import (
	"bytes"
	"net/http"

	"github.com/goreactor/reactor/netreactor"
)

const (
	// MaxHead is how long a request may be without its body: empty lines before it, head,
	// trailers, and what is around the chunks beyond what chunks need.
	MaxHead = 16 << 10
	// maxChunkLine is how long the line in front of a chunk may be.
	maxChunkLine = 256
	// freePerChunk is how long that line may be and not count for MaxHead, beside twice the chunk.
	freePerChunk = 16
	// maxKept is how large a buffer may be that is kept for the next body.
	maxKept = 64 << 10
)

var (
	crlf    = []byte("\r\n")
	headEnd = []byte("\r\n\r\n")
)

// Codec returns the codec of a server.
func Codec() netreactor.PerConnection[Request, Response] { return &Decoder{} }

// Decoder finds the requests in what a connection sends. The zero value is ready. The work
// for a request is proportional to its length whatever the size of the pieces it comes in,
// and the memory for a body grows with what has come.
type Decoder struct {
	state  state
	dry    int     // the end of the head, or of a line, is not before here
	req    Request // while its body comes; refers to head
	head   []byte  // a copy
	body   []byte  // the chunks so far
	length int     // of the body, or of what is left of a chunk
	extra  int     // bytes of the request so far that count for MaxHead
}

type state uint8

const (
	inHead state = iota
	inBody
	inChunkLine
	inChunk
	inTrailer
	broken
)

// ForConnection returns a new Decoder.
func (*Decoder) ForConnection() netreactor.Codec[Request, Response] { return &Decoder{} }

// Decode takes the next request. What is none is a Request with a Status, so that the client
// can be told.
func (d *Decoder) Decode(in *netreactor.Input) (Request, bool, error) {
	for {
		n, need, req, ok := d.Parse(in.Bytes(), in.MaxFrame())
		in.Advance(n)
		if ok {
			d.tell(in)
			return req, true, nil
		}
		if n == 0 {
			if need > 0 {
				in.Need(need)
			}
			d.tell(in)
			return Request{}, false, nil
		}
	}
}

// tell tells in whether a part of a request was taken, so that the rest may not take for ever.
func (d *Decoder) tell(in *netreactor.Input) {
	if d.state != inHead && d.state != broken {
		in.Within()
	}
}

// Encode appends a response.
func (d *Decoder) Encode(dst []byte, r Response) ([]byte, error) { return r.Append(dst), nil }

// Parse looks at all and returns how much of it is done with, and a request if there is a
// whole one. If nothing is done with there must be more first, need bytes in all at least if
// that is not 0. No body may be longer than limit.
func (d *Decoder) Parse(all []byte, limit int) (n, need int, req Request, ok bool) {
	switch d.state {
	case inHead:
		return d.parseHead(all, limit)
	case inBody:
		if len(all) < d.length {
			return 0, d.length, Request{}, false
		}
		return d.length, 0, d.complete(all[:d.length:d.length]), true
	case inChunkLine:
		line, n, status := d.line(all, maxChunkLine)
		if status != 0 {
			return d.fail(all, d.req.Method, http.StatusBadRequest, "chunk without a size")
		}
		if n == 0 {
			return 0, 0, Request{}, false
		}
		size, good := chunkSize(line)
		if !good {
			return d.fail(all, d.req.Method, http.StatusBadRequest, "chunk without a size")
		}
		d.extra += max(0, n-freePerChunk-2*size)
		switch {
		case d.extra > MaxHead:
			return d.fail(all, d.req.Method, http.StatusBadRequest, "too much around the chunks")
		case size > limit-len(d.body):
			return d.fail(all, d.req.Method, http.StatusRequestEntityTooLarge, "body too large")
		case size == 0:
			d.state = inTrailer
		default:
			d.state, d.length = inChunk, size
		}
		return n, 0, Request{}, false
	case inChunk:
		return d.chunk(all)
	case inTrailer: // fields, which are ignored, up to an empty line
		line, n, status := d.line(all, MaxHead-d.extra)
		if status == 0 && len(line) > 0 && !wellFormed(line) {
			status = http.StatusBadRequest
		}
		if status != 0 {
			return d.fail(all, d.req.Method, status, "bad trailer")
		}
		d.extra += n
		if n > 0 && len(line) == 0 {
			return n, 0, d.complete(d.body), true
		}
		return n, 0, Request{}, false
	}
	return len(all), 0, Request{}, false
}

// chunk takes what there is of a chunk, and the end of its line.
func (d *Decoder) chunk(all []byte) (n, need int, req Request, ok bool) {
	if d.length > 0 {
		n = min(len(all), d.length)
		d.body = append(d.body, all[:n]...)
		d.length -= n
		return n, 0, Request{}, false
	}
	if len(all) < len(crlf) {
		return 0, len(crlf), Request{}, false
	}
	if !bytes.HasPrefix(all, crlf) {
		return d.fail(all, d.req.Method, http.StatusBadRequest, "chunk longer than it said")
	}
	d.state = inChunkLine
	return len(crlf), 0, Request{}, false
}

// complete returns the request whose body has come.
func (d *Decoder) complete(body []byte) Request {
	req := d.req
	req.Body = body
	d.state, d.extra = inHead, 0
	if cap(d.body) > maxKept {
		d.body = nil // who has sent a large one may be idle for long
	}
	return req
}

// fail returns the request that was none. Its method is what is known of it: the answer to HEAD
// has no body, whatever it is.
func (d *Decoder) fail(all, method []byte, status int, reason string) (n, need int, req Request, ok bool) {
	d.state = broken
	return len(all), 0, Request{Method: method, Status: status, Reason: reason, Close: true}, true
}

// line returns a line without its end, and how long it is with that: 0 if it has not come. The status is not 0 if it is
// longer than limit, or ends with LF alone: another server on the way may not take that for an end.
func (d *Decoder) line(all []byte, limit int) (line []byte, n, status int) {
	i := bytes.IndexByte(all[min(d.dry, len(all)):], '\n')
	if i < 0 {
		if d.dry = len(all); d.dry > limit {
			status = http.StatusRequestHeaderFieldsTooLarge
		}
		return nil, 0, status
	}
	i += d.dry
	d.dry = 0
	line, whole := bytes.CutSuffix(all[:i], []byte{'\r'})
	switch {
	case i > limit:
		status = http.StatusRequestHeaderFieldsTooLarge
	case !whole:
		status = http.StatusBadRequest
	}
	return line, i + 1, status
}

// chunkSize parses a hexadecimal number, and ignores extensions behind a semicolon.
func chunkSize(line []byte) (int, bool) {
	if !isText(line) {
		return 0, false
	}
	digits, _, _ := bytes.Cut(line, []byte{';'})
	digits = bytes.TrimRight(digits, " \t")
	if len(digits) == 0 || len(bytes.TrimLeft(digits, "0")) > 7 {
		return 0, false
	}
	n := 0
	for _, c := range digits {
		digit := hex(c)
		if digit < 0 {
			return 0, false
		}
		n = n<<4 | digit
	}
	return n, true
}

// hex returns the value of a hexadecimal digit, -1 if c is none.
func hex(c byte) int {
	switch c = lower(c); {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}
