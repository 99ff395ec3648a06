//go:build linux && !mips && !mipsle && !mips64 && !mips64le

package netreactor

// soReusePort is SO_REUSEPORT, which package syscall does not know on all processors.
const soReusePort = 15
