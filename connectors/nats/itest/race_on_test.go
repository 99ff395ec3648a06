//go:build race

package itest_test

// raceEnabled reports whether the race detector makes everything slower.
const raceEnabled = true
