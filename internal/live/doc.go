// Package live registers functions that the runtime is to call later, at a time or when a
// context ends, and counts those that are registered, so that tests can show that none is
// left: unlike a goroutine, a timer or a watch over a context that nobody ends can't be seen
// from outside. It counts with the build tag chaos only; otherwise its functions are those of
// packages time and context.
package live
