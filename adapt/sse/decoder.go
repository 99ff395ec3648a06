package sse

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/internal/argument"
)

// defaultMaxEvent is the limit of an event, in bytes.
const defaultMaxEvent = 1 << 20

// readSize is how much is read at a time.
const readSize = 4 << 10

// Decoder reads events from a reader, as the HTML standard says: lines end in \n, \r or
// \r\n, invalid UTF-8 is replaced, a byte order mark at the beginning, comments and
// unknown fields are ignored, an event without data is ignored, and so is an event at
// the end that lacks its blank line.
type Decoder struct {
	op    string
	r     io.Reader
	limit int

	buf     []byte // buf[from:to] has been read
	from    int
	to      int
	noCR    int   // buf[from:noCR] has no \r; buf[noCR] is one, or was not looked at
	read    int64 // bytes in all
	err     error // of r
	long    error // says that an event is too long, which is the end
	begun   bool  // past where the byte order mark may be
	afterCR bool  // a \n that comes now belongs to the line before

	id     string        // in force
	retry  time.Duration // the last that was read, 0 if none was
	number int64         // events returned

	// What follows belongs to the event that is being read.
	start   int64 // where it begins
	nextID  string
	kind    string
	data    []byte
	waiting time.Duration // its retry
}

// NewDecoder returns a decoder of r. It panics if r is nil.
func NewDecoder(r io.Reader) *Decoder {
	argument.NotNil("sse.newDecoder", "reader", r)
	return newDecoder("sse.decoder", r, defaultMaxEvent)
}

func newDecoder(op string, r io.Reader, limit int) *Decoder {
	return &Decoder{op: op, r: r, limit: limit, buf: make([]byte, readSize)}
}

// LastEventID returns the ID in force: that of the last event that had one.
func (d *Decoder) LastEventID() string { return d.id }

// Retry returns how long the server wants clients to wait before they connect again, or
// 0 if it has not said so.
func (d *Decoder) Retry() time.Duration { return d.retry }

// Next waits for the next event. At the end of the reader it returns io.EOF. A failure
// of the reader is a bytestream.ErrRead, and an event of more than 1 MiB is a
// bytestream.ErrTooLong; both come in a *reactor.OpError that names the place.
func (d *Decoder) Next() (Event, error) {
	if d.long != nil {
		return Event{}, d.long
	}
	d.start = d.offset()
	for {
		line, err := d.line()
		if err != nil {
			return Event{}, err
		}
		if len(line) > 0 {
			d.field(line)
			continue
		}
		e, ok := d.dispatch()
		d.start = d.offset()
		if ok {
			d.number++
			return e, nil
		}
	}
}

// offset is how many bytes were taken so far.
func (d *Decoder) offset() int64 { return d.read - int64(d.to-d.from) }

// line returns the next line, without its end, valid until the next call. It does not
// wait for what follows a \r: that may not come before the event was seen.
func (d *Decoder) line() ([]byte, error) {
	searched := 0
	for {
		if d.afterCR || !d.begun {
			before := d.from
			d.skip()
			searched = max(searched-(d.from-before), 0)
		}
		if end := d.lineEnd(d.from + searched); end >= 0 {
			line := d.buf[d.from:end]
			d.from += len(line)
			d.afterCR = d.buf[d.from] == '\r'
			d.from++
			return line, d.check(len(line))
		}
		searched = d.to - d.from
		if err := d.check(searched); err != nil {
			return nil, err
		}
		if err := d.more(); err != nil {
			return nil, err
		}
	}
}

// lineEnd returns where the first \n or \r is in the buffer, from at on, -1 if there is none. Most
// streams have no \r at all, and are searched for one as a whole, not line by line.
func (d *Decoder) lineEnd(at int) int {
	end := d.to
	if i := bytes.IndexByte(d.buf[at:d.to], '\n'); i >= 0 {
		end = at + i
	}
	d.noCR = max(d.noCR, at)
	if d.noCR < end && d.buf[d.noCR] != '\r' {
		if i := bytes.IndexByte(d.buf[d.noCR:d.to], '\r'); i >= 0 {
			d.noCR += i
		} else {
			d.noCR = d.to
		}
	}
	if end = min(end, d.noCR); end == d.to {
		return -1
	}
	return end
}

// check refuses an event that is too long with a line of n bytes.
func (d *Decoder) check(n int) error {
	if n+len(d.data) <= d.limit {
		return nil
	}
	d.long = reactor.Failure(d.op, bytestream.ErrTooLong, "event %d, at byte %d: more than %d bytes", d.number+1, d.start, d.limit)
	return d.long
}

// byteOrderMark may stand at the beginning of a stream.
var byteOrderMark = []byte("\uFEFF")

// skip leaves out what does not belong to a line, if it has been read.
func (d *Decoder) skip() {
	if d.afterCR && d.from < d.to {
		d.afterCR = false
		if d.buf[d.from] == '\n' {
			d.from++
		}
	}
	if !d.begun {
		if rest := d.buf[d.from:d.to]; len(rest) >= len(byteOrderMark) || !bytes.HasPrefix(byteOrderMark, rest) {
			d.begun = true
			d.from += len(rest) - len(bytes.TrimPrefix(rest, byteOrderMark))
		}
	}
}

// more reads on.
func (d *Decoder) more() error {
	if d.err == nil {
		if d.from > 0 {
			d.to = copy(d.buf, d.buf[d.from:d.to])
			d.noCR = max(d.noCR-d.from, 0)
			d.from = 0
		}
		if d.to == len(d.buf) {
			d.buf = append(d.buf, make([]byte, len(d.buf))...)
		}
		into := d.buf[d.to:min(d.to+readSize, len(d.buf))] // not all of a large buffer: that would be read ahead
		var n int
		for range 100 {
			if n, d.err = d.r.Read(into); n != 0 || d.err != nil {
				break
			}
		}
		switch {
		case n < 0 || n > len(into):
			d.err = reactor.Failure(d.op, reactor.ErrIllegalState, "the %T returned %d bytes for a buffer of %d", d.r, n, len(into))
		case n > 0:
			d.to += n
			d.read += int64(n)
			return nil
		case d.err == nil:
			d.err = io.ErrNoProgress
		}
	}
	if d.err == io.EOF {
		return io.EOF
	}
	return reactor.Failure(d.op, bytestream.ErrRead, "event %d, at byte %d", d.number+1, d.read).CausedBy(d.err)
}

// field takes a line that is not empty.
func (d *Decoder) field(line []byte) {
	name, value := line, []byte(nil)
	if i := bytes.IndexByte(line, ':'); i >= 0 {
		name, value = line[:i], line[i+1:]
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
	}
	switch string(name) {
	case "data":
		d.data = append(append(d.data, value...), '\n')
	case "event":
		d.kind = valid(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 && string(value) != d.nextID {
			d.nextID = valid(value)
		}
	case "retry":
		if wait, ok := milliseconds(string(value)); ok && wait > 0 { // 0 says nothing
			d.retry, d.waiting = wait, wait
		}
	}
}

// milliseconds returns the duration that text stands for; text must consist of digits
// only.
func milliseconds(text string) (time.Duration, bool) {
	if strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > int64(maxRetry/time.Millisecond) {
		return 0, false
	}
	return time.Duration(n) * time.Millisecond, true
}

// maxRetry is more than any server means.
const maxRetry = 365 * 24 * time.Hour

func valid(b []byte) string {
	if utf8.Valid(b) { // the ordinary case, which takes a fraction of the time
		return string(b)
	}
	var text strings.Builder
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			size = invalidLen(b)
		}
		text.WriteRune(r)
		b = b[size:]
	}
	return text.String()
}

// invalidLen returns how many of the first bytes of b, which are no character, are replaced together: as many as could
// begin a character. strings.ToValidUTF8 replaces any number of invalid bytes in a row together.
func invalidLen(b []byte) int {
	n := 1
	for n < len(b) && !utf8.FullRune(b[:n+1]) {
		n++
	}
	return n
}

// dispatch ends the event, and reports whether it is one. Its ID counts in any case.
func (d *Decoder) dispatch() (e Event, ok bool) {
	if d.id != d.nextID { // a store costs more than a comparison
		d.id = d.nextID
	}
	if ok = len(d.data) > 0; ok {
		e = Event{ID: d.id, Type: d.kind, Data: valid(d.data[:len(d.data)-1]), Retry: d.waiting}
	}
	if d.kind != "" {
		d.kind = ""
	}
	d.waiting, d.data = 0, d.data[:0]
	if cap(d.data) > readSize {
		d.data = nil
	}
	return e, ok
}
