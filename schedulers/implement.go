package schedulers

import "context"

// What schedulers implemented elsewhere need, besides [OnSchedule], to behave as
// those of this package.

// HandleError passes the panic of a task, as an error, to the handlers of
// [OnHandleError]. ctx is the context of the task.
func HandleError(ctx context.Context, err error) { handleError(ctx, err) }

// StopsOnError reports whether [StopOnError] is among the options.
func StopsOnError(opts ...PeriodicOption) bool { return newPeriodicSettings(opts).stopOnError }

// DropsDelayed reports whether [DropDelayed] is among the options.
func DropsDelayed(opts ...DisposeOption) bool { return newDisposeSettings(opts).dropDelayed }
