// Package buffered is the stage that keeps what comes before there is demand for it: limitRate, and the variants of
// onBackpressureBuffer. What becomes of an element without room is said by who uses it.
package buffered
