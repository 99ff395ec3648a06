package bytestream

import (
	"bytes"
	"errors"
	"io"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
)

// Lines emits the lines of a text, without their ends, \n or \r\n. The last line may
// lack its end, or the \n of its end: a \r at the very end of the text is removed, too.
// After an end of line at the end of the text there is no empty line.
//
//	      Lines(From(strings.NewReader("a\nb\r\nc")))
//	out:  a - b - c |
//
// A line of more than 1 MiB, see [MaxLine], fails the stream with [ErrTooLong].
// See the package comment for demand, errors, cancellation and the goroutine.
func Lines(open Opener, opts ...LinesOption) flux.Flux[string] {
	const op = "bytestream.lines"
	c := newConfig()
	for _, o := range argument.Options(op, opts) {
		o.applyLines(&c)
	}
	argument.Positive(op, "longest line", c.maxLine)
	settings, in := c.settings(op, open)
	return flux.From(blocking.New(settings, func() blocking.Source[string] {
		return &lines{splitter: splitter{input: in(), limit: c.lineLimit()}, validUTF8: c.validUTF8}
	}))
}

type lines struct {
	splitter
	validUTF8 bool
}

// Emit implements blocking.Source.
func (l *lines) Emit(out blocking.Out[string]) error {
	defer out.End()
	for {
		line, err := l.line()
		if err != nil {
			return err
		}
		if l.validUTF8 {
			if err := l.checkUTF8(line); err != nil {
				return err
			}
		}
		text := string(line)
		if out.Cancelled() {
			return out.Refuse(text)
		}
		out.Send(text)
		if !out.More() {
			return nil
		}
	}
}

// splitter finds lines, or records, in its buffer.
type splitter struct {
	input
	limit  int // of a line, in bytes
	buf    []byte
	from   int // buf[from:to] has been read and not been returned
	to     int
	number int64 // of what was returned last, from 1
	start  int64 // where the line begins that is looked for, or was returned last
	end    error // what the reader ended with
	lent   bool  // elements are parts of buf
}

// buffers are the buffers of streams that have ended. The buffer that a stream needs for its
// whole life is a good part of the cost of a short stream.
var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// Close implements blocking.Source. Nobody reads into the buffer any more, but hooks may
// still get an element that is a part of it.
func (s *splitter) Close() error {
	if len(s.buf) == bufferSize && !s.lent {
		buffers.Put((*[bufferSize]byte)(s.buf))
	}
	s.buf = nil
	return s.input.Close()
}

// lineLimit is maxLine where it can be added to.
func (c *config) lineLimit() int { return min(c.maxLine, math.MaxInt/4) }

// line returns the next line, which is valid until the next call.
func (s *splitter) line() ([]byte, error) {
	s.start = s.read - int64(s.to-s.from)
	s.number++
	searched := 0
	for {
		if i := bytes.IndexByte(s.buf[s.from+searched:s.to], '\n'); i >= 0 {
			line := s.buf[s.from : s.from+searched+i]
			s.from += len(line) + 1
			return s.trimmed(line)
		}
		searched = s.to - s.from
		if s.end != nil {
			return s.last()
		}
		if searched > s.limit+1 { // one more than a line and a \r that may belong to its end
			return nil, tooLong(s.op, "line", s.number, s.start, s.limit)
		}
		s.more(bufferSize, s.limit+2, bufferSize)
	}
}

func (s *splitter) trimmed(line []byte) ([]byte, error) {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if len(line) > s.limit {
		return nil, tooLong(s.op, "line", s.number, s.start, s.limit)
	}
	return line, nil
}

// last returns what is left when the reader has ended: a line without an end, or the
// error of the reader. If the reader has failed, the line may be incomplete.
func (s *splitter) last() ([]byte, error) {
	if s.end != io.EOF || s.from == s.to {
		return nil, s.failed("line", s.number, s.end)
	}
	line := s.buf[s.from:s.to]
	s.from = s.to
	return s.trimmed(line)
}

// more reads on, up to reading bytes, into a larger buffer if this one is full: of least bytes, then twice as
// many, up to most.
func (s *splitter) more(least, most, reading int) {
	if s.from > 0 {
		copy(s.buf, s.buf[s.from:s.to])
		s.to -= s.from
		s.from = 0
	}
	if s.to == len(s.buf) {
		s.enlarge(max(least, min(2*len(s.buf), most)))
	}
	// A buffer that a long line has enlarged is not filled: that would be read ahead.
	n, err := s.fill(s.buf[s.to:min(s.to+reading, len(s.buf))])
	s.to += n
	s.end = err
}

// enlarge makes the buffer one of n bytes.
func (s *splitter) enlarge(n int) {
	var larger []byte
	if n == bufferSize {
		larger = buffers.Get().(*[bufferSize]byte)[:]
	} else {
		larger = make([]byte, n)
	}
	copy(larger, s.buf[:s.to])
	s.buf = larger
}

var errUTF8 = errors.New("invalid UTF-8")

// checkUTF8 returns an error that names the first byte of the line returned last
// that is not UTF-8.
func (s *splitter) checkUTF8(line []byte) error {
	if utf8.Valid(line) {
		return nil
	}
	return malformed(s.op, "line", s.number, s.start+int64(invalidAt(line)), errUTF8)
}

// invalidAt returns the index of the first byte that does not belong to a character.
func invalidAt[S []byte | string](text S) int {
	for i, r := range string(text) {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(string(text[i:])); size == 1 {
				return i
			}
		}
	}
	return len(text)
}
