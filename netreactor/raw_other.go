//go:build !unix

package netreactor

import "net"

// rawConn is none on systems where sockets can't be read without waiting by way of package
// syscall: there, connections read into a small buffer and others write for them.
type rawConn struct{}

func (*rawConn) init(net.Conn) {}

func (*rawConn) ok() bool { return false }

func (*rawConn) await([]byte, int) ([]byte, int, error) { panic("netreactor: no raw connection") }

func (*rawConn) try([]byte) (int, bool, error) { panic("netreactor: no raw connection") }

// losing can't be told on this system.
func losing(uintptr) bool { return false }
