//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package netreactor

import "syscall"

// setReusePort is nil: it is not possible here.
var setReusePort func(network, address string, conn syscall.RawConn) error
