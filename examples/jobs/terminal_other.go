//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package main

import "os"

// terminalSize returns a usual size if f may be a terminal: the standard library does not
// tell more here.
func terminalSize(f *os.File) (columns, rows int, ok bool) {
	info, err := f.Stat()
	return 80, 24, err == nil && info.Mode()&os.ModeCharDevice != 0
}
