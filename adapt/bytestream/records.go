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
		return &records{splitter: splitter{input: in(), limit: c.maxLine}, reuse: c.reuse, split: split}
	}))
}

type records struct {
	splitter
	reuse bool
	split bufio.SplitFunc
	empty int // records in a row for which it consumed nothing
}

var errNoProgress = errors.New("the function that splits makes no progress")

// Emit implements blocking.Source.
func (r *records) Emit(out *blocking.Out[[]byte]) error {
	for {
		record, err := r.next()
		if err != nil {
			return err
		}
		if !r.reuse {
			record = slices.Clone(record)
		}
		if !out.Send(record) {
			return nil
		}
	}
}

// next returns the next record, which is valid until the next call. It uses split as bufio.Scanner
// does, whose size and calls a stream of short records would notice.
func (r *records) next() ([]byte, error) {
	for {
		if r.from < r.to || r.end != nil {
			advance, record, err := r.split(r.buf[r.from:r.to], r.end != nil)
			if err != nil || advance < 0 || advance > r.to-r.from {
				if err = r.refused(advance, err); err != nil {
					return nil, err
				}
				advance = 0
			}
			r.from += advance
			if record != nil {
				if advance > 0 {
					r.empty = 0
				} else if r.empty++; r.empty > maxEmptyReads {
					return nil, malformed(r.op, "record", r.number+1, r.offset(), errNoProgress)
				}
				r.number++
				return record, nil
			}
		}
		if r.end != nil {
			return nil, r.failed("record", r.number+1, r.end)
		}
		if r.from == 0 && r.to >= r.limit {
			return nil, tooLong(r.op, "record", r.number+1, r.offset(), r.limit)
		}
		r.more(min(bufferSize, r.limit), r.limit)
	}
}

// refused returns what is wrong with an error of split, or with how far it says to go; nil if
// the record with it is the last one.
func (r *records) refused(advance int, err error) error {
	switch {
	case err == bufio.ErrFinalToken:
		r.split = func([]byte, bool) (int, []byte, error) { return 0, nil, nil }
		if r.end == nil {
			r.end = io.EOF
		}
		return nil
	case err == nil && advance < 0:
		err = bufio.ErrNegativeAdvance
	case err == nil:
		err = bufio.ErrAdvanceTooFar
	}
	return malformed(r.op, "record", r.number+1, r.offset(), err)
}

// offset returns how many bytes were consumed.
func (r *records) offset() int64 { return r.read - int64(r.to-r.from) }
