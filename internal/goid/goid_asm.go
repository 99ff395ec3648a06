//go:build gc && (386 || amd64 || arm || arm64 || loong64 || mips || mipsle || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x)

package goid

// current returns the address of the runtime's descriptor of the calling
// goroutine. The address is compared, never followed.
//
//go:noescape
func current() uintptr
