//go:build race

package benchmarks

// raced says that the race detector is on.
const raced = true
