// Package chaos widens race windows. Lock-free code calls [Yield] between any
// two steps on shared state. In ordinary builds that is nothing at all; built
// with the tag chaos it gives the processor away now and then, so that
// interleavings which otherwise happen once in a million runs happen in every
// test.
//
// How often it yields is drawn once per process, between 10 and 50 percent, from
// a seed that the first call prints to standard error while tests run:
//
//	chaos: REACTOR_CHAOS_SEED=1234 yields 27% of the time
//
// Setting that variable repeats the sequence of decisions. The interleaving
// itself repeats only as far as the scheduler hands out the same calls in the
// same order.
package chaos
