// Package places has a List of who waits, or is open, in the order in which they came, where each may leave at any time for the same
// price. What becomes of them is the business of who has the list, and so is the lock, if several goroutines come and go.
package places
