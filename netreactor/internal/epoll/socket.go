//go:build linux && (amd64 || arm64)

package epoll

import (
	"encoding/binary"
	"net/netip"
	"syscall"
	"time"
	"unsafe"
)

// Read reads what is there. n is 0 at the end of the stream. The error is syscall.EAGAIN if
// there is nothing. The call never waits, so Go's scheduler is not told of it.
//
// It is recv and not read: for a socket that is the shorter way through the kernel, by 0.1 µs
// each way.
func Read(fd int, p []byte) (n int, err error) {
	return call(syscall.SYS_RECVFROM, fd, unsafe.Pointer(unsafe.SliceData(p)), len(p), 0)
}

// Write writes what there is room for. The error is syscall.EAGAIN if there is none.
func Write(fd int, p []byte) (n int, err error) {
	return call(syscall.SYS_SENDTO, fd, unsafe.Pointer(unsafe.SliceData(p)), len(p), syscall.MSG_NOSIGNAL)
}

// pieces is how many slices Writev takes at a time.
const pieces = 16

// Writev is Write for several slices, the first one from off on. It looks at 16 of them.
func Writev(fd int, list [][]byte, off int) (n int, err error) {
	var vec [pieces]syscall.Iovec
	count := min(len(list), pieces)
	for i, b := range list[:count] {
		if i == 0 {
			b = b[off:]
		}
		vec[i].Base = unsafe.SliceData(b)
		vec[i].SetLen(len(b))
	}
	return call(syscall.SYS_WRITEV, fd, unsafe.Pointer(&vec), count, 0)
}

// call makes a call of the kernel. Those that have no flags are not looking at them.
func call(number uintptr, fd int, p unsafe.Pointer, n int, flags uintptr) (int, error) {
	for {
		r, _, errno := syscall.RawSyscall6(number, uintptr(fd), uintptr(p), uintptr(n), flags, 0, 0)
		switch errno {
		case 0:
			return int(r), nil
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}

// Accept accepts a connection, which does not block. The address is not valid for unix
// sockets. The error is syscall.EAGAIN if there is none.
func Accept(fd int) (conn int, remote netip.AddrPort, err error) {
	var from syscall.RawSockaddrAny
	for {
		size := uint32(unsafe.Sizeof(from))
		fd, _, errno := syscall.RawSyscall6(syscall.SYS_ACCEPT4, uintptr(fd), uintptr(unsafe.Pointer(&from)),
			uintptr(unsafe.Pointer(&size)), syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0, 0)
		switch errno {
		case 0:
			return int(fd), peer(&from), nil
		case syscall.EINTR:
		default:
			return -1, netip.AddrPort{}, errno
		}
	}
}

// peer reads the address that the kernel has written, without the allocations of package syscall.
func peer(from *syscall.RawSockaddrAny) netip.AddrPort {
	switch from.Addr.Family {
	case syscall.AF_INET:
		at := (*syscall.RawSockaddrInet4)(unsafe.Pointer(from))
		return netip.AddrPortFrom(netip.AddrFrom4(at.Addr), port(&at.Port))
	case syscall.AF_INET6:
		at := (*syscall.RawSockaddrInet6)(unsafe.Pointer(from))
		return netip.AddrPortFrom(netip.AddrFrom16(at.Addr).Unmap(), port(&at.Port))
	}
	return netip.AddrPort{}
}

// port reads a number that is in the order of the network.
func port(at *uint16) uint16 { return binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(at))[:]) }

// Local returns the address on this side, which is not valid for unix sockets.
func Local(fd int) netip.AddrPort {
	at, err := syscall.Getsockname(fd)
	if err != nil {
		return netip.AddrPort{}
	}
	return address(at)
}

func address(at syscall.Sockaddr) netip.AddrPort {
	switch at := at.(type) {
	case *syscall.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(at.Addr), uint16(at.Port))
	case *syscall.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(at.Addr).Unmap(), uint16(at.Port))
	}
	return netip.AddrPort{}
}

// Options are what Tune sets.
type Options struct {
	TCP           bool
	NoDelay       bool
	KeepAlive     time.Duration // 0 for none
	Receive, Send int           // sizes of the kernel's buffers, 0 for what the system likes
}

// Tune sets options. What can't be set is left as it is.
func Tune(fd int, o Options) {
	if o.TCP {
		if o.NoDelay {
			syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
		}
		if o.KeepAlive > 0 {
			seconds := int((o.KeepAlive + time.Second - 1) / time.Second)
			syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1)
			syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE, seconds)
			syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL, seconds)
			syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT, 9)
		}
	}
	if o.Receive > 0 {
		syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_RCVBUF, o.Receive)
	}
	if o.Send > 0 {
		syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_SNDBUF, o.Send)
	}
}

// Broken returns what has happened to a socket, a reset for example, if there is nothing left to read.
func Broken(fd int) error {
	var one [1]byte
	n, err := call(syscall.SYS_RECVFROM, fd, unsafe.Pointer(&one), len(one), syscall.MSG_PEEK)
	if n > 0 || err != nil {
		if err == syscall.EAGAIN {
			err = nil
		}
		return err
	}
	// After the end of the stream that is all that is read.
	if errno, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_ERROR); err == nil && errno != 0 {
		return syscall.Errno(errno)
	}
	return nil
}

// Close closes a socket. What was written goes on being sent; with hard it is dropped, and
// the peer gets a reset.
func Close(fd int, hard bool) {
	if hard {
		syscall.SetsockoptLinger(fd, syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1})
	}
	syscall.Close(fd)
}

// Finish tells the peer that nothing more comes.
func Finish(fd int) { syscall.Shutdown(fd, syscall.SHUT_WR) }
