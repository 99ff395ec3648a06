package bytestream

import (
	"bufio"
	"errors"
	"io"
	"slices"

	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/protocol"
)

// Records emits what split finds: a function as bufio.Scanner takes them, such as
// bufio.ScanWords.
//
//	      Records(From(strings.NewReader("to be")), bufio.ScanWords)
//	out:  to - be |
//
// A record that has no end within 1 MiB, see [MaxRecord], fails the stream with
// [ErrTooLong], an error of split with [ErrMalformed]; so does a hundred records in a
// row for which split has consumed nothing. See the package comment for the rest.
func Records(open Opener, split bufio.SplitFunc, opts ...RecordsOption) flux.Flux[[]byte] {
	const op = "bytestream.records"
	protocol.NotNil(op, "function that splits", split)
	c := newConfig()
	for _, o := range opts {
		o.applyRecords(&c)
	}
	protocol.Positive(op, "longest record", c.maxLine)
	settings, in := c.settings(op, open)
	return flux.From(blocking.New(settings, func() blocking.Source[[]byte] {
		r := &records{input: in(), limit: c.maxLine, reuse: c.reuse, split: split}
		r.scanner = bufio.NewScanner(r)
		r.scanner.Buffer(make([]byte, 0, min(bufferSize, c.maxLine)), c.maxLine)
		r.scanner.Split(r.found)
		return r
	}))
}

type records struct {
	input
	limit    int
	reuse    bool
	split    bufio.SplitFunc
	scanner  *bufio.Scanner
	number   int64 // records returned
	offset   int64 // bytes that split has consumed
	empty    int   // records in a row for which it consumed nothing
	splitErr error
}

var errNoProgress = errors.New("the function that splits makes no progress")

// found is split, and notes how far it has come.
func (r *records) found(data []byte, atEOF bool) (advance int, token []byte, err error) {
	advance, token, err = r.split(data, atEOF)
	switch {
	case err != nil:
	case advance > 0:
		r.empty = 0
	case token != nil:
		if r.empty++; r.empty > maxEmptyReads {
			err = errNoProgress
		}
	}
	if err != nil && err != bufio.ErrFinalToken {
		r.splitErr = err
	} else if advance > 0 {
		r.offset += int64(advance)
	}
	return advance, token, err
}

// Next implements blocking.Source.
func (r *records) Next() ([]byte, error) {
	if r.scanner.Scan() {
		r.number++
		if r.reuse {
			return r.scanner.Bytes(), nil
		}
		return slices.Clone(r.scanner.Bytes()), nil
	}
	err := r.scanner.Err()
	switch {
	case err == nil:
		return nil, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return nil, tooLong(r.op, "record", r.number+1, r.offset, r.limit)
	case r.splitErr != nil, errors.Is(err, bufio.ErrNegativeAdvance), errors.Is(err, bufio.ErrAdvanceTooFar):
		return nil, malformed(r.op, "record", r.number+1, r.offset, err)
	}
	return nil, r.failed("record", r.number+1, err)
}
