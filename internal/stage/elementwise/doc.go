// Package elementwise makes an operator that treats one element at a time out of one
// definition, a method of its publisher. What a subscriber has to do besides (OnNext,
// the closure that an emission loop takes, requests in the place of elements that are
// left out, ends, OnErrorContinue) is written here, once.
//
// [Function] says what one call of a function makes of one element: its result, that there is
// none, or an error. [Map] and [Choose] subscribe with it. They allocate nothing for a single
// element, and support OnErrorContinue. A stage whose cost per element counts may be
// [Stepping] as well.
//
// Definitions that remember something from one element to the next, or do something after the
// element has gone down, are for the public package stage, which has [Stage] from here.
//
// The functions run where src emits. A panic in one of them unwinds to the guard of the loop
// that emits, as everywhere.
package elementwise
