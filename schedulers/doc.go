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
// make private ones. [FromExecutor] and [FromExecutorService] make a scheduler on
// top of another executor, [SingleWorker] makes one that uses a single lane of
// another scheduler, and [Timed] measures a scheduler.
//
// A lane, called slot in [Stats], runs one task at a time. Tasks that are handed to
// a [Scheduler] itself are spread over its slots and have no order between them. A
// [Worker] is bound to one slot: its tasks run in the order of their due times,
// those due at the same time in the order of submission, never two at once.
// Several workers may share a slot.
//
// # Which one
//
// Keep tasks that block away from tasks that compute: a task that waits for a
// socket, a lock or a sleep belongs on BoundedElastic, where it holds up nobody as
// long as there are lanes. On Parallel it would keep one processor's share of the
// work from being done. Code that is about to block calls [CheckBlocking], which
// returns an error on the lanes of single and parallel schedulers.
//
// BoundedElastic hands out an idle lane if there is one, a new one up to its limit,
// and beyond that the one with the fewest workers and direct tasks. So a worker may
// have to wait behind the task of another worker, and a task that waits for another
// task on the same scheduler may wait for ever: if both get the same lane, that is a
// deadlock.
//
// # Settings
//
// The shared schedulers read the environment once, when they are first needed. A
// value that can't be used is reported by slog, and the default is kept. A name that
// begins with REACTOR_SCHEDULER but is none of these is reported too.
//
//	REACTOR_SCHEDULERS_DEFAULT_POOL_SIZE                           lanes of Parallel; GOMAXPROCS
//	REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_SIZE                most lanes of BoundedElastic; 10 × GOMAXPROCS
//	REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_QUEUE_SIZE          tasks that may wait in each of them; 100000
//	REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_ON_VIRTUAL_THREADS  true: a goroutine for every task; false
//	REACTOR_SCHEDULER_DRIFT_TOLERANCE                              minutes a virtual clock may jump; 15
//
// [LoadConfig] reads the same settings from elsewhere, also under the names of
// Reactor's system properties. How long an idle lane of a bounded elastic scheduler
// is kept is not a setting: it is 60 seconds, or what [WithTTL] says.
//
// # Submitting
//
// Execute hands a task over and allocates nothing; Schedule also returns a handle,
// which costs one allocation. ScheduleAfter waits first, SchedulePeriodically repeats
// at a fixed rate. A delay counts from the call, and no task starts early.
//
// A refusal is an error of the call, a [*RejectedError] that says why: the scheduler
// or worker is disposed, the queue is full, there are no timed tasks, or the executor
// refused. A refused task leaves no trace. An accepted task either runs or is
// dropped: by a disposal, by the end of the executor underneath, or because that
// executor refuses the task with which a trampoline was to begin, see [FromExecutor].
// The panic of a task goes to the handlers of [OnHandleError], or to slog, and harms
// neither its lane nor the other runs of a periodic task. runtime.Goexit in a task
// counts as a failure too.
//
// # Disposing
//
// Disposing a handle before the start of its task takes the task out of the queue;
// its place is free at once. During the run, disposing the handle cancels the
// context of the task, with the cause [ErrTaskDisposed]. A task that disposes
// itself, its worker or its scheduler is not cancelled: the code after that call is
// part of the same task.
//
// Disposing a worker disposes all of its tasks in this way and gives the lane back.
// Disposing a scheduler drops all queued tasks; DisposeGracefully lets them run,
// including tasks whose time has not come. Users can't dispose the shared
// schedulers: Dispose does nothing, DisposeGracefully returns [ErrShared].
// [Shutdown] lets the shared schedulers finish their tasks, [ShutdownNow] ends them,
// and the next use makes new ones.
//
// # What Go does not have
//
// Nothing can stop a goroutine from outside. A task that does not look at its
// context runs to its end, whoever disposes it; its lane stays busy until then, and
// is the last choice for other tasks. Dispose does not wait for such a task,
// DisposeGracefully does.
//
// There is no choice of daemon threads: goroutines never keep a process alive. So a
// program that must finish its tasks disposes its own schedulers gracefully, and
// calls [Shutdown] for the shared ones, before it returns from main.
//
// Threads have names, goroutines don't: [WorkerName] finds the name of a worker in
// the context of a task, and the goroutine has the pprof labels "worker" and
// "scheduler". The same goroutine serves one task after the other, so what a task
// leaves on it, such as labels of its own or runtime.LockOSThread, stays for the next
// tasks; [NewPerTaskBoundedElastic] is for tasks that can't clean up.
//
// # Goroutines
//
// A slot that has nothing to do has no goroutine. It gets one with its first task,
// and keeps it until its queue has been empty for a moment ([WithSpin] makes the
// moment longer). Starting a goroutine is as fast as waking a parked one. An idle
// scheduler costs a few hundred bytes per slot and can't leak.
//
// For the same reason schedulers work in testing/synctest bubbles, where delays take
// no time. Those made in a bubble need not be disposed there. The shared schedulers
// work too, as long as nothing outside the bubble uses them at the same time, or has
// used them a moment before, and no task of a bubble is left at its end;
// reactortest.Bubble has shared schedulers of its own, and needs no such care. For
// tests outside of bubbles there is the virtual clock of
// [github.com/goreactor/reactor/reactortest].
//
// # Replacing and observing
//
// [SetFactory] replaces the schedulers that the New functions return, and the shared
// ones; [SetFactoryWithSnapshot] and [ResetFrom] do so for a while. [OnScheduleHook]
// wraps every task that is scheduled, [AddExecutorDecorator] every slot.
// [Undecorated] keeps the hooks away from tasks that live as long as a component.
package schedulers
