//go:build unix

package netreactor

import (
	"io"
	"net"
	"syscall"
)

// rawConn reads and writes without waiting, on sockets that package net waits for. The zero
// value is none.
type rawConn struct {
	conn            syscall.RawConn
	onRead, onWrite func(fd uintptr) bool // made once

	// Who reads, one at a time.
	space, chunk []byte // where to read to: into space, or into a chunk of this size
	size         int
	got          int
	readErr      error

	// Who writes, one at a time.
	out      []byte
	put      int
	writeErr error
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
		r.onRead, r.onWrite = r.read, r.write
	}
}

func (r *rawConn) ok() bool { return r.conn != nil }

// await waits until there is something to read and reads it: into space or, if that is nil,
// into a chunk of size bytes, which is the caller's then. At the end of the stream it returns
// io.EOF.
func (r *rawConn) await(space []byte, size int) (chunk []byte, n int, err error) {
	r.space, r.size = space, size
	err = r.conn.Read(r.onRead)
	chunk, n = r.chunk, r.got
	r.space, r.chunk = nil, nil
	switch {
	case err != nil:
		return chunk, 0, err
	case r.readErr != nil:
		return chunk, 0, r.readErr
	case n == 0:
		return chunk, 0, io.EOF
	}
	return chunk, n, nil
}

// read is called when there may be something to read. It borrows a chunk only if there is.
func (r *rawConn) read(fd uintptr) bool {
	to := r.space
	if to == nil {
		if r.chunk == nil {
			r.chunk = takeBuffer(r.size)
		}
		to = r.chunk[:cap(r.chunk)]
	}
	for {
		r.got, r.readErr = syscall.Read(int(fd), to)
		switch r.readErr {
		case syscall.EINTR:
		case syscall.EAGAIN:
			if r.chunk != nil {
				giveBuffer(r.chunk)
				r.chunk = nil
			}
			return false
		default:
			return true
		}
	}
}

// try writes what it can, and reports whether it would have to wait for the rest.
func (r *rawConn) try(b []byte) (n int, again bool, err error) {
	r.out = b
	err = r.conn.Write(r.onWrite)
	r.out = nil
	n = max(r.put, 0)
	switch {
	case err != nil:
		return 0, false, err
	case r.writeErr == syscall.EAGAIN:
		return 0, true, nil
	case r.writeErr != nil:
		return 0, false, r.writeErr
	}
	return n, n < len(b), nil
}

func (r *rawConn) write(fd uintptr) bool {
	for {
		r.put, r.writeErr = syscall.Write(int(fd), r.out)
		if r.writeErr != syscall.EINTR {
			return true
		}
	}
}
