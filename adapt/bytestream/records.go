package bytestream

import (
	"bufio"
	"errors"
	"io"
	"slices"

	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
)

// Records emits the records that split finds. split is a function as bufio.Scanner takes it, such
// as bufio.ScanWords.
//
//	      Records(From(strings.NewReader("to be")), bufio.ScanWords)
//	out:  to - be |
//
// At the end of the reader split is told so. If the reader fails after a part of a record, that
// part is lost. A record of more than 1 MiB, see [MaxRecord], fails the stream with [ErrTooLong].
// An error of split fails it with [ErrMalformed], and so do a hundred records in a row for which
// split has consumed nothing. See the package comment for the rest.
func Records(open Opener, split bufio.SplitFunc, opts ...RecordsOption) flux.Flux[[]byte] {
	const op = "bytestream.records"
	argument.NotNil(op, "function that splits", split)
	c := newConfig()
	for _, o := range argument.Options(op, opts) {
		o.applyRecords(&c)
	}
	argument.Positive(op, "longest record", c.maxLine)
	settings, in := c.settings(op, open)
	return flux.From(blocking.New(settings, func() blocking.Source[[]byte] {
		return &records{splitter: splitter{input: in(), limit: c.lineLimit(), lent: c.reuse}, split: split}
	}))
}

type records struct {
	splitter
	split bufio.SplitFunc
	empty int // records in a row for which split has consumed nothing
}

// Apart gives each record memory of its own.
func (r *records) Apart() { r.lent = false }

var errNoProgress = errors.New("the function that splits makes no progress")

// Emit implements blocking.Source. It uses split as bufio.Scanner does, whose size and calls a
// stream of short records would notice.
func (r *records) Emit(out blocking.Out[[]byte]) error {
	defer out.End()
	for {
		var record []byte
		if atEOF := r.end == io.EOF; atEOF || r.from < r.to { // a reader that has failed might have had more of the last one
			advance, found, err := r.split(r.buf[r.from:r.to], atEOF)
			if err != nil || advance <= 0 || advance > r.to-r.from {
				if advance, err = r.unusual(advance, found, err); err != nil {
					return err
				}
			} else {
				r.empty = 0
			}
			if len(found) > r.limit {
				return tooLong(r.op, "record", r.number+1, r.offset(), r.limit)
			}
			r.from += advance
			record = found
		}
		if record == nil {
			if err := r.readOn(); err != nil {
				return err
			}
			continue
		}
		r.number++
		if !r.lent {
			record = slices.Clone(record)
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

// readOn reads more bytes, so that split may find a record.
func (r *records) readOn() error {
	if r.end != nil {
		return r.failed("record", r.number+1, r.end)
	}
	if r.to-r.from >= r.limit+recordEnd {
		return tooLong(r.op, "record", r.number+1, r.offset(), r.limit)
	}
	// Where a line is searched on, split begins anew after each read: reads of one size would cost n² for a record of n bytes. So they
	// grow with it, and no more than half of a long record is read ahead.
	r.more(min(bufferSize, r.limit+recordEnd), r.limit+recordEnd, max(bufferSize, (r.to-r.from)/2))
	return nil
}

// recordEnd is how many bytes beyond a record split may want to see, to find where it ends: \r\n.
const recordEnd = 2

// unusual returns how far to go where split has consumed nothing, or has found something wrong,
// or the last record.
func (r *records) unusual(advance int, found []byte, err error) (int, error) {
	switch {
	case err == bufio.ErrFinalToken:
		r.split = func([]byte, bool) (int, []byte, error) { return 0, nil, nil }
		if r.end == nil {
			r.end = io.EOF
		}
		return 0, nil
	case err != nil:
	case advance < 0:
		err = bufio.ErrNegativeAdvance
	case advance > 0:
		err = bufio.ErrAdvanceTooFar
	case found == nil:
		return 0, nil
	default:
		if r.empty++; r.empty <= maxEmptyReads {
			return 0, nil
		}
		err = errNoProgress
	}
	return 0, malformed(r.op, "record", r.number+1, r.offset(), err)
}

// offset returns how many bytes were consumed.
func (r *records) offset() int64 { return r.read - int64(r.to-r.from) }
