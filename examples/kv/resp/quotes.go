package resp

import (
	"fmt"
	"strconv"
)

// unquote splits a line into words, some of which are in quotes. Within double quotes a
// backslash begins an escape: \n, \r, \t, \b, \a, \xHH, or the character itself; within single
// quotes only \' is one.
func unquote(line []byte) ([][]byte, error) {
	words := [][]byte{}
	for i := 0; ; {
		for i < len(line) && blank(line[i]) {
			i++
		}
		if i == len(line) {
			return words, nil
		}
		word, n, ok := quotedWord(line[i:])
		if i += n; !ok || i < len(line) && !blank(line[i]) {
			return nil, fmt.Errorf("%w: unbalanced quotes in request", ErrProtocol)
		}
		words = append(words, word)
	}
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// quotedWord returns the first word of line, and how much of line it takes. ok is false if a
// quote has no end.
func quotedWord(line []byte) (word []byte, n int, ok bool) {
	word = []byte{}
	var quote byte
	for n < len(line) {
		c := line[n]
		switch {
		case quote == 0 && blank(c):
			return word, n, true
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
			n++
		case quote != 0 && c == quote:
			return word, n + 1, true
		case quote == '"' && c == '\\' && n+1 < len(line):
			c, size := escape(line[n+1:])
			word = append(word, c)
			n += 1 + size
		case quote == '\'' && c == '\\' && n+1 < len(line) && line[n+1] == '\'':
			word = append(word, '\'')
			n += 2
		default:
			word = append(word, c)
			n++
		}
	}
	return word, n, quote == 0
}

// escape returns what stands behind a backslash, and how long that is.
func escape(text []byte) (byte, int) {
	switch text[0] {
	case 'n':
		return '\n', 1
	case 'r':
		return '\r', 1
	case 't':
		return '\t', 1
	case 'b':
		return '\b', 1
	case 'a':
		return '\a', 1
	case 'x':
		if len(text) >= 3 {
			if n, err := strconv.ParseUint(string(text[1:3]), 16, 8); err == nil {
				return byte(n), 3
			}
		}
	}
	return text[0], 1
}
