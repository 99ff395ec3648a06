package schedulers

import "fmt"

// What users may print has a String. Without it package fmt would read fields that other goroutines write: to print a
// context, as mocks do with their arguments, would be a race.

// String returns for example "task of worker \"parallel-1\"".
func (c *taskContext) String() string { return fmt.Sprintf("task of worker %q", c.id.Load().name) }

// String returns for example "worker \"parallel-1\"".
func (w *worker) String() string { return fmt.Sprintf("worker %q", w.slot.id.name) }

// String returns for example "task of fromExecutor(\"pool\")".
func (t *executorTask) String() string { return "task of " + t.x.String() }

// String returns for example "worker of fromExecutor(\"pool\")".
func (w *executorWorker) String() string { return "worker of " + w.x.String() }

// String returns for example "worker of timed(schedulers.Parallel())".
func (w *timedWorker) String() string { return "worker of " + w.t.String() }

// String returns "worker of immediate".
func (w *immediateWorker) String() string { return "worker of immediate" }

// String returns "task", whatever has become of it.
func (h *Handle) String() string { return "task" }
