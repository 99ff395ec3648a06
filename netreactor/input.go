package netreactor

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// space returns where to read to: behind what is there of an incomplete message, or nil if
// nothing is there. The caller may make full passes; somebody else may make a light one meanwhile.
func (c *connection) space() []byte {
	n := len(c.in.data)
	if n == 0 {
		return nil
	}
	// As much as the message needs, but never more than twice of what has come.
	left := c.in.need - n // or less than 1, if nobody knows
	want := min(max(left, minRead), max(n, minRead), c.eng.set.ReadChunk)
	if n >= mostPooled && left > 0 {
		want = min(want, left) // to move so much for a few bytes of the next message is not worth it
	}
	if !c.in.kept || cap(c.in.data)-n < want {
		room := n + want
		if room > mostPooled {
			// Such a buffer is as long as is asked for, no longer: with room for one more read it would be copied at each. It
			// doubles, so that the bytes of a message are copied twice or so however long it is, but not beyond its end.
			room = max(room, 2*n)
			if left > 0 {
				room = min(room, n+max(left, want))
			}
		}
		c.move(room)
	}
	// One read brings no more than a chunk that nobody has asked for, and goes on with the message no longer than others can wait.
	most := max(c.eng.set.ReadChunk, min(left, mostPooled))
	return c.in.data[n:min(n+most, cap(c.in.data))]
}

// minRead is how much room there is to read to at least.
const minRead = 512

// move moves what is there into another buffer of the connection's own, with room for n bytes.
func (c *connection) move(n int) {
	old := c.stash
	c.stash = newParcel(takeBuffer(n))
	c.in.data = append(c.stash.bytes, c.in.data...)
	c.in.kept = true
	if old != nil {
		giveBuffer(old.open())
	}
}

// received notes that n bytes were read into what space has returned, or into chunk if that was nil. An err of io.EOF is the end.
// Owner of a full pass.
func (c *connection) received(chunk []byte, n int, err error) {
	switch {
	case c.closed:
		c.gone = n <= 0 && err != nil
	case n > 0:
		c.bytesIn.Add(uint64(n))
		c.watch.touch(c)
		if len(c.in.data) == 0 {
			c.in.data, c.in.kept = chunk[:n], false
		} else {
			c.in.data = c.in.data[:len(c.in.data)+n]
		}
	case errors.Is(err, io.EOF):
		c.in.end = true
	case err == nil: // nothing
	default:
		c.fail(classify(err, ReasonReadFailed), err)
	}
}

// keep moves what was not consumed from the chunk of the runner to a buffer of the connection's own, or gives
// that buffer back if nothing is left. Owner of a full pass.
func (c *connection) keep() {
	switch {
	case len(c.in.data) == 0:
		c.in.data, c.in.kept = nil, false
		if c.stash != nil {
			giveBuffer(c.stash.open())
			c.stash = nil
		}
	case !c.in.kept:
		c.move(len(c.in.data))
	}
}

// isTimeout reports whether err is that of a deadline. A connection of others may have an error of its own for a deadline: it has to be
// a timeout and temporary, as package crypto/tls asks for. A time-out of the kernel is none of these: it is about the peer.
func isTimeout(err error) bool {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	late, ok := errors.AsType[interface {
		error
		Timeout() bool
		Temporary() bool
	}](err)
	return ok && late.Timeout() && late.Temporary() && !errors.As(err, new(syscall.Errno))
}

// classify returns the reason for an error of the socket.
func classify(err error, otherwise Reason) Reason {
	for _, reset := range resets {
		if errors.Is(err, reset) {
			return ReasonPeerReset
		}
	}
	return otherwise
}

// resets are what reads and writes fail with when the peer has reset the connection. On Windows that is WSAECONNRESET, or
// WSAECONNABORTED, and never what package syscall calls ECONNRESET and EPIPE there; elsewhere nothing has these numbers.
var resets = [...]error{syscall.ECONNRESET, syscall.EPIPE, syscall.Errno(10054), syscall.Errno(10053)}
