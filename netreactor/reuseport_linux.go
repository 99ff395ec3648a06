package netreactor

// soReusePort is SO_REUSEPORT, which package syscall does not know on all processors.
const soReusePort = 15
