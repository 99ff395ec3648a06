// Package nosync lets test instruments use shared atomics without hiding data
// races from the race detector.
//
// An atomic operation on a shared word is a synchronisation edge: whatever the
// goroutine did before it happens before what the next goroutine to touch the
// word does after. An instrument that every goroutine passes through, such as a
// random number generator or a counter, would so order the whole program and
// make the detector blind. Between Begin and End the synchronisation of the
// calling goroutine leaves no such edges. Plain memory accesses are still
// checked, therefore nothing but atomics on instrument state belongs there.
//
// Without the race detector both functions are empty.
package nosync
