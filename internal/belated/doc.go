// Package belated is what becomes of errors that come when a stream is over, and tells the end of a context, which whoever has ended it knows,
// from what is news. It does not know when a stream is over.
package belated
