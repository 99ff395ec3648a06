// Package bytestream turns readers into streams, and streams into what writers and
// readers take: lines, chunks, records, CSV and JSON lines, read on demand.
//
//	bytestream.Lines(bytestream.File("access.log")).
//		Filter(func(line string) bool { return strings.Contains(line, " 500 ") }).
//		Take(10)
//
// # What they have in common
//
// The function that opens the reader runs once per subscription, when it begins, so
// that a stream can be subscribed again; [File] and [From] make such functions.
//
// Demand: something is read only while there is demand, a buffer of 16 KiB at a
// time, which is all that is read ahead. The end is noticed when one more element
// is requested than there are.
//
// Errors: the first one ends the stream. What opening fails with arrives as it is; any other is a *reactor.OpError that names the
// function of this package and where it was: line or record, counted from 1, and
// byte, counted from 0. It matches [ErrRead], [ErrTooLong] or [ErrMalformed]. What
// Close returns takes the place of completion or is joined with the error; after a
// cancellation it is reported as dropped.
//
// Cancellation: closes the reader at once, also while a Read of it is under way,
// which is what frees a Read of a file that is a pipe or device, a pipe, or a socket. A
// reader that can't be closed during a Read needs [CloseAfterRead]. Where closing
// does not free the Read, such as on a terminal, the goroutine ends with it, and is
// counted in [AbandonedReads] until then.
//
// Goroutine: reading and decoding run on one worker of
// schedulers.BoundedElastic() or of the scheduler given with [On], and elements are
// emitted there. Opening runs on that of [On], too, and on a goroutine of its own without: what
// it waits for may need a lane. A stream that waits for data keeps a lane of the scheduler busy;
// for more of them than it has lanes use a scheduler of their own, such as
// schedulers.NewPerTaskBoundedElastic.
//
// Elements belong to who receives them, unless [Reuse] is given.
package bytestream
