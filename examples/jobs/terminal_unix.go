//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"os"
	"syscall"
	"unsafe"
)

// terminalSize returns the size of the window of f, or false if f is no terminal.
func terminalSize(f *os.File) (columns, rows int, ok bool) {
	var window struct{ rows, columns, x, y uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&window)))
	if errno != 0 {
		return 0, 0, false
	}
	if window.columns == 0 || window.rows == 0 {
		return 80, 24, true // a terminal that does not know
	}
	return int(window.columns), int(window.rows), true
}
