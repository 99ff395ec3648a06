// Package marbles runs the marble diagrams in the comments of flux and mono. A diagram says
// what comes of its sources; a row here says which call it is about:
//
//	f:    1 --- 2 --- 3 |
//	      Map(n => 10n)
//	out:  10 -- 20 -- 30 |
//
// A line with a label is a stream, and its columns are time: one millisecond each, on a virtual
// clock. A text without blanks, or in brackets, is an element, which comes at its first column; | is
// completion, # an error. What follows the end, or four blanks, is a remark. A signal may be drawn up to three
// columns off, and later where the text before it takes the room.
//
// A diagram without a row is counted, and the count only goes down.
package marbles
