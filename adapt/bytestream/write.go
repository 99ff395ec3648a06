package bytestream

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/mono"
)

// WriteOpener opens the writer to which [Write] writes. It is called as an [Opener] is.
type WriteOpener = func(ctx context.Context) (io.WriteCloser, error)

// NewFile returns the WriteOpener of a file, by its name: the file is created, or
// emptied if it exists.
func NewFile(name string) WriteOpener {
	return func(context.Context) (io.WriteCloser, error) { return os.Create(name) }
}

// To returns the WriteOpener of a writer that is open already. If w is an io.Closer,
// the first subscription closes it: also os.Stdout, unless you pass struct{ io.Writer
// }{os.Stdout}, which is not an io.Closer. To panics if w is nil.
func To(w io.Writer) WriteOpener {
	argument.NotNil("bytestream.to", "writer", w)
	return func(context.Context) (io.WriteCloser, error) {
		if wc, ok := w.(io.WriteCloser); ok {
			return wc, nil
		}
		return nopCloser{w}, nil
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// Write writes the chunks of src, one after the other, and emits the number of bytes when
// everything is written and the writer is closed.
//
//	src:  ab - cd |
//	      Write(src, NewFile("copy"))
//	out:  -------- 4 |
//
// It requests one chunk ahead of the one that is being written, see [Prefetch]: a writer that
// blocks holds src up. Where src is a stream of [Chunks], with no stage in between and no options
// that say otherwise, reading and writing take turns on one worker, as in io.Copy; with Prefetch
// they overlap. A failure of src, of the writer ([ErrWrite], which says how far it came) or of its
// Close ([ErrClose]) is the error of the stream; what has been written stays. Cancelling cancels
// src and closes the writer, which frees a Write that blocks where closing does that. Opening,
// writing and closing run on one worker, see [On]; src is subscribed to on that worker. While
// there is nothing to write, the lane of the worker is free for others, such as src.
func Write(src reactor.Publisher[[]byte], open WriteOpener, opts ...WriteOption) mono.Mono[int64] {
	const op = "bytestream.write"
	src = protocol.Trust(op, src)
	argument.NotNil(op, "function that opens", open)
	c := newConfig()
	for _, o := range argument.Options(op, opts) {
		o.applyWrite(&c)
	}
	argument.Positive(op, "prefetch", c.prefetch)
	settings := blocking.Settings{Op: op, On: c.on}
	return mono.From(blocking.New(settings, func() blocking.Source[int64] {
		return &output{op: op, open: open, subscribe: func(ctx context.Context, wake func()) *blocking.Feed[[]byte] {
			if c.ahead || c.on != nil {
				return blocking.NewWokenFeed(ctx, op, src, c.prefetch, wake)
			}
			return blocking.NewFeedInStep(ctx, op, src, wake)
		}}
	}))
}

// output is a writer on its way from Open to Close.
type output struct {
	op        string
	subscribe func(context.Context, func()) *blocking.Feed[[]byte]
	open      WriteOpener
	wake      func() // has Emit called again; any goroutine may call it
	ctx       context.Context
	feed      *blocking.Feed[[]byte] // nil before the first Emit
	writer    io.WriteCloser
	written   int64

	closing  sync.Once
	closeErr error // written once, by who closes
}

// WakeBy implements blocking.Waker.
func (o *output) WakeBy(wake func()) { o.wake = wake }

// Open implements blocking.Source.
func (o *output) Open(ctx context.Context) (err error) {
	o.ctx = ctx
	o.writer, err = o.open(ctx)
	if err == nil && o.writer == nil {
		err = reactor.Failure(o.op, reactor.ErrIllegalState, "the function that opens returned no writer and no error")
	}
	return err
}

// Interrupt implements blocking.Source.
func (o *output) Interrupt() { o.close() }

// Close implements blocking.Source.
func (o *output) Close() error {
	func() {
		defer o.close() // also if a function that hears of the end of the feed ends the goroutine
		if o.feed != nil {
			o.feed.Close()
		}
	}()
	if o.closeErr == nil {
		return nil
	}
	return reactor.Failure(o.op, ErrClose, "after %d bytes", o.written).CausedBy(o.closeErr)
}

func (o *output) close() {
	o.closing.Do(func() {
		failure.Guard(func() { o.closeErr = o.writer.Close() }, func(err error) { o.closeErr = err })
	})
}

// Emit implements blocking.Source.
func (o *output) Emit(out blocking.Out[int64]) error {
	if err := o.writeAll(); err != nil {
		return err
	}
	out.Last(o.written)
	return nil
}

// writeAll takes what the source has, and returns nil at the end. The feed ends with the context of Open.
func (o *output) writeAll() error {
	if o.feed == nil {
		o.feed = o.subscribe(o.ctx, o.wake)
	}
	for {
		chunk, ok, err := o.feed.Take()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case !ok:
			return blocking.ErrWaits // the source may need the lane
		}
		if err := o.write(chunk); err != nil {
			return reactor.Failure(o.op, ErrWrite, "%s", place("", 0, o.written)).CausedBy(err)
		}
	}
}

func (o *output) write(chunk []byte) error {
	n, err := o.writer.Write(chunk)
	switch {
	case n < 0 || n > len(chunk):
		return fmt.Errorf("%T wrote %d of %d bytes", o.writer, n, len(chunk))
	case n < len(chunk) && err == nil:
		err = io.ErrShortWrite
	}
	o.written += int64(n)
	return err
}
