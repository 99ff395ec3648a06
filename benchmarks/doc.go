// Package benchmarks measures this library beside what a Go programmer would
// write instead, on the same work in the same run. It is a module of its own, so
// that what is compared with never enters the library's go.mod.
//
// The workloads and the targets stand in rows_*.go; each competitor has a file:
// hand.go (the best loop written for that one job, which is the limit), iterseq.go
// (chains of iter.Seq), channel.go (goroutines and channels), ro.go, rxgo.go and
// reactorgo.go (other libraries, where they have the operators), pools.go and latency.go
// (pools of goroutines), idle.go (memory), library*.go; jvm has Project Reactor. The
// command cmd/compare prints medians, ratios and what became of the targets, cmd/grow what
// one thing costs as the number of others grows.
//
// Figures rank, they don't transfer from one machine to another. What is claimed
// is a ratio within one run.
package benchmarks
