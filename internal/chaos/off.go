//go:build !chaos

package chaos

// Enabled reports whether Yield does anything.
const Enabled = false

// Yield does nothing in this build and costs nothing.
func Yield() {}

// Restart does nothing in this build.
func Restart(uint64) {}

// Rest does nothing in this build.
func Rest() {}
