//go:build !linux

package netreactor

// unacked can't be told on this system.
func unacked(uintptr) (n int, ok bool) { return 0, false }

// isDead can't be told either.
func isDead(uintptr) bool { return false }
