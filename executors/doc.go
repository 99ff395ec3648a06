// Package executors runs functions on goroutines, now or later. It is what
// schedulers can stand on (github.com/goreactor/reactor/schedulers), and of use
// without them.
//
// A [ThreadPool] is java.util.concurrent.ThreadPoolExecutor with the manners of Go:
// core workers, a queue, more workers, a rejection policy, in that order. Its Submit
// returns a typed [Future].
//
// A [ScheduledPool] runs tasks after a delay, at a fixed rate or with a fixed delay. A
// [TaskScheduler] runs jobs at instants and on triggers, among them those of package
// cron, and goes by a wall clock that may jump.
//
// An [Executor] runs a function some time, somewhere. A [Service] is an Executor
// with an end: it can be shut down, and its end can be awaited. A [Timed] is a
// Service that can also wait for a point in time before it runs a function.
//
// Who makes one ends it: Close(ctx) refuses what is new, waits for what was accepted, and gives up with ctx; Shutdown
// and AwaitTermination are its parts. A TaskScheduler, whose Close waits for the runs under way alone, runs one job at a
// time unless PoolSize or GoroutinePerRun says otherwise: a slow one delays all others.
//
// None of them promises an order between two functions. A refusal is an error
// that the call returns; a function whose call returned nil is run, or is
// returned by ShutdownNow, never both and never neither. There are exceptions. What was cancelled, what a
// policy discards, and, with DropDelayed, what waits for its time, is neither run nor returned. A periodic
// task is cancelled by a shutdown; ShutdownNow returns it, also if it has run. Even then a future ends: every
// future does.
package executors
