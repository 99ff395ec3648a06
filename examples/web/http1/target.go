package http1

import "bytes"

// absolute takes the target apart that is a whole URL, as proxies ask for: into whom it names, and
// the path and query. ok is false if it is none.
func absolute(target []byte) (authority, rest []byte, ok bool) {
	scheme, rest, ok := bytes.Cut(target, []byte("://"))
	if !ok || !equalFold(scheme, "http") && !equalFold(scheme, "https") {
		return nil, nil, false
	}
	if end := bytes.IndexAny(rest, "/?"); end >= 0 {
		return rest[:end], rest[end:], true
	}
	return rest, nil, true
}

// isAuthority reports whether text names a host, and perhaps a port. A user is none of that.
func isAuthority(text []byte) bool {
	host, port := text, []byte(nil)
	if i := bytes.LastIndexByte(text, ':'); i > bytes.LastIndexByte(text, ']') {
		host, port = text[:i], text[i+1:]
	}
	for _, c := range port {
		if c < '0' || c > '9' {
			return false
		}
	}
	if address, ok := bytes.CutPrefix(host, []byte{'['}); ok { // of IPv6
		address, ok = bytes.CutSuffix(address, []byte{']'})
		return ok && len(address) > 0 && !bytes.ContainsFunc(address, func(r rune) bool { return r != ':' && !isOfHost(r) })
	}
	for i, c := range host {
		if c == '%' {
			if i+2 >= len(host) || hex(host[i+1]) < 0 || hex(host[i+2]) < 0 {
				return false
			}
		} else if !isOfHost(rune(c)) {
			return false
		}
	}
	return true
}

// isOfHost reports whether r may be in the name of a host as it is.
func isOfHost(r rune) bool {
	switch r {
	case '(', ')', ',', ';', '=':
		return true
	case '#', '%', '^', '`', '|':
		return false
	}
	return r < 0x80 && tokens[r]
}
