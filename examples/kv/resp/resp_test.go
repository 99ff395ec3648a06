package resp_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/examples/kv/resp"
)

const limit = 1 << 10

// parse returns the commands in text, which comes in pieces of size bytes, the rest that is
// no whole command, and how it ends.
func parse(text string, size int) (commands []string, rest string, err error) {
	var d resp.Decoder
	var all []byte
	need := 0
	for at := 0; at < len(text); {
		piece := text[at:min(len(text), at+size)]
		at += len(piece)
		all = append(all, piece...)
		for len(all) > 0 {
			if len(all) < need {
				break
			}
			n, more, err := d.Parse(all, limit)
			if err != nil {
				return commands, "", err
			}
			if n == 0 {
				need = more
				break
			}
			need = 0
			if args := d.Args(all); len(args) > 0 {
				commands = append(commands, fmt.Sprintf("%q", args))
			}
			all = all[n:]
		}
	}
	return commands, string(all), nil
}

func TestCommands(t *testing.T) {
	long := strings.Repeat("x", limit)
	for _, c := range []struct {
		text string
		want []string
		rest string
		err  string
	}{
		{text: "*1\r\n$4\r\nPING\r\n", want: []string{`["PING"]`}},
		{text: "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$0\r\n\r\n", want: []string{`["SET" "a" ""]`}},
		{text: "*2\r\n$3\r\nGET\r\n$2\r\n\r\n\r\nPING\r\n", want: []string{`["GET" "\r\n"]`, `["PING"]`}},
		{text: "ping\n get  a\t\r\n\r\n\n", want: []string{`["ping"]`, `["get" "a"]`}},
		{text: `set a "b c\n\x41\"" 'it\'s'` + "\r\nget a\r\n", want: []string{`["set" "a" "b c\nA\"" "it's"]`, `["get" "a"]`}},
		{text: `a "" ''` + "\n", want: []string{`["a" "" ""]`}},
		{text: "*0\r\n*-1\r\n*1\r\n$1\r\na\r\n", want: []string{`["a"]`}},
		{text: "*2\r\n$1\r\na\r\n$2\r\nb", rest: "*2\r\n$1\r\na\r\n$2\r\nb"},
		{text: "pin", rest: "pin"},
		{text: "*x\r\n", err: "invalid multibulk length"},
		{text: "*\r\n", err: "invalid multibulk length"},
		{text: "*70000\r\n", err: "invalid multibulk length"},
		{text: "*99999999999999999999\r\n", err: "invalid multibulk length"},
		{text: "PING\r\n*1\r\n$-1\r\n", want: []string{`["PING"]`}, err: "invalid bulk length"},
		{text: "*1\r\n$2147483648\r\n", err: "invalid bulk length"},
		{text: "*1\r\n:1\r\n", err: "expected '$', got ':'"},
		{text: "*1\r\n\r\n", err: "expected '$', got ''"},
		{text: "*1\r\n$1\r\nabc\r\n", err: "bulk string of 1 bytes does not end there"},
		{text: "*2\r\n$600\r\n" + long[:600] + "\r\n$600\r\n", err: "command of more than 1024 bytes"},
		{text: `set "a` + "\r\n", err: "unbalanced quotes"},
		{text: `set "a"b` + "\r\n", err: "unbalanced quotes"},
		{text: strings.Repeat("x", 64<<10), err: "too big inline request"},
		{text: "*" + strings.Repeat("1", 64<<10), err: "too big mbulk count string"},
		{text: "*1\r\n$" + strings.Repeat("1", 64<<10), err: "too big bulk count string"},
	} {
		for _, size := range []int{1, 2, 3, 7, 1 << 20} {
			got, rest, err := parse(c.text, size)
			name := fmt.Sprintf("%.60q in pieces of %d", c.text, size)
			assert.Equal(t, c.want, got, name)
			if c.err != "" {
				require.ErrorIs(t, err, resp.ErrProtocol, name)
				assert.ErrorContains(t, err, c.err, name)
				continue
			}
			assert.NoError(t, err, name)
			assert.Equal(t, c.rest, rest, name)
		}
	}
}

func TestReplies(t *testing.T) {
	for want, r := range map[string]resp.Reply{
		"+OK\r\n":                             resp.Simple("OK"),
		"-ERR no\r\n":                         resp.Error("ERR no"),
		"-ERR a..b.c\r\n":                     resp.Error("ERR a\r\nb\x00c"),
		":-7\r\n":                             resp.Int(-7),
		"$2\r\nab\r\n":                        resp.Bulk("ab"),
		"$0\r\n\r\n":                          resp.Bulk(""),
		"$-1\r\n":                             resp.Reply{},
		"*0\r\n":                              resp.Array(),
		"*2\r\n$1\r\na\r\n$-1\r\n":            resp.Array(resp.Bulk("a"), resp.Reply{}),
		"+OK\r\n$1\r\nx\r\n"[5:]:              resp.Bulk("x"),
		"+" + strings.Repeat("y", 9) + "\r\n": resp.Simple(strings.Repeat("y", 9)),
	} {
		assert.Equal(t, want, string(r.Append(nil)))
		assert.Equal(t, "before"+want, string(r.Last().Append([]byte("before"))))
	}
	assert.True(t, resp.Int(1).Last().IsLast())
	assert.False(t, resp.Int(1).IsLast())
}

// FuzzCommands asks that the size of the pieces changes nothing, and that a command is made
// of bytes that were sent.
func FuzzCommands(f *testing.F) {
	for _, text := range []string{
		"*1\r\n$4\r\nPING\r\n", "*2\r\n$3\r\nGET\r\n$1\r\na\r\nPING\r\n", "*1\r\n$-1\r\n", "*1\r\n$2147483648\r\n",
		`set a "b\x41" 'c'` + "\r\n", "*-1\r\n", "\r\n", "*3\r\n$0\r\n\r\n",
	} {
		f.Add([]byte(text), byte(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, size byte) {
		whole, rest, err := parse(string(text), len(text)+1)
		parts, left, broken := parse(string(text), 1+int(size))
		assert.Equal(t, whole, parts)
		assert.Equal(t, rest, left)
		assert.Equal(t, err == nil, broken == nil)
		if err == nil {
			assert.True(t, bytes.HasSuffix(text, []byte(rest)))
		}
	})
}
