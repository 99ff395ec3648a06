package schedulers

import "fmt"

// NewPerTaskBoundedElastic returns a bounded elastic scheduler that runs every
// task on a goroutine of its own: nothing that a task leaves behind on its
// goroutine, such as pprof labels or a locked thread, reaches the next one. The
// bounds are those of [NewBoundedElastic]: at most max tasks run at a time, and
// each of the max lanes has a queue. As long as there are fewer than max lanes,
// every worker and every direct task gets a lane of its own; there are no idle
// lanes and no TTL.
func NewPerTaskBoundedElastic(max, queue int, name string, opts ...Option) (Scheduler, error) {
	return currentFactory().NewPerTaskBoundedElastic(max, queue, name, opts...)
}

func newPerTaskBoundedElastic(max, queue int, name string, opts []Option) (Scheduler, error) {
	const op = "NewPerTaskBoundedElastic"
	e, err := newElastic(op, max, queue, name, newSettings(op, opts))
	if err != nil {
		return nil, err
	}
	e.kind = "perTaskBoundedElastic"
	e.count = &perTaskCount
	e.fresh = true
	e.text = fmt.Sprintf("perTaskBoundedElastic(%q,maxThreads=%d,maxTaskQueuedPerThread=%s)",
		name, max, queueText(queue))
	return e, nil
}
