package netreactor

import (
	"net"

	"github.com/goreactor/reactor/internal/chaos"
)

// output is what a connection has to write. The owner of its connection appends to it,
// writes, and counts what was written.
type output struct {
	chunks  [][]byte // buffers; the last one is appended to
	off     int      // how much of the first chunk is written
	size    int      // how much is not
	lent    int      // so many of the first chunks are with somebody else who writes them
	whole   int32    // how long the chunk was that was written last
	blocked bool     // the socket takes nothing now, or somebody else writes
	one     [1][]byte
}

const (
	// chunkSize is how long a chunk gets before another one is begun.
	chunkSize = 64 << 10
	// firstChunk is the room of a chunk that is begun.
	firstChunk = 16 << 10
)

// tail returns the chunk to append to, with room for about n bytes. What was appended is told
// to grew.
//
// A chunk begins as large as the last one was: where append has to make room, the result is of
// no size that a pool has.
func (o *output) tail(n int) []byte {
	at := len(o.chunks)
	if at > o.lent && len(o.chunks[at-1]) < chunkSize {
		last := &o.chunks[at-1]
		if cap(*last)-len(*last) >= n {
			return *last
		}
		if n < firstChunk {
			*last = grown(*last, n)
			return *last
		}
	}
	if at == 0 {
		o.chunks = o.one[:0]
	}
	b := takeBuffer(max(n, min(max(firstChunk, int(o.whole)), chunkSize)))
	o.chunks = append(o.chunks, b)
	return b
}

// grew replaces the chunk that tail returned by what has become of it.
func (o *output) grew(b []byte) {
	last := &o.chunks[len(o.chunks)-1]
	o.size += len(b) - len(*last)
	if cap(b) != cap(*last) {
		giveBuffer(*last)
	}
	*last = b
}

// add appends a chunk, which belongs to the output from now on.
func (o *output) add(b []byte) {
	n := len(o.chunks)
	if n == 0 {
		o.chunks = o.one[:0]
	} else if last := o.chunks[n-1]; n > o.lent && cap(last)-len(last) >= len(b) && len(last) < chunkSize {
		o.chunks[n-1] = append(last, b...)
		o.size += len(b)
		giveBuffer(b)
		return
	}
	o.chunks = append(o.chunks, b)
	o.size += len(b)
}

// first returns what comes next.
func (o *output) first() []byte { return o.chunks[0][o.off:] }

// pieces returns all there is, for one call.
func (o *output) pieces() net.Buffers {
	list := make(net.Buffers, len(o.chunks))
	copy(list, o.chunks)
	list[0] = list[0][o.off:]
	return list
}

// wrote counts n bytes as written and gives their buffers back.
func (o *output) wrote(n int) {
	o.size -= n
	n += o.off
	done := 0
	for done < len(o.chunks) && n >= len(o.chunks[done]) {
		n -= len(o.chunks[done])
		o.whole = int32(min(len(o.chunks[done]), chunkSize))
		giveBuffer(o.chunks[done])
		o.chunks[done] = nil
		done++
	}
	o.off = n
	if done == len(o.chunks) {
		o.chunks = nil
	} else if done > 0 {
		o.chunks = append(o.chunks[:0], o.chunks[done:]...)
	}
}

// drop gives all back, written or not. What is with somebody else is left to the collector of
// garbage.
func (o *output) drop() {
	for _, b := range o.chunks[o.lent:] {
		giveBuffer(b)
	}
	o.chunks, o.one, o.off, o.size, o.lent = nil, [1][]byte{}, 0, 0, 0
}

// send puts what was encoded outside of a full pass into the inbox and has it written.
func (c *connection) send(b []byte) {
	c.inboxMu.Lock()
	c.inboxSize.Add(int64(len(b)))
	if c.inbox == nil {
		c.inbox = b
		b = nil
	} else {
		c.inbox = append(grown(c.inbox, len(b)), b...)
	}
	c.posted.Store(true)
	c.inboxMu.Unlock()
	if b != nil {
		giveBuffer(b)
	}
	c.enter(workSend)
}

// collect moves the inbox to the output. Any owner.
func (c *connection) collect() {
	if !c.posted.Load() {
		return
	}
	c.inboxMu.Lock()
	b := c.inbox
	c.inbox = nil
	c.inboxSize.Store(0)
	c.posted.Store(false)
	c.inboxMu.Unlock()
	if b != nil {
		c.out.add(b)
	}
}

// clearInbox drops what is in the inbox. Any owner.
func (c *connection) clearInbox() {
	c.inboxMu.Lock()
	b := c.inbox
	c.inbox = nil
	c.inboxSize.Store(0)
	c.posted.Store(false)
	c.inboxMu.Unlock()
	if b != nil {
		giveBuffer(b)
	}
}

// waiting returns how many bytes wait to be written.
func (c *connection) waiting() int64 { return c.unsent.Load() + c.inboxSize.Load() }

// hasRoom reports whether the outbound may be asked for more: less than the high-water mark
// waits to be written, or, after that was reached, less than the low one.
func (c *connection) hasRoom() bool {
	mark := int64(c.set.high)
	if c.held.Load() {
		mark = int64(c.set.low)
	}
	if c.backlog() < mark {
		c.held.Store(false)
		return true
	}
	c.held.Store(true)
	chaos.Yield()
	// The owner may have written just before, and not have seen it.
	if c.backlog() < int64(c.set.low) {
		c.held.Store(false)
		return true
	}
	return false
}

// backlog is waiting, with what the pass under way has made if the caller is within it.
func (c *connection) backlog() int64 {
	if c.mine() {
		return int64(c.out.size) + c.inboxSize.Load()
	}
	return c.waiting()
}

// flush writes what it can. Any owner.
func (c *connection) flush() {
	if c.out.size > 0 && !c.out.blocked {
		before := c.out.size
		blocked, err := c.tr.write(&c.out)
		c.written(before, blocked, err)
	} else if c.unsent.Load() != int64(c.out.size) {
		c.unsent.Store(int64(c.out.size))
	}
}

// resume goes on to write after it was blocked. Any owner.
func (c *connection) resume(work uint32) {
	if work&workWrite != 0 && c.out.blocked {
		before := c.out.size
		blocked, err := c.tr.resume(&c.out)
		c.written(before, blocked, err)
	}
}

// written notes what became of a write, before which so many bytes waited. Any owner.
func (c *connection) written(before int, blocked bool, err error) {
	c.bytesOut.Add(uint64(before - c.out.size))
	c.out.blocked = blocked
	if err != nil {
		c.fail(classify(err, ReasonWriteFailed), err)
		c.out.drop()
	}
	c.unsent.Store(int64(c.out.size))
	c.watch.wrote(c, before > c.out.size)
}
