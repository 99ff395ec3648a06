package bytestream

import (
	"io"

	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
)

// Chunks emits the bytes that are read, in pieces of at most size bytes; no piece is
// empty.
//
//	      Chunks(From(strings.NewReader("abcde")), 2)
//	out:  ab - cd - e |
//
// A chunk is what one Read has returned; with [Full] it is read until it has size
// bytes, or until the end. Nothing is read ahead. With [Full], a reader that fails
// after a part of a chunk loses that part: the error says how many bytes had been read.
// Chunks panics unless size > 0. See the package comment for the rest.
func Chunks(open Opener, size int, opts ...ChunksOption) flux.Flux[[]byte] {
	const op = "bytestream.chunks"
	argument.Positive(op, "size", size)
	c := newConfig()
	for _, o := range argument.Options(op, opts) {
		o.applyChunks(&c)
	}
	settings, in := c.settings(op, open)
	return flux.From(blocking.New(settings, func() blocking.Source[[]byte] {
		return &chunks{input: in(), size: size, full: c.full, reuse: c.reuse}
	}))
}

type chunks struct {
	input
	size  int
	full  bool
	reuse bool
	buf   []byte // to read into; nil if the last one was given away
	end   error  // what the reader ended with, with the last bytes
}

// InStep makes the chunks share their memory.
func (c *chunks) InStep() { c.reuse = true }

// Apart gives each chunk memory of its own.
func (c *chunks) Apart() { c.reuse = false }

// Emit implements blocking.Source.
func (c *chunks) Emit(out blocking.Out[[]byte]) error {
	defer out.End()
	buf := c.buf // on the stack: a store into c would be a write barrier for each chunk
	for c.end == nil {
		if buf == nil {
			buf = make([]byte, c.size)
		}
		n := 0
		for more := true; more; more = c.full && n < c.size && c.end == nil {
			var k int
			k, c.end = c.fill(buf[n:])
			n += k
		}
		if n == 0 || c.full && n < c.size && c.end != io.EOF {
			break
		}
		chunk := buf[:n:n]
		switch {
		case c.reuse:
		case n < c.size/2: // what would waste more than half of the buffer is copied
			chunk = append(make([]byte, 0, n), chunk...)
		default:
			buf = nil
		}
		if out.Cancelled() {
			return out.Refuse(chunk)
		}
		out.Send(chunk)
		if !out.More() {
			c.buf = buf
			return nil
		}
	}
	return c.failed("", 0, c.end)
}
