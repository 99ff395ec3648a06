//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package netreactor

import "syscall"

const soReusePort = syscall.SO_REUSEPORT
