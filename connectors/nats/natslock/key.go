package natslock

import (
	"fmt"
	"strings"

	"github.com/goreactor/reactor"
)

// MaxKey is the largest length of a key as it is written in a subject: letters,
// digits, "-", "_" and "/" count as one byte, every other byte as three.
const MaxKey = 1024

const hexDigits = "0123456789ABCDEF"

// plain reports whether a byte of a key stands for itself in a subject.
func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '/'
}

// escape returns the key as one token of a subject, which is what tools for buckets
// can read, too. Two keys never have the same token: a byte that is not plain becomes
// "=" and two hexadecimal digits, and the empty key, for which there is no token, "="
// alone.
func escape(key string) (string, error) {
	length := len(key)
	for i := range len(key) {
		if !plain(key[i]) {
			length += 2
		}
	}
	switch {
	case length > MaxKey:
		return "", fmt.Errorf("natslock: the key %.40q… takes %d bytes in a subject, at most %d can be used: %w",
			key, length, MaxKey, reactor.ErrIllegalArgument)
	case key == "":
		return "=", nil
	case length == len(key):
		return key, nil
	}
	var b strings.Builder
	b.Grow(length)
	for i := range len(key) {
		if c := key[i]; plain(c) {
			b.WriteByte(c)
		} else {
			b.WriteByte('=')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	return b.String(), nil
}
