// Package schedulers decides where and when work runs.
//
// # The schedulers
//
// Four are shared by the whole process. They are made on first use and are all
// that most programs need:
//
//	Immediate       runs a task in the caller, before the call returns
//	Single          one lane: short tasks that need an order among themselves, timers
//	Parallel        a lane per processor: computation; tasks must not block
//	BoundedElastic  lanes that come and go: tasks that may block, such as I/O
//
// [NewSingle], [NewParallel], [NewBoundedElastic] and [NewPerTaskBoundedElastic]
// make private ones. [FromExecutor] and [FromExecutorService] put a scheduler on
// top of an executor from elsewhere, [SingleWorker] pins one lane of another
// scheduler, [Timed] measures one.
//
// A lane, called slot in [Stats], runs one task at a time. Tasks that are handed to
// a [Scheduler] itself are spread over its slots and have no order between them. A
// [Worker] is bound to one slot: its tasks run in the order of their due times,
// those due at the same time in the order of submission, never two at once.
// Several workers may share a slot.
//
// # Which one
//
// Keep what blocks away from what computes: a task that waits for a socket, a lock
// or a sleep belongs on BoundedElastic, where it holds up nobody as long as there
// are lanes. On Parallel it would take a processor's worth of work out of the
// program. Code that is about to block asks [CheckBlocking], which refuses on the
// lanes of single and parallel schedulers.
//
// BoundedElastic hands out an idle lane if there is one, a new one up to its limit,
// and beyond that the one with the fewest workers and direct tasks. So a worker may
// have to wait behind another one's task, and a task that waits for a task on the
// same scheduler may wait for itself: with one lane left that is a deadlock by
// construction.
//
// # Settings
//
// The shared schedulers read the environment once, when they are first needed. A
// value that can't be used is reported by slog and the default is kept; so is a name
// that begins with REACTOR_SCHEDULER and is none of these.
//
//	REACTOR_SCHEDULERS_DEFAULT_POOL_SIZE                           lanes of Parallel; GOMAXPROCS
//	REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_SIZE                most lanes of BoundedElastic; 10 × GOMAXPROCS
//	REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_QUEUE_SIZE          tasks that may wait in each of them; 100000
//	REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_ON_VIRTUAL_THREADS  true: a goroutine for every task; false
//	REACTOR_SCHEDULER_DRIFT_TOLERANCE                              minutes a virtual clock may jump; 15
//
// [LoadConfig] reads the same settings from elsewhere, also under the names of
// Reactor's system properties. How long an idle lane of BoundedElastic is kept, 60
// seconds, is no setting but [WithTTL].
//
// # Submitting
//
// Execute hands a task over and allocates nothing; Schedule returns a handle in
// addition, for one allocation. ScheduleAfter waits first, SchedulePeriodically
// repeats at a fixed rate. A delay counts from the call, and no task starts early.
//
// A refusal is an error of the call, a [*RejectedError] that says why: the
// scheduler or worker is disposed, the queue is full, there are no timed tasks, the
// executor refused. It leaves no trace. A task that was accepted either runs or is
// dropped: by a disposal, by the end of an executor from elsewhere, or because that refuses the task
// that a trampoline was to begin with, see [FromExecutor]. What it throws goes to the handlers of
// [OnHandleError], or to slog, and harms neither its lane nor the other runs of a periodic task.
// runtime.Goexit in a task counts as a failure too.
//
// # Disposing
//
// Disposing a handle before the start takes the task out of its queue; its place is
// free at once. During the run it cancels the context of the task, with the cause
// [ErrTaskDisposed]. A task that disposes itself, its worker or its scheduler is
// not cancelled: the code that follows is part of the same task.
//
// Disposing a worker does that to all of its tasks and gives the lane back.
// Disposing a scheduler drops everything that is queued; DisposeGracefully lets it
// run out, including tasks whose time has not come. The shared schedulers are not
// their users' to dispose: Dispose does nothing, DisposeGracefully returns
// [ErrShared]. [Shutdown] lets them all run out, [ShutdownNow] ends them, and the
// next use makes new ones.
//
// # What Go does not have
//
// Nothing can stop a goroutine from outside. A task that does not look at its
// context runs to its end, whoever disposes it; its lane stays busy until then and
// is the last one to be given to somebody else. Dispose does not wait for it,
// DisposeGracefully does.
//
// There are no daemon threads to choose: goroutines never keep a process alive, so
// a program that must finish its tasks disposes its own schedulers gracefully and
// calls [Shutdown] for the shared ones before it returns from main.
//
// Threads have names, goroutines don't: the name of a worker is what [WorkerName]
// finds in the context of a task, and the pprof label "worker" beside "scheduler".
// The same goroutine serves one task after the other, so what a task leaves on it,
// such as labels of its own or runtime.LockOSThread, stays for the next ones;
// [NewPerTaskBoundedElastic] is for tasks that can't clean up.
//
// # Goroutines
//
// A slot that has nothing to do has no goroutine. It gets one with its first task
// and keeps it until its queue has been empty for a moment, which is as fast as
// waking one that was parked ([WithSpin] makes the moment longer). An idle scheduler
// costs a few hundred bytes per slot and can't leak.
//
// For the same reason schedulers work in testing/synctest bubbles, where delays
// take no time. Those made in a bubble need not be disposed there. The shared ones
// work too, as long as nothing outside uses them meanwhile, or has done so a moment
// before, and no task of one bubble is left at its end; reactortest.Bubble has shared
// ones of its own, and needs no such care. For tests outside of bubbles there is the
// virtual clock of [github.com/goreactor/reactor/reactortest].
//
// # Replacing and observing
//
// [SetFactory] replaces what the New functions and the shared schedulers make,
// [SetFactoryWithSnapshot] and [ResetFrom] do so for a while. [OnScheduleHook] wraps
// every task that is scheduled, [AddExecutorDecorator] every slot. Tasks that live as
// long as a component pass the hooks by with [Undecorated].
package schedulers
