package netreactor

import (
	"net"
	"sync"

	"github.com/goreactor/reactor/internal/chaos"
)

// output is what a connection has to write. Only the owner of the connection, in a full or a light pass, touches it: it appends,
// writes, and counts what was written. Most connections have nothing to write most of the time:
// the chunks come from a pool and go back there.
type output struct {
	*chunks       // nil if there is nothing to write
	size    int   // how many bytes are not written
	whole   int32 // how long the chunk was that was written last, chunkSize at most
	blocked bool  // write has to wait: for room, or for the goroutine that the first bytes are lent to
	over    bool  // the peer was told that nothing more comes, after CloseWrite
}

// chunks are the buffers of an output.
type chunks struct {
	list [][]byte  // the last one is appended to
	off  int       // how many bytes of the first one are written
	lent int       // so many of the first ones are being written by another goroutine, and not touched here
	some [4][]byte // the array that list has at first

	// loan says that the chunks are those of the runner, within a full pass: at its end they go back to the runner, if all is
	// written.
	loan bool
}

var poolChunks = sync.Pool{New: func() any { return new(chunks) }}

const (
	// chunkSize is how long a chunk gets before another one is begun.
	chunkSize = 64 << 10
	// firstChunk is the room of a chunk that is begun.
	firstChunk = 16 << 10
)

// open returns the last chunk, to append to, and whether it has room for about n bytes. It is inlined: most messages are small, and many
// are written at once. Where there is no room, the caller calls another.
func (o *output) open(n int) ([]byte, bool) {
	if o.chunks == nil || len(o.list) <= o.lent {
		return nil, false
	}
	b := o.list[len(o.list)-1]
	return b, len(b) < chunkSize && cap(b)-len(b) >= n
}

// another returns a chunk with room for n bytes, to append to: the last one, which it makes larger, or a new one.
//
// A new chunk has as much room as the one before was long: if append had to make room, the result would be of
// a size that no pool has.
func (o *output) another(n int) []byte {
	o.begin()
	if at := len(o.list); at > o.lent && len(o.list[at-1]) < chunkSize && n < firstChunk {
		last := &o.list[at-1]
		*last = grown(*last, n)
		return *last
	}
	o.dropEmpty()
	b := takeBuffer(max(n, min(max(firstChunk, int(o.whole)), chunkSize)))
	o.list = append(o.list, b)
	return b
}

// begin prepares to append.
func (o *output) begin() {
	if o.chunks == nil {
		o.chunks = poolChunks.Get().(*chunks)
		o.list = o.some[:0]
	}
}

// end gives the chunks back to their pool. The caller has given back what was in list.
func (o *output) end() {
	c := o.chunks
	o.chunks = nil
	clear(c.some[:])
	c.list, c.off, c.lent, c.loan = nil, 0, 0, false
	poolChunks.Put(c)
}

// borrow begins a full pass: an output that has nothing to write writes into the chunk of the
// runner, so that an answer that is written at once needs nothing from a pool.
func (o *output) borrow(r *runner) {
	if o.chunks != nil || r == nil {
		return
	}
	if r.spare == nil {
		r.spare = poolChunks.Get().(*chunks)
		r.spare.list = append(r.spare.some[:0], takeBuffer(firstChunk))
	}
	o.chunks, r.spare = r.spare, nil
	o.loan = true
}

// giveBack ends a full pass: the chunk goes back to the runner if all of it is written. If not, it belongs to the
// output from now on.
func (o *output) giveBack(r *runner) {
	if o.chunks == nil || !o.loan {
		return
	}
	o.loan = false
	switch {
	case o.size > 0:
	case r != nil && r.spare == nil && len(o.list) > 0:
		o.chunks, r.spare = nil, o.chunks
	default:
		o.end()
	}
}

// dropEmpty gives the last chunk back if nothing is in it.
func (o *output) dropEmpty() {
	if n := len(o.list); n > o.lent && len(o.list[n-1]) == 0 {
		giveBuffer(o.list[n-1])
		o.list[n-1] = nil
		o.list = o.list[:n-1]
	}
}

// tail returns where the chunk is that open or another has returned. Whoever has appended to that writes the result there, and adds to
// size.
func (o *output) tail() *[]byte { return &o.list[len(o.list)-1] }

// replace puts b in the place of the chunk at tail: the codec has made b because the chunk had no room, or in a buffer of its own.
func replace(tail *[]byte, b []byte) {
	giveBuffer(*tail)
	*tail = b
}

// add appends what is in b, which belongs to the output from now on.
func (o *output) add(b []byte) {
	o.begin()
	if n := len(o.list); n > o.lent {
		if last := o.list[n-1]; cap(last)-len(last) >= len(b) && len(last) < chunkSize {
			o.list[n-1] = append(last, b...)
			o.size += len(b)
			giveBuffer(b)
			return
		}
	}
	o.dropEmpty()
	o.list = append(o.list, b)
	o.size += len(b)
}

// first returns the bytes of the first chunk that are not written. There are some.
func (o *output) first() []byte { return o.list[0][o.off:] }

// pieces returns the first bytes, at most limit, for the goroutine that they are lent to.
func (o *output) pieces(limit int) net.Buffers {
	list := make(net.Buffers, 0, len(o.list))
	skip := o.off
	for _, b := range o.list {
		b = b[skip:]
		skip = 0
		list = append(list, b[:min(len(b), limit)])
		if limit -= len(b); limit <= 0 {
			break
		}
	}
	return list
}

// wrote counts n bytes as written and gives their buffers back.
func (o *output) wrote(n int) {
	o.size -= n
	if n += o.off; o.loan && len(o.list) == 1 && n == len(o.list[0]) && cap(o.list[0]) == firstChunk {
		o.whole = int32(n)
		o.list[0], o.off = o.list[0][:0], 0
		return
	}
	done := 0
	for done < len(o.list) && n >= len(o.list[done]) {
		n -= len(o.list[done])
		o.whole = int32(min(len(o.list[done]), chunkSize))
		giveBuffer(o.list[done])
		o.list[done] = nil
		done++
	}
	o.off = n
	if done == len(o.list) {
		o.end()
	} else if done > 0 {
		o.list = append(o.list[:0], o.list[done:]...)
	}
}

// drop gives all chunks back, written or not, but for those that are lent: they are left to the garbage
// collector.
func (o *output) drop() {
	if o.chunks == nil {
		return
	}
	for _, b := range o.list[o.lent:] {
		giveBuffer(b)
	}
	o.size = 0
	o.end()
}

// send puts b, which was encoded outside of full passes, into the inbox, counts it as an answer and has it written. It counts
// before it enters, for the pass that writes b may end the connection because nothing is unanswered. It
// reports false if nothing more is sent. Any goroutine; b belongs to send.
func (c *connection) send(b []byte) bool {
	n := int64(len(b))
	c.mu.Lock()
	if c.sealed || c.mute.Load() {
		c.mu.Unlock()
		giveBuffer(b)
		return false
	}
	if n > 0 && c.inbox == nil {
		c.inbox = newParcel(b)
		b = nil
	} else if n > 0 {
		c.inbox.bytes = append(grown(c.inbox.bytes, len(b)), b...)
	}
	c.inboxSize.Add(n)
	c.answered.Add(1)
	c.mu.Unlock()
	if b != nil {
		giveBuffer(b)
	}
	c.enter(workSend)
	c.giveBack()
	return true
}

// seal has send refuse from now on, since the connection ends for why, and reports true; or it does nothing and reports false, if
// something is in the inbox: what send has accepted is written before the connection ends. Owner of a full pass.
func (c *connection) seal(why *CloseError) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inbox != nil {
		return false
	}
	c.sealed = true
	c.abort.CompareAndSwap(nil, why) // for those who look now
	return true
}

// hush tells the peer that this was all, when all is written that was sent before CloseWrite. Owner of a full pass.
func (c *connection) hush() {
	if c.mute.Load() {
		c.hushed()
	}
}

// hushed is hush where CloseWrite was called.
func (c *connection) hushed() {
	// mute was set under mu, so whatever send has accepted is in the inbox, or was collected.
	if !c.out.over && c.out.size == 0 && c.inboxSize.Load() == 0 {
		c.out.over = true
		c.tr.finish()
	}
}

// collect moves what is in the inbox to the output. Owner of any pass.
func (c *connection) collect() {
	if c.inboxSize.Load() > 0 {
		c.collected()
	}
}

// collected is collect where there is something.
func (c *connection) collected() {
	if b := c.emptyInbox(); b != nil {
		c.out.add(b)
	}
}

// clearInbox drops what is in the inbox. Owner of any pass.
func (c *connection) clearInbox() {
	if b := c.emptyInbox(); b != nil {
		giveBuffer(b)
	}
}

// emptyInbox returns what was in the inbox, or nil.
func (c *connection) emptyInbox() []byte {
	c.mu.Lock()
	p := c.inbox
	c.inbox = nil
	c.inboxSize.Store(0)
	c.mu.Unlock()
	if p == nil {
		return nil
	}
	return p.open()
}

// waiting returns how many bytes wait to be written.
func (c *connection) waiting() int64 { return c.unsent.Load() + c.inboxSize.Load() }

// hasRoom reports whether the outbound may be asked for more: less than the high-water mark
// waits to be written, or, after that was reached, less than the low one.
func (c *connection) hasRoom() bool {
	mark := int64(c.eng.set.high)
	if c.held.Load() {
		mark = int64(c.eng.set.low)
	}
	if c.backlog() < mark {
		c.held.Store(false)
		return true
	}
	chaos.Yield()
	c.held.Store(true)
	chaos.Yield()
	// The owner may have written just before, and not have seen that held is set.
	if c.backlog() < int64(c.eng.set.low) {
		c.held.Store(false)
		return true
	}
	return false
}

// backlog is waiting or, if the caller is within a full pass, that with what the pass has added and written so far.
func (c *connection) backlog() int64 {
	if c.mine() {
		return int64(c.out.size) + c.inboxSize.Load()
	}
	return c.waiting()
}

// flush writes what it can without waiting. Owner of any pass.
func (c *connection) flush() {
	if c.out.size > 0 && !c.out.blocked {
		before := c.out.size
		blocked, err := c.tr.write(&c.out)
		c.written(before, blocked, err)
	} else {
		set(&c.unsent, int64(c.out.size))
	}
}

// resume goes on with a write that was blocked, if work says so. Owner of any pass.
func (c *connection) resume(work uint64) {
	if work&workWrite != 0 && c.out.blocked {
		c.resumed()
	}
}

// resumed is resume where there is something to go on with.
func (c *connection) resumed() {
	before := c.out.size
	blocked, err := c.tr.resume(&c.out)
	c.written(before, blocked, err)
}

// written notes what became of a write; before it, before bytes waited. Owner of any pass.
func (c *connection) written(before int, blocked bool, err error) {
	c.bytesOut.Add(uint64(before - c.out.size))
	c.out.blocked = blocked
	if err != nil {
		c.unwritable(err)
	}
	set(&c.unsent, int64(c.out.size))
	c.watch.wrote(c, before > c.out.size)
}

// unwritable ends the connection, because a write has failed. Owner of any pass.
func (c *connection) unwritable(err error) {
	if cut := c.eng.cuts(); cut != nil && isTimeout(err) {
		c.out.blocked = true
		c.abort.CompareAndSwap(nil, cut) // the write was interrupted: what is left stays in out, for the report
		return
	}
	c.fail(classify(err, ReasonWriteFailed), err)
	c.out.drop()
}
