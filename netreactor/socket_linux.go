package netreactor

import (
	"encoding/binary"
	"syscall"
	"unsafe"
)

// unacked returns how much of what was written to a socket its peer has not acknowledged, and whether the kernel tells. With unix
// sockets it is what the peer has not read, as the kernel counts it.
func unacked(fd uintptr) (n int, ok bool) {
	var left int32
	_, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, fd, syscall.TIOCOUTQ, uintptr(unsafe.Pointer(&left))) // by the name of SIOCOUTQ
	return int(left), errno == 0
}

// stateClosed is TCP_CLOSE, which package syscall does not have.
const stateClosed = 7

// isDead reports whether a TCP socket is over that nobody has closed, on either side: the peer has reset it then, or could not be reached
// any more. The kernel tells that once, to a goroutine that reads or to one that writes, and tells the other one of an end.
func isDead(fd uintptr) bool {
	info, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_INFO) // the first four bytes of it
	var b [4]byte
	binary.NativeEndian.PutUint32(b[:], uint32(info))
	return err == nil && b[0] == stateClosed
}
