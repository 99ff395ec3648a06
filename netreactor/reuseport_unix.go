//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package netreactor

import "syscall"

// setReusePort lets several sockets listen on one address. It is nil where that is not
// possible.
var setReusePort = func(_, _ string, conn syscall.RawConn) error {
	var failed error
	if err := conn.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, soReusePort, 1)
	}); err != nil {
		return err
	}
	return failed
}
