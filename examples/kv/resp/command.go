package resp

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/goreactor/reactor/netreactor"
)

// MaxArgs is how many arguments a command may have.
const MaxArgs = 1 << 16

// maxKept is how many arguments a command may have if the memory for them is kept for the next one.
const maxKept = 1 << 10

// maxLine bounds a command that is a line of words, and the line in front of a bulk string.
const maxLine = 64 << 10

// ErrProtocol is the error of a [Command] that is none.
//
//lint:ignore ST1005 clients are told this text, and know it
var ErrProtocol = errors.New("Protocol error")

// Command is a request. Its bytes belong to the connection: they are overwritten when the
// handler has returned from it.
type Command struct {
	// Args are the name of the command and its arguments, at least one.
	Args [][]byte
	// Err, if not nil, says that the client sent something that is no command.
	// Nothing comes after it.
	Err *Malformed
}

// Malformed is what a client sent in the place of a command. It matches [ErrProtocol].
type Malformed struct{ Err error }

// Error implements error.
func (m *Malformed) Error() string { return m.Err.Error() }

// Unwrap returns what is wrong.
func (m *Malformed) Unwrap() error { return m.Err }

// Codec returns the codec of a server.
func Codec() netreactor.PerConnection[Command, Reply] { return &Decoder{} }

// Decoder finds the commands in what a connection sends. The zero value is ready. It
// remembers how far it has come in a command that arrives in pieces, so that the work for
// one is proportional to its length whatever the size of the pieces.
type Decoder struct {
	pos    int // what comes before is parsed
	dry    int // the end of a line is not before here
	*parts     // made for the first command: who says nothing needs none
}

// parts are those of a command.
type parts struct {
	left  int    // arguments that are still to come, if it is an array
	bulk  int    // length of the next one, -1 if not known yet
	over  bool   // a protocol error was returned
	spans []span // of the arguments so far
	args  [][]byte
	words [][]byte // the arguments of a line with quotes
}

// span is where an argument stands in the input.
type span struct{ from, to int }

// ForConnection returns a new Decoder.
func (*Decoder) ForConnection() netreactor.Codec[Command, Reply] { return &Decoder{} }

// Decode takes the next command. An error in the protocol is a Command with Err, so that the
// client can be told.
func (d *Decoder) Decode(in *netreactor.Input) (Command, bool, error) {
	for {
		all := in.Bytes()
		if d.parts != nil && d.over {
			in.Advance(len(all))
			return Command{}, false, nil
		}
		n, need, err := d.Parse(all, in.MaxFrame())
		switch {
		case err != nil:
			d.over = true // there are parts: Parse has made them
			in.Advance(len(all))
			return Command{Err: &Malformed{err}}, true, nil
		case n == 0:
			if need > 0 {
				in.Need(need)
			}
			return Command{}, false, nil
		}
		args := d.Args(all)
		in.Advance(n)
		d.letGo()
		if len(args) > 0 { // an empty line or array is no command, and no error
			return Command{Args: args}, true, nil
		}
	}
}

// Encode appends a reply.
func (d *Decoder) Encode(dst []byte, r Reply) ([]byte, error) { return r.Append(dst), nil }

// Parse looks for the end of the command that all begins with, and returns how long it is:
// then Args has its arguments. If it is 0 there is no whole command yet. Then Parse is called
// again with the same bytes and some more, need of them at least if that is not 0.
func (d *Decoder) Parse(all []byte, limit int) (n, need int, err error) {
	if d.parts == nil {
		d.parts = &parts{}
	}
	if d.pos == 0 {
		d.spans, d.words, d.bulk = d.spans[:0], nil, -1
		if len(all) == 0 {
			return 0, 0, nil
		}
		if all[0] != '*' {
			return d.inline(all)
		}
		line, end, err := d.line(all, 0, "too big mbulk count string")
		if end == 0 || err != nil {
			return 0, 0, err
		}
		count, ok := integer(line[1:])
		if !ok || count > MaxArgs {
			return 0, 0, fmt.Errorf("%w: invalid multibulk length", ErrProtocol)
		}
		d.left, d.pos = max(0, count), end
	}
	for d.left > 0 {
		if d.bulk < 0 {
			line, end, err := d.line(all, d.pos, "too big bulk count string")
			if end == 0 || err != nil {
				return 0, 0, err
			}
			if len(line) == 0 || line[0] != '$' {
				return 0, 0, fmt.Errorf("%w: expected '$', got '%.1s'", ErrProtocol, line)
			}
			size, ok := integer(line[1:])
			if !ok || size < 0 || size > limit {
				return 0, 0, fmt.Errorf("%w: invalid bulk length", ErrProtocol)
			}
			if end+size > limit {
				return 0, 0, fmt.Errorf("%w: command of more than %d bytes", ErrProtocol, limit)
			}
			d.bulk, d.pos = size, end
		}
		end := d.pos + d.bulk
		if len(all) < end+2 {
			return 0, end + 2, nil
		}
		if all[end] != '\r' || all[end+1] != '\n' {
			return 0, 0, fmt.Errorf("%w: bulk string of %d bytes does not end there", ErrProtocol, d.bulk)
		}
		d.spans = append(d.spans, span{d.pos, end})
		d.pos, d.bulk = end+2, -1
		d.left--
	}
	n, d.pos = d.pos, 0
	return n, 0, nil
}

// Args returns the arguments of the command that Parse has found in all. They are valid until
// the next call.
func (d *Decoder) Args(all []byte) [][]byte {
	if d.words != nil {
		return d.words
	}
	d.args = d.args[:0]
	for _, s := range d.spans {
		d.args = append(d.args, all[s.from:s.to:s.to])
	}
	return d.args
}

// letGo leaves the memory for a command to whoever has its arguments if it is a long one: who has sent one may be
// idle for long.
func (d *Decoder) letGo() {
	d.words = nil
	if cap(d.args) > maxKept {
		d.args = nil
	}
	if cap(d.spans) > maxKept {
		d.spans = nil
	}
}

// inline parses a line of words.
func (d *Decoder) inline(all []byte) (n, need int, err error) {
	words, end, err := d.line(all, 0, "too big inline request")
	if end == 0 || err != nil {
		return 0, 0, err
	}
	if bytes.ContainsAny(words, "\"'") {
		if d.words, err = unquote(words); err != nil {
			return 0, 0, err
		}
		return end, 0, nil
	}
	for i := 0; i < len(words); {
		if blank(words[i]) {
			i++
			continue
		}
		from := i
		for i < len(words) && !blank(words[i]) {
			i++
		}
		d.spans = append(d.spans, span{from, i})
	}
	return end, 0, nil
}

// line returns the line that begins at from, without its end, and where the next one begins:
// 0 if it is not complete.
func (d *Decoder) line(all []byte, from int, long string) ([]byte, int, error) {
	dry := max(from, d.dry)
	i := bytes.IndexByte(all[dry:], '\n')
	end := dry + i
	switch {
	case i < 0 && len(all)-from < maxLine:
		d.dry = len(all)
		return nil, 0, nil
	case i < 0 || end-from >= maxLine:
		return nil, 0, fmt.Errorf("%w: %s", ErrProtocol, long)
	}
	d.dry = 0
	return bytes.TrimSuffix(all[from:end], []byte{'\r'}), end + 1, nil
}

// integer parses a decimal number, which may be negative, of at most ten digits.
func integer(text []byte) (int, bool) {
	digits := bytes.TrimPrefix(text, []byte{'-'})
	if len(digits) == 0 || len(digits) > 10 {
		return 0, false
	}
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, true
}
