package schedulers

import "sync/atomic"

// Factory makes the schedulers behind the New functions and the cached ones.
// Replace it with [SetFactory] to put other schedulers in the place of all of
// them, as tests with virtual time do. Embed [DefaultFactory] to replace some.
type Factory interface {
	// NewSingle makes a scheduler with one lane that must not block.
	NewSingle(name string, opts ...Option) Scheduler
	// NewParallel makes a scheduler with n lanes that must not block.
	NewParallel(name string, n int, opts ...Option) (Scheduler, error)
	// NewBoundedElastic makes a scheduler with up to max lanes that may block,
	// each with a queue.
	NewBoundedElastic(max, queue int, name string, opts ...Option) (Scheduler, error)
	// NewPerTaskBoundedElastic is NewBoundedElastic with a goroutine per task.
	NewPerTaskBoundedElastic(max, queue int, name string, opts ...Option) (Scheduler, error)
}

// DefaultFactory makes the schedulers of this package.
type DefaultFactory struct{}

// NewSingle makes what [NewSingle] returns by default.
func (DefaultFactory) NewSingle(name string, opts ...Option) Scheduler {
	return newSingle(name, opts)
}

// NewParallel makes what [NewParallel] returns by default.
func (DefaultFactory) NewParallel(name string, n int, opts ...Option) (Scheduler, error) {
	return newParallel(name, n, opts)
}

// NewBoundedElastic makes what [NewBoundedElastic] returns by default.
func (DefaultFactory) NewBoundedElastic(max, queue int, name string, opts ...Option) (Scheduler, error) {
	return newBoundedElastic(max, queue, name, opts)
}

// NewPerTaskBoundedElastic makes what [NewPerTaskBoundedElastic] returns by default.
func (DefaultFactory) NewPerTaskBoundedElastic(max, queue int, name string, opts ...Option) (Scheduler, error) {
	return newPerTaskBoundedElastic(max, queue, name, opts)
}

var factory atomic.Pointer[Factory] // nil means DefaultFactory

func currentFactory() Factory {
	if p := factory.Load(); p != nil {
		return *p
	}
	return DefaultFactory{}
}
