package http1

import (
	"bytes"
	"math"
	"net/http"
)

// parseHead takes the request line and the fields.
func (d *Decoder) parseHead(all []byte, limit int) (n, need int, req Request, ok bool) {
	// Some clients send an empty line after a body.
	room := MaxHead - d.extra
	if bytes.HasPrefix(all, crlf) {
		if d.extra += len(crlf); d.extra > MaxHead {
			return d.tooLarge(all, room)
		}
		d.dry = 0
		return len(crlf), 0, Request{}, false
	}
	from := max(0, d.dry-len(headEnd)+1)
	i := bytes.Index(all[from:], headEnd)
	if i < 0 {
		if len(all) > room {
			return d.tooLarge(all, room)
		}
		d.dry = len(all)
		return 0, 0, Request{}, false
	}
	d.dry = 0
	end := from + i + len(headEnd)
	if end > room {
		return d.tooLarge(all, room)
	}
	head := all[:end:end]
	req, body, status, reason := parse(head)
	switch {
	case status != 0:
		return d.fail(all, req.Method, status, reason)
	case !body.chunked && body.length == 0:
		d.extra = 0
		return end, 0, req, true
	case body.length > limit:
		return d.fail(all, req.Method, http.StatusRequestEntityTooLarge, "body too large")
	}
	// The head goes, the body has yet to come.
	d.head = append(d.head[:0], head...)
	d.req, _, _, _ = parse(d.head)
	d.body = d.body[:0]
	d.extra += end
	d.state, d.length = inBody, body.length
	if body.chunked {
		d.state = inChunkLine
	}
	if body.expected && len(all) == end {
		wait := d.req
		wait.Continue, wait.Close = true, false
		return end, 0, wait, true
	}
	return end, 0, Request{}, false
}

// tooLarge fails a request whose head does not end within room bytes.
func (d *Decoder) tooLarge(all []byte, room int) (n, need int, req Request, ok bool) {
	if line, _, whole := bytes.Cut(all[:min(len(all), room)], crlf); whole {
		_, _ = req.line(line)
	}
	return d.fail(all, req.Method, http.StatusRequestHeaderFieldsTooLarge, "head too large")
}

// framing is what a head says of the body.
type framing struct {
	length   int
	chunked  bool
	expected bool // the client waits for leave to send it
}

// parse takes a head apart. status is not 0 if it is not one.
func parse(head []byte) (req Request, body framing, status int, reason string) {
	line, rest, _ := bytes.Cut(head, crlf)
	if status, reason = req.line(line); status != 0 {
		return req, body, status, reason
	}
	req.fields = rest[:len(rest)-len(crlf)]
	if len(rest) <= len(crlf) { // no fields at all
		req.fields = nil
	}
	var host, length, coding, keep, closing bool
	for rest := req.fields; len(rest) > 0; {
		var key, value []byte
		line, _, _ := bytes.Cut(rest, crlf)
		if !wellFormed(line) {
			return req, body, http.StatusBadRequest, "field that is none"
		}
		key, value, rest = field(rest)
		switch {
		case equalFold(key, "Host"):
			if host {
				return req, body, http.StatusBadRequest, "more than one Host"
			}
			if !isAuthority(value) {
				return req, body, http.StatusBadRequest, "Host that is none"
			}
			host = true
		case equalFold(key, "Content-Length"):
			n, ok := decimal(value)
			if !ok || length && n != body.length {
				return req, body, http.StatusBadRequest, "Content-Length that is none"
			}
			body.length, length = n, true
		case equalFold(key, "Transfer-Encoding"):
			if coding || !equalFold(value, "chunked") {
				return req, body, http.StatusNotImplemented, "Transfer-Encoding that is not chunked"
			}
			body.chunked, coding = true, true
		case equalFold(key, "Connection"):
			keep = keep || hasToken(value, "keep-alive")
			closing = closing || hasToken(value, "close")
		case equalFold(key, "Expect"):
			if !equalFold(value, "100-continue") {
				return req, body, http.StatusExpectationFailed, "expectation that is not known"
			}
			body.expected = req.minor > 0
		}
	}
	switch {
	case req.minor > 0 && !host:
		return req, body, http.StatusBadRequest, "no Host"
	case coding && (length || req.minor == 0):
		// Two ends for one body, or one that the version does not know: who
		// forwarded it may have seen another.
		return req, body, http.StatusBadRequest, "body of unclear length"
	}
	req.Close = closing || req.minor == 0 && !keep
	return req, body, 0, ""
}

// line parses the request line. The method is set also if the rest is wrong.
func (r *Request) line(line []byte) (status int, reason string) {
	method, rest, ok := bytes.Cut(line, []byte{' '})
	target, version, okToo := bytes.Cut(rest, []byte{' '})
	if ok && isToken(method) {
		r.Method = method
	}
	if !okToo || r.Method == nil || len(target) == 0 || bytes.ContainsFunc(target, control) {
		return http.StatusBadRequest, "request line that is none"
	}
	if to, _, ok := absolute(target); ok && (len(to) == 0 || !isAuthority(to)) {
		return http.StatusBadRequest, "request line that is none"
	}
	minor, ok := bytes.CutPrefix(version, []byte("HTTP/1."))
	if !ok || len(minor) != 1 || minor[0] < '0' || minor[0] > '9' {
		if bytes.HasPrefix(version, []byte("HTTP/")) && !bytes.ContainsFunc(version, control) {
			return http.StatusHTTPVersionNotSupported, "version that is not 1.0 or 1.1"
		}
		return http.StatusBadRequest, "request line that is none"
	}
	r.Target = target
	r.minor = min(int(minor[0]-'0'), 1) // who speaks a later one understands 1.1
	return 0, ""
}

// wellFormed reports whether line is a field: a name, a colon, and text.
func wellFormed(line []byte) bool {
	key, value, ok := bytes.Cut(line, []byte{':'})
	return ok && isToken(key) && isText(value)
}

// isText reports whether nothing of text could be taken for an end, by whoever forwards it.
func isText(text []byte) bool {
	return bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 && bytes.IndexByte(text, 0) < 0
}

func control(r rune) bool { return r <= ' ' || r == 0x7f }

// isToken reports whether text may be the name of something.
func isToken(text []byte) bool {
	for _, c := range text {
		if !tokens[c] {
			return false
		}
	}
	return len(text) > 0
}

// tokens are the bytes that names are made of.
var tokens = func() (is [256]bool) {
	for c := '0'; c <= 'z'; c++ {
		is[c] = c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c
	}
	for _, c := range "!#$%&'*+-.^_`|~" {
		is[c] = true
	}
	return is
}()

// tooLarge is a length that no limit allows. A head may be added to it.
const tooLarge = math.MaxInt / 2

// decimal parses a length. One that is larger than tooLarge is that.
func decimal(text []byte) (int, bool) {
	n := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n >= tooLarge/10 {
			n = tooLarge
		} else {
			n = n*10 + int(c-'0')
		}
	}
	return n, len(text) > 0
}
