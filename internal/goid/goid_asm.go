//go:build gc && (amd64 || arm64)

package goid

// current returns the address of the runtime's descriptor of the calling
// goroutine. The address is compared, never followed.
//
//go:noescape
func current() uintptr
