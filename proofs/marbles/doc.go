// Package marbles runs the marble diagrams in the comments of all packages. A diagram says
// what comes of its sources; a row here says which call it is about:
//
//	f:    1 --- 2 --- 3 |
//	      Map(n => 10n)
//	out:  10 -- 20 -- 30 |
//
// A line with a label is a stream, and its columns are time: one millisecond each, on a virtual
// clock. A text without blanks, or in brackets, is an element, which comes at its first column; | is
// completion, # an error, #a the error a, and X where it is cancelled, a source as well as what comes out.
// What follows the end, or four blanks, is a remark. A signal may be drawn up to three
// columns off, and later where the text before it takes the room.
//
// A line that begins with blanks is subscribed there. A source that is subscribed again has the next
// stream behind the end of the one before; of out there is a line for each subscriber. A line called
// demand has how many elements are requested when. An element that is a stream has a line with its
// name, or with its name behind "group".
//
// A diagram without a row is an error, and so is a line of which the row makes nothing. A row of what
// flux or mono show of an operator is the row of the function in operators, too.
package marbles
