package bytestream

import (
	"encoding/csv"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
)

// CSV emits the records of a text in the format of package encoding/csv. A heading
// is a record like any other.
//
//	      CSV(From(strings.NewReader("a,b\n1,2\n")))
//	out:  [a b] - [1 2] |
//
// A record that is malformed, or has the wrong number of fields, see [Fields], fails
// the stream with [ErrMalformed] and a *csv.ParseError as its cause. A record of more
// than 1 MiB, see [MaxRecord], fails it with [ErrTooLong]; a record with a quote that
// is not closed may be that long. The comments and blank lines in front of a record,
// and the end of its line, count for its length. See the package comment for the rest.
func CSV(open Opener, opts ...CSVOption) flux.Flux[[]string] {
	const op = "bytestream.csv"
	c := newConfig()
	c.comma = ','
	for _, o := range argument.Options(op, opts) {
		o.applyCSV(&c)
	}
	argument.Positive(op, "longest record", c.maxLine)
	if !validDelimiter(c.comma) || c.comment != 0 && (!validDelimiter(c.comment) || c.comment == c.comma) {
		panic(fmt.Sprintf("reactor: %s: fields can't be separated by %q where comments begin with %q", op, c.comma, c.comment))
	}
	settings, in := c.settings(op, open)
	return flux.From(blocking.New(settings, func() blocking.Source[[]string] {
		r := &csvRecords{input: in(), limit: c.lineLimit(), validUTF8: c.validUTF8}
		r.reader = csv.NewReader(r)
		r.reader.Comma, r.reader.Comment, r.reader.FieldsPerRecord = c.comma, c.comment, c.fields
		r.reader.LazyQuotes, r.reader.ReuseRecord = c.lazyQuotes, c.reuse
		return r
	}))
}

// validDelimiter is what encoding/csv accepts.
func validDelimiter(r rune) bool {
	return r != 0 && r != '"' && r != '\r' && r != '\n' && utf8.ValidRune(r) && r != utf8.RuneError
}

type csvRecords struct {
	input
	limit     int
	validUTF8 bool
	reader    *csv.Reader
	number    int64 // records returned
	start     int64 // where the record begins that is being read
	long      error // says that it is too long
}

// Read implements io.Reader: it stops a record that is too long, because the decoder
// would collect all of it. The decoder's own buffer may be read ahead.
func (r *csvRecords) Read(p []byte) (int, error) {
	if r.read-r.start > int64(r.limit)+csvBuffer {
		r.long = tooLong(r.op, "record", r.number+1, r.start, r.limit)
		return 0, r.long
	}
	return r.input.Read(p)
}

// csvBuffer is the size of the buffer that encoding/csv reads into.
const csvBuffer = 4096

// Emit implements blocking.Source.
func (r *csvRecords) Emit(out blocking.Out[[]string]) error {
	defer out.End()
	for {
		record, err := r.next()
		if err != nil {
			return err
		}
		if out.Cancelled() {
			return out.Refuse(record)
		}
		out.Send(record)
		if !out.More() {
			return nil
		}
	}
}

func (r *csvRecords) next() ([]string, error) {
	r.start = r.reader.InputOffset()
	record, err := r.reader.Read()
	if err != nil {
		if _, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, malformed(r.op, "record", r.number+1, r.start, err)
		}
		if err == r.long {
			return nil, err
		}
		return nil, r.failed("record", r.number+1, err)
	}
	r.number++
	if r.reader.InputOffset()-r.start > int64(r.limit) {
		return nil, tooLong(r.op, "record", r.number, r.start, r.limit)
	}
	if r.validUTF8 {
		for i, field := range record {
			if !utf8.ValidString(field) {
				return nil, malformed(r.op, "record", r.number, r.start,
					fmt.Errorf("%w in field %d: byte %d of %q", errUTF8, i+1, invalidAt(field), field))
			}
		}
	}
	return record, nil
}
