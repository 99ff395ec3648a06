package bytestream

import (
	"bytes"
	"encoding/json"

	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
)

// JSONLines emits the values of a text with one JSON value on each line, decoded as
// json.Unmarshal does. Lines of white space alone are left out.
//
//	      JSONLines[int](From(strings.NewReader("1\n2\n")))
//	out:  1 - 2 |
//
// A line that is not JSON, does not fit a T, or is not UTF-8 fails the stream with
// [ErrMalformed]; to go on after such lines, decode in a function of your own: Lines,
// then FlatMapSlice or Handle. A line of more than 1 MiB, see [MaxLine], fails the
// stream with [ErrTooLong]. See the package comment for the rest.
func JSONLines[T any](open Opener, opts ...JSONLinesOption) flux.Flux[T] {
	const op = "bytestream.jsonLines"
	c := newConfig()
	for _, o := range argument.Options(op, opts) {
		o.applyJSONLines(&c)
	}
	argument.Positive(op, "longest line", c.maxLine)
	settings, in := c.settings(op, open)
	return flux.From(blocking.New(settings, func() blocking.Source[T] {
		return &jsonLines[T]{splitter{input: in(), limit: c.lineLimit()}}
	}))
}

type jsonLines[T any] struct{ splitter }

// Emit implements blocking.Source.
func (j *jsonLines[T]) Emit(out blocking.Out[T]) error {
	defer out.End()
	for {
		line, err := j.value()
		if err != nil {
			return err
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return malformed(j.op, "line", j.number, j.start, err)
		}
		if out.Cancelled() {
			return out.Refuse(v)
		}
		out.Send(v)
		if !out.More() {
			return nil
		}
	}
}

// value returns the next line that has something on it.
func (s *splitter) value() ([]byte, error) {
	for {
		line, err := s.line()
		if err != nil {
			return nil, err
		}
		if err := s.checkUTF8(line); err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
	}
}
