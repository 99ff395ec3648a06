package http1

import (
	"bytes"
	"net/http"
)

// Request is what a client asks for. Its bytes belong to the connection: they are overwritten
// when the handler has returned from it.
type Request struct {
	Method []byte
	Target []byte // path and query, or a whole URL
	Body   []byte
	// Continue says that the client waits for leave to send the body: answer by
	// [Continue]. The whole request comes after that, as another one.
	Continue bool
	// Close says that the connection ends after the response.
	Close bool
	// Status, if not 0, is of the error that the client made. Nothing comes after it, and of
	// the rest only the method is there, if that was understood.
	Status int
	Reason string // of that, for people

	minor  int // of the version, HTTP/1.0 or HTTP/1.1
	fields []byte
}

// Path returns the path of the target.
func (r Request) Path() []byte {
	target := r.Target
	_, rest, whole := absolute(target)
	if whole {
		target = rest
	}
	path, _, _ := bytes.Cut(target, []byte{'?'})
	if whole && len(path) == 0 {
		return []byte{'/'}
	}
	return path
}

// Header returns the value of the first field called name, whatever the case of its letters,
// nil if there is none.
func (r Request) Header(name string) []byte {
	for rest := r.fields; len(rest) > 0; {
		var key, value []byte
		key, value, rest = field(rest)
		if equalFold(key, name) {
			return value
		}
	}
	return nil
}

// IsHead reports whether the client wants no body.
func (r Request) IsHead() bool { return string(r.Method) == http.MethodHead }

// field returns the first of the fields, which are well-formed, and the others.
func field(fields []byte) (key, value, rest []byte) {
	line, rest, _ := bytes.Cut(fields, crlf)
	key, value, _ = bytes.Cut(line, []byte{':'})
	for len(value) > 0 && blank(value[0]) {
		value = value[1:]
	}
	for len(value) > 0 && blank(value[len(value)-1]) {
		value = value[:len(value)-1]
	}
	return key, value, rest
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// equalFold is strings.EqualFold for ASCII.
func equalFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i, c := range b {
		if c != s[i] && lower(c) != lower(s[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// hasToken reports whether a list such as "keep-alive, upgrade" has token in it.
func hasToken(list []byte, token string) bool {
	for len(list) > 0 {
		var one []byte
		one, list, _ = bytes.Cut(list, []byte{','})
		if equalFold(bytes.Trim(one, " \t"), token) {
			return true
		}
	}
	return false
}
