//go:build linux && (mips || mipsle || mips64 || mips64le)

package netreactor

import "syscall"

const soReusePort = syscall.SO_REUSEPORT // has a number of its own on these processors
