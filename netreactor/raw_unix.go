//go:build unix

package netreactor

import (
	"io"
	"math"
	"net"
	"sync"
	"syscall"
)

// rawConn reads and writes without waiting, on plain sockets of package net, whose poller waits for them. The zero
// value is none: ok reports false.
type rawConn struct {
	conn   syscall.RawConn
	onRead func(fd uintptr) bool // made once

	// What follows belongs to the goroutine that calls await, one at a time.
	to       []byte // where to read to; nil until a chunk is borrowed
	size     int32  // how large a chunk to borrow
	borrowed bool   // to is a chunk that was borrowed
	got      int    // how many bytes were read or, below 0, the negative number of an error
}

// init prepares r, unless conn is not a plain stream socket.
func (r *rawConn) init(conn net.Conn) {
	switch conn := conn.(type) {
	case *net.TCPConn:
		r.conn, _ = conn.SyscallConn()
	case *net.UnixConn:
		if conn.LocalAddr().Network() == "unix" {
			r.conn, _ = conn.SyscallConn()
		}
	}
	if r.conn != nil {
		r.onRead = r.read
	}
}

func (r *rawConn) ok() bool { return r.conn != nil }

// await waits until there is something to read and reads it: into space or, if that is nil,
// into a chunk of size bytes, which is the caller's then. At the end of the stream it returns
// io.EOF.
func (r *rawConn) await(space []byte, size int) (chunk []byte, n int, err error) {
	r.to, r.size = space, int32(min(size, math.MaxInt32))
	err = r.conn.Read(r.onRead)
	if r.borrowed {
		chunk = r.to
	}
	r.to, r.borrowed = nil, false
	switch {
	case err != nil:
		return chunk, 0, err
	case r.got < 0:
		return chunk, 0, syscall.Errno(-r.got)
	case r.got == 0:
		return chunk, 0, io.EOF
	}
	return chunk, r.got, nil
}

// read is called within await when there may be something to read, and reports whether the wait is over. It keeps a chunk only if something
// was read.
func (r *rawConn) read(fd uintptr) bool {
	if r.to == nil {
		b := takeBuffer(int(r.size))
		r.to, r.borrowed = b[:cap(b)], true
	}
	for {
		n, err := syscall.Read(int(fd), r.to)
		switch err {
		case syscall.EINTR:
		case syscall.EAGAIN:
			if r.borrowed {
				giveBuffer(r.to)
				r.to, r.borrowed = nil, false
			}
			return false
		default:
			if errno, ok := err.(syscall.Errno); ok {
				n = -int(errno)
			}
			r.got = n
			return true
		}
	}
}

// rawWrite is a call of try. They come from a pool, because hardly any connection is writing.
type rawWrite struct {
	out     []byte
	n       int
	err     error
	onWrite func(fd uintptr) bool // made once
}

var poolRawWrites = sync.Pool{New: func() any {
	w := &rawWrite{}
	w.onWrite = w.write
	return w
}}

// try writes what it can, and reports whether it would have to wait for the rest.
func (r *rawConn) try(b []byte) (n int, again bool, err error) {
	w := poolRawWrites.Get().(*rawWrite)
	w.out = b
	err = r.conn.Write(w.onWrite)
	n, failed := max(w.n, 0), w.err
	w.out, w.n, w.err = nil, 0, nil
	poolRawWrites.Put(w)
	switch {
	case err != nil:
		return 0, false, err
	case failed == syscall.EAGAIN:
		return 0, true, nil
	case failed != nil:
		return 0, false, failed
	}
	return n, n < len(b), nil
}

func (w *rawWrite) write(fd uintptr) bool {
	for {
		w.n, w.err = syscall.Write(int(fd), w.out)
		if w.err != syscall.EINTR {
			return true
		}
	}
}

// losing drops what has come to a TCP socket and was not read, up to a limit, and reports whether there is more than that and the peer has
// not acknowledged all that was written.
func losing(fd uintptr) bool {
	b := takeBuffer(dropSize)
	defer giveBuffer(b)
	for range dropReads {
		if n, err := syscall.Read(int(fd), b[:cap(b)]); n <= 0 && err != syscall.EINTR {
			return false
		}
	}
	n, _ := unacked(fd)
	return n > 0
}

// How much losing drops at most, in so many reads: a peer that waits for answers now and then sends less.
const (
	dropSize  = 64 << 10
	dropReads = 16
)
