// Package live registers functions that are to be called later, at a time or when a context
// ends. All who watch over the same context share one function that the context has to call,
// which is a fraction of the cost of one each.
//
// With the build tag chaos it counts what is registered, so that tests can show that none is
// left: unlike a goroutine, a timer or a watch over a context that nobody ends can't be seen
// from outside.
package live
