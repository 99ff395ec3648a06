// Package elementwise makes an operator that treats one element at a time out of one
// definition, a method of its publisher. What a subscriber has to do besides (OnNext,
// the closure that an emission loop takes, requests in the place of elements that are
// left out, ends, OnErrorContinue) is written here, once.
//
// There are two forms of definition:
//
//   - [Function] says what one call of a function makes of one element: its result, that
//     there is none, or an error. [Map] and [Choose] subscribe with it. They allocate
//     nothing for a single element, and support OnErrorContinue. A stage whose cost per
//     element counts may be [Stepping] as well.
//   - [Step] builds the function for an element from that of the stage below, and may
//     remember something from one element to the next, or do something
//     after the element has gone down. [Subscribe] and [SubscribeEnding] subscribe with
//     it.
//
// What is remembered stands in the subscriber, not in the closure, so it does not matter how
// often a function is built.
//
// The functions run where src emits. A panic in one of them unwinds to the guard of the loop
// that emits, as everywhere.
package elementwise
