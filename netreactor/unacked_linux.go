package netreactor

import (
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
