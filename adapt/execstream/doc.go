// Package execstream turns what a process writes into a stream of lines, and a
// stream into what it reads.
//
//	execstream.Output(execstream.Command("git", "log", "--oneline")).Take(10)
//
// Only the process itself is ended when its stream is cancelled, not the processes
// that it has started: groups of processes are not portable. Who needs one sets it up
// in the function that makes the command (SysProcAttr, Cancel). A process whose
// children keep its output open is read until they close it.
package execstream
