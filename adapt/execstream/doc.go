// Package execstream turns what a process writes into a stream of lines, and a stream
// into what the process reads.
//
//	execstream.Output(execstream.Command("git", "log", "--oneline")).Take(10)
//
// A cancellation of the stream ends only the process itself, not the processes that it
// has started: groups of processes are not portable. If you need one, set it up in the
// function that makes the command (SysProcAttr, Cancel). A process whose children keep
// its output open is read until they close it.
package execstream
