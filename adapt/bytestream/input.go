package bytestream

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
)

// bufferSize is how many bytes are read at a time, and hence ahead. Twice as many fall out of the
// first-level cache between the read and the split; that costs a stream of lines more than it saves
// by half as many reads.
const bufferSize = 16 << 10

// maxEmptyReads is how often in a row a reader may return nothing.
const maxEmptyReads = 100

// abandoned counts the Reads that outlive their stream.
var abandoned atomic.Int64

// AbandonedReads returns how many cancelled streams still keep a goroutine, and a lane of its
// scheduler: in a call of Read that closing the reader has not freed, or in a subscriber that has
// not returned from an element that was read before. A number that does not go down again says that
// some reader can't be closed.
func AbandonedReads() int64 { return abandoned.Load() }

// input is a reader on its way from Open to Close.
type input struct {
	op     string // function, for errors
	open   Opener
	after  bool // close after the Read, not during
	reader io.ReadCloser
	read   int64 // bytes read so far

	over     atomic.Bool   // the stream was cancelled
	reading  atomic.Uint32 // readIdle, readBusy or readAbandoned; a stream that reads again and again is busy in between, too
	closing  sync.Once
	closeErr error // written once, by who closes
}

const (
	readIdle      = iota
	readBusy      // a Read is under way, or was
	readAbandoned // busy, and the stream was cancelled
)

// settings returns the settings of a source, and the function that makes an input for each subscription.
func (c *config) settings(op string, open Opener) (blocking.Settings, func() input) {
	argument.NotNil(op, "function that opens", open)
	return blocking.Settings{Op: op, On: c.on, OpenApart: true}, func() input { return input{op: op, open: open, after: c.closeAfterRead} }
}

// Open implements blocking.Source.
func (in *input) Open(ctx context.Context) (err error) {
	in.reader, err = in.open(ctx)
	if err == nil && in.reader == nil {
		err = reactor.Failure(in.op, reactor.ErrIllegalState, "the function that opens returned no reader and no error")
	}
	return err
}

// Interrupt implements blocking.Source.
func (in *input) Interrupt() {
	in.over.Store(true) // for what looks for an element that may never come
	if in.reading.CompareAndSwap(readBusy, readAbandoned) {
		abandoned.Add(1)
	}
	if !in.after {
		in.close()
	}
}

// Close implements blocking.Source.
func (in *input) Close() error {
	in.endRead() // of a Read that has panicked
	in.close()
	if in.closeErr == nil {
		return nil
	}
	return reactor.Failure(in.op, ErrClose, "%s", place("", 0, in.read)).CausedBy(in.closeErr)
}

func (in *input) close() {
	in.closing.Do(func() {
		failure.Guard(func() { in.closeErr = in.reader.Close() }, func(err error) { in.closeErr = err })
	})
}

// fill reads something into p, which is not empty. Either n > 0 or there is an error.
func (in *input) fill(p []byte) (n int, err error) {
	if in.reading.Load() == readIdle { // readAbandoned stays: it is counted
		in.reading.CompareAndSwap(readIdle, readBusy)
	}
	for range maxEmptyReads {
		if in.over.Load() {
			err = reactor.ErrCancelled // which nobody hears of
			break
		}
		n, err = in.reader.Read(p)
		if n > 0 || err != nil || n < 0 {
			break
		}
	}
	if in.reading.Load() == readAbandoned {
		in.endRead()
	}
	switch {
	case n < 0 || n > len(p):
		return 0, fmt.Errorf("%T returned %d bytes for a buffer of %d", in.reader, n, len(p))
	case n == 0 && err == nil:
		return 0, io.ErrNoProgress
	}
	in.read += int64(n)
	return n, err
}

// endRead takes back the mark that a Read is under way, if there is one.
func (in *input) endRead() {
	if !in.reading.CompareAndSwap(readBusy, readIdle) && in.reading.CompareAndSwap(readAbandoned, readIdle) {
		abandoned.Add(-1)
	}
}

// Read implements io.Reader, for decoders that have a buffer of their own.
func (in *input) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	return in.fill(p)
}

// failed is the error of the reader, err, where the stream is; nil and io.EOF are
// left alone.
func (in *input) failed(what string, number int64, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return reactor.Failure(in.op, ErrRead, "%s", place(what, number, in.read)).CausedBy(err)
}
