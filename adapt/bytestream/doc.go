// Package bytestream turns readers into streams, and streams into what writers and
// readers take: lines, chunks, records, CSV and JSON lines, read on demand.
//
//	bytestream.Lines(bytestream.File("access.log")).
//		Filter(func(line string) bool { return strings.Contains(line, " 500 ") }).
//		Take(10)
//
// # What they have in common
//
// The function that opens the reader runs once per subscription, at its beginning, so that a stream
// can be subscribed again; [File] and [From] make such functions.
//
// Demand: bytes are read only while there is demand, a buffer of 16 KiB at a time; no more is read
// ahead. The end is noticed when one more element is requested than there are.
//
// Errors: the first one ends the stream. An error of opening arrives as it is. Any other error is a
// *reactor.OpError that names the function of this package and the place: the line or record,
// counted from 1, and the byte, counted from 0. It matches [ErrRead], [ErrTooLong] or
// [ErrMalformed]. An error of Close replaces completion or is joined with the error of the stream;
// after a cancellation it is reported as dropped.
//
// Cancellation: closes the reader at once, also while a Read of it is under way; that frees a Read
// of a pipe, of a socket, or of a file that is a pipe or device. A reader that can't be closed
// during a Read needs [CloseAfterRead]. Where closing does not free the Read, such as on a
// terminal, or on os.Stdin, whatever that is, the goroutine ends with the Read, and is counted in
// [AbandonedReads] until then; it keeps its lane, for which schedulers.Shutdown waits.
//
// Goroutine: reading and decoding run on one worker of schedulers.BoundedElastic() or of the
// scheduler given with [On], and elements are emitted there. With [On], opening runs on that
// worker, too; without On it runs on a goroutine of its own, because what it waits for may need a
// lane. A stream that waits for data keeps a lane of the scheduler busy; if there are more such
// streams than lanes, give them a scheduler of their own, such as
// schedulers.NewPerTaskBoundedElastic.
//
// Elements belong to the subscriber that receives them, unless [Reuse] is given.
package bytestream
