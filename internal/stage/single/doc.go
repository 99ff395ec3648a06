// Package single is about streams that have one element at most: what sends it, once, and completes,
// when there are both the element and demand for it. [Scalar] is for an element that is known, [Slot]
// for one that is computed meanwhile, and [Waiter] for an outcome that several subscribers get. An
// [Aggregate] is the stage that makes one out of many.
//
// Elements that are computed without a subscription are the business of package direct.
package single
