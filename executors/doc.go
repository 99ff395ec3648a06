// Package executors runs functions on goroutines, now or later. Schedulers
// (github.com/goreactor/reactor/schedulers) can run on its executors, and it is
// useful without them.
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
// Whoever makes an executor has to end it: Close(ctx) refuses new functions, waits
// for the accepted ones, and gives up when ctx ends; Shutdown and AwaitTermination
// are its two parts. A TaskScheduler runs one job at a time unless PoolSize or
// GoroutinePerRun says otherwise, so a slow job delays all others; its Close waits
// only for the runs under way.
//
// No executor promises an order between two functions. A refusal is an error that the
// call returns. A function whose call returned nil is either run or returned by
// ShutdownNow, with these exceptions: a function that was cancelled, that a policy
// has discarded, or that waits for its time under DropDelayed is neither run nor
// returned; and a periodic task, which a shutdown cancels, is returned by ShutdownNow
// even if it has run. Every future ends, in these cases too.
package executors
