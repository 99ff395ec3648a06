//go:build linux && (mips || mipsle || mips64 || mips64le)

package netreactor

import "syscall"

// soReusePort is SO_REUSEPORT, which has another number on these processors.
const soReusePort = syscall.SO_REUSEPORT
